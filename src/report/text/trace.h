#pragma once

#include <ostream>

#include <cudald/writers.h>

namespace cudald {

struct Report;  // cudald/report.h

/// All that the simulated process did, in its order: each object, what it asked for, and each path that was tried.
void write_trace(const Report&, const TextStyle&, std::ostream&);

}  // namespace cudald
