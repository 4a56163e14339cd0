#pragma once

#include <cstddef>
#include <string_view>

namespace cudald {

/// Where `part` first stands in `bytes`, from `begin` on; npos if nowhere. Takes linear time on anything, and a
/// fraction of what string_view::find takes where the first byte of `part` is frequent.
std::size_t find_bytes(std::string_view bytes, std::string_view part, std::size_t begin = 0);

inline bool holds_bytes(std::string_view bytes, std::string_view part) {
  return find_bytes(bytes, part) != std::string_view::npos;
}

}  // namespace cudald
