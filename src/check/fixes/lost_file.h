#pragma once

#include <string>

#include "check/fixes/missing_library.h"

namespace cudald {

/// What RECORD lists and is gone comes back by installing the same release again. False: no package has lost it.
bool add_lost_file(const MissingLibrary&);

/// For a file that is there and unusable: the package that has put it there.
void add_lost_file_at(const MissingLibrary&, const std::string& path);

}  // namespace cudald
