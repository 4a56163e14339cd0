#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cudald/image.h>

namespace cudald::python {

constexpr std::uint64_t cost_of_path = 96;  ///< bytes of one in a map, beside its text

/// The libraries of its package that a compiled module needs, and those that these need.
struct LibrariesBeside {
  std::vector<std::string> paths;
  std::vector<std::string> know_python;  ///< those which call functions of Python, or may
  std::uint64_t bytes = 0;               ///< of all of them
  bool complete = true;                  ///< each was found, and could be read
};

/// Where the libraries that a module needs may lie, as far as it says that itself, by $ORIGIN.
/// Source: "Rpath token expansion" of ld.so(8).
std::vector<std::string> places_beside(const std::string& path, const Image&);

/// The names of the libraries that a file needs, but for those of the system, the compiler and Python itself, none of
/// which binds names for a package. Source: PEP 600, what wheels may leave to the system.
std::vector<std::string> needed_of_packages(const Image&);

}  // namespace cudald::python
