#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cudald {

/// The releases that the words of an error ask for of a distribution whose release is given: ">=0.5.0" of "jaxlib is
/// version 0.4.35, but this version of jax requires version >= 0.5.0". nullopt if they name none that excludes it.
std::optional<std::string> releases_in_words(std::string_view error, const std::string& installed);

/// The distribution, in lower case, and the release of "was removed in JAX v0.5"; nullopt if an error does not say so.
struct RemovedIn {
  std::string name, release;
};
std::optional<RemovedIn> removed_in(std::string_view error);

}  // namespace cudald
