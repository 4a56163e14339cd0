#pragma once

#include <string>

#include <cudald/finding.h>
#include <cudald/report.h>

namespace cudald {

/// Of the error with which cffi or ctypes ends an import: that what it tried to open is there for another machine, with
/// what helps against that.
void blame_other_machine(const Report&, const Import&, const std::string& error, Finding&);

}  // namespace cudald
