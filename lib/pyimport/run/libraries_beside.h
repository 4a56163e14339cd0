#pragma once

#include <string>
#include <vector>

#include <cudald/image.h>

namespace cudald::python {

/// Where the libraries that a module needs may lie, as far as it says that itself, by $ORIGIN.
/// Source: "Rpath token expansion" of ld.so(8).
std::vector<std::string> places_beside(const std::string& path, const Image&);

/// The names of the libraries that a file needs, but for those of the system, the compiler and Python itself, none of
/// which binds names for a package.
std::vector<std::string> needed_of_packages(const Image&);

}  // namespace cudald::python
