#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// A library that the code of another one opens under a name that it puts together at run time.
struct KnownDlopen {
  std::string name;
  std::vector<std::string> pieces;  ///< texts in the file from which some builds make the name
  bool at_load = false;             ///< by the constructors; else on use
  bool gpu = false;                 ///< as Target::gpu
  std::string without;              ///< as Target::without
  std::string source;               ///< where that is known from
};

/// What a library opens, known by its soname (data/known-dlopens.json). `path` is where it lies; files beside it tell the
/// versions. Empty if nothing is known, or the versions are not found.
std::vector<KnownDlopen> known_dlopens(std::string_view soname, const std::string& path, const FileSystem&);

}  // namespace cudald
