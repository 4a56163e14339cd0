#pragma once

#include "check/fixes/missing_library.h"

namespace cudald {

/// What installs a library: in an environment of conda, first what conda has. A program of a system of Debian takes
/// what the system has.
void add_installs(const MissingLibrary&);

}  // namespace cudald
