#pragma once

#include <string>

#include <cudald/report.h>

#include "check/findings/system_packages.h"

namespace cudald {

/// What helps where the name of a library says that no package of this system has it: another distribution calls it
/// so, or it belongs to a toolchain. False: the name says nothing of that kind.
bool add_other_system(const Object& requester, const std::string& library, const SystemPackages&, Finding&);

}  // namespace cudald
