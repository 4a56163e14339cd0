#pragma once

#include <cstdint>
#include <vector>

#include <cudald/image.h>

namespace cudald {

/// How much our own count found in the excerpt.
struct ExcerptCounts {
  std::size_t strings = 0;  ///< entries of the dynamic table that name a string
  std::size_t version_needs = 0, version_definitions = 0;
};

/// Lets LIEF parse an excerpt and takes over what it says into `image`. The only place that knows LIEF.
/// Where LIEF drops entries (its limits are silent), the image gets a defect instead of a wrong answer.
void take_over_from_lief(const std::vector<std::uint8_t>& excerpt, const ExcerptCounts& expected, Image& image);

}  // namespace cudald
