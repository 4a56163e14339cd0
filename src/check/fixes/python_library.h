#pragma once

#include <string>

#include "check/fixes/missing_library.h"

namespace cudald {

/// What pip installs for a library, and the search of its directory where the loader does not come there.
void add_pip_fixes(const MissingLibrary&);

/// A wheel that was given without what it requires: pip would bring that along. False: nothing of it has the library.
bool add_required_package(const MissingLibrary&);

/// What the requester's installed package requires, and what would bring the library.
bool add_lacked_requirement(const MissingLibrary&);

/// A library that nothing is known of, and that is searched for beside the requester, is of the requester's package. No
/// RECORD lists it: the package came without it, or was compiled so.
bool add_own_part(const MissingLibrary&);

/// What installs a package of Python that the system's table names: into the requester's environment, and where that is
/// a part of the same project, as tensorrt-cu12-bindings is beside tensorrt-cu12-libs, in its release.
std::string in_environment_of(const MissingLibrary&, const std::string& command);

}  // namespace cudald
