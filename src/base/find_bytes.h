#pragma once

#include <cstring>
#include <string_view>

namespace cudald {

/// Where `part` first stands in `bytes`, from `begin` on; npos if nowhere. Takes linear time on anything, and a
/// fraction of what string_view::find takes where the first byte of `part` is frequent.
inline std::size_t find_bytes(std::string_view bytes, std::string_view part, std::size_t begin = 0) {
  if (begin > bytes.size()) return std::string_view::npos;
  const void* found = ::memmem(bytes.data() + begin, bytes.size() - begin, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
}

inline bool holds_bytes(std::string_view bytes, std::string_view part) {
  return find_bytes(bytes, part) != std::string_view::npos;
}

}  // namespace cudald
