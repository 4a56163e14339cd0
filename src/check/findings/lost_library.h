#pragma once

#include <optional>
#include <string>

#include "binary/image_store.h"

namespace cudald {

/// A library that an installed package has, by the records of what installs packages, and whose file is gone.
struct LostLibrary {
  std::string package;  ///< "quazip"; "libquazip5-1:amd64" where dpkg says for which machine
  std::string path;     ///< where the package has it
};

/// Looked for in the packages that are called like the library alone: the records of a system are large. nullopt too
/// where the records cannot be read, as those of RPM.
std::optional<LostLibrary> lost_library(const std::string& name, ImageStore&);

}  // namespace cudald
