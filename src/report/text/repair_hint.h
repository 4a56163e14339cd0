#pragma once

#include <string>

namespace cudald {

struct Report;  // cudald/report.h

/// The command that changes a wheel as its author has to: "cudald repair dist/x.whl -w wheelhouse/". Empty where the
/// target is no wheel that is judged for any machine, or an error has no fix that `repair` can apply.
std::string repair_command(const Report&);

}  // namespace cudald
