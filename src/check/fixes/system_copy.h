#pragma once

#include <string>

#include "check/findings/checks.h"

namespace cudald {

/// Of a library that came with a program and needs a function that the system's libraries lack: the system's own copy
/// of it, if that goes with them and has all that the process uses of the other. Empty if there is none.
std::string system_copy_of(const Case&, const Object& bundled);

}  // namespace cudald
