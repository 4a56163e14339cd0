#pragma once

#include <optional>
#include <string>

#include "binary/image_store.h"

namespace cudald {

/// A package of pacman that no repository has: it was compiled on the machine itself, as most of the AUR are.
struct ForeignPackage {
  std::string name;         ///< "cpu-x"
  std::string base;         ///< what it was built from; often the same
  bool ready_made = false;  ///< "yay" of yay-bin, which others have compiled: the one that is compiled takes its place
};

/// The package of a file, if it is one; nullopt also where pacman's database is not there.
std::optional<ForeignPackage> foreign_package_of(const std::string& path, ImageStore&);

/// What builds it again, by the program for that which is installed; `path` is the file that fails, which may be that
/// program itself.
std::string rebuild_command(const ForeignPackage&, const std::string& path, ImageStore&);

}  // namespace cudald
