#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cudald {

/// The distribution that brings a module which is not called like it, "beautifulsoup4" for "bs4", or a part of a
/// directory that distributions share, "google-cloud-storage" for "google.cloud.storage". Empty if none is known.
/// Source: data/module-names.json.
std::string distribution_called_otherwise(std::string_view module);

/// A directory that distributions share, as google.cloud, and none of them is alone there.
struct SharedDirectory {
  std::string part, distribution;  ///< "google.cloud.storage" in google-cloud-storage: of those that are known, one
};

/// nullopt if none is known to share it.
std::optional<SharedDirectory> shared_directory(std::string_view module);

}  // namespace cudald
