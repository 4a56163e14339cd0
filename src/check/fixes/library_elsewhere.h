#pragma once

#include "check/fixes/missing_library.h"

namespace cudald {

/// For a library that is there: in a directory that is not searched, or under another name.
void add_file_that_is_there(const MissingLibrary&);

/// Which links to another version of the library do not help. That is proven by a version that it does not define, and
/// of NVIDIA's libraries by their rule: the number in the soname changes with the ABI.
void add_useless_link(const MissingLibrary&);

}  // namespace cudald
