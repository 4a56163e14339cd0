#pragma once

#include <string>
#include <vector>

#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

/// What helps a file that needs a newer glibc than the system has: a release of the system that has it, and how what
/// Go or Rust compiled does without. `release`: "2.38"; empty if it is not known which one has the version.
std::vector<Fix> newer_glibc_fixes(const Report&, const Object&, const std::string& version, const std::string& release,
                                   Store&);

}  // namespace cudald
