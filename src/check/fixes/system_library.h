#pragma once

#include "check/fixes/missing_library.h"

namespace cudald {

/// Nothing here has the library: what the packages of the system, of another release of it, or of another system do.
void add_system_package(const MissingLibrary&);

}  // namespace cudald
