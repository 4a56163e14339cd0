#pragma once

#include "check/fixes/missing_library.h"

namespace cudald {

/// What installs a library into the environment of conda that asks for it; nothing outside of one.
void add_conda_fixes(const MissingLibrary&);

/// Where only another version of a library is installed, a later release of the package may be built for that: with
/// conda, or with pip.
void add_newer_release(const MissingLibrary&);

}  // namespace cudald
