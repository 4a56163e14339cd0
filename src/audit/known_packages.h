#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// A library that a distribution brings, and where in site-packages.
struct BroughtLibrary {
  std::string name, folder;
};

/// What is known of a distribution that is not at hand, as one release of it has it (data/requirements.json).
struct KnownPackage {
  std::string name, version;
  std::vector<std::string> requires_dist;
  std::vector<BroughtLibrary> libraries;  ///< for Linux on x86-64
};

/// By its normal name; nullptr if nothing is known of it.
const KnownPackage* find_known_package(std::string_view distribution);

}  // namespace cudald
