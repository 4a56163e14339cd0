#pragma once

#include <string>

#include "check/fixes/missing_library.h"

namespace cudald {

/// What makes the directory of a library part of the search: for all programs, for a shell, for a file. Returns the
/// command of root's that does it for all, if that comes first; else an empty text.
std::string add_path_fixes(const MissingLibrary&, const std::string& path);

}  // namespace cudald
