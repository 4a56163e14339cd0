#include "base/size_words.h"

#include <fmt/core.h>

namespace cudald {

std::string size_words(std::uint64_t bytes) {
  constexpr std::uint64_t thousand = 1000, million = 1'000'000, billion = 1'000'000'000;
  if (bytes >= billion) return fmt::format("{:.1f} GB", static_cast<double>(bytes) / static_cast<double>(billion));
  return bytes >= million ? fmt::format("{} MB", bytes / million) : fmt::format("{} kB", (bytes + 999) / thousand);
}

}  // namespace cudald
