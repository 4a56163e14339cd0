#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/isal_library.h"

namespace cudald {

/// gzip's CRC-32 of all bytes so far, with these behind them; it begins with 0.
inline std::uint32_t crc32_after(std::uint32_t before, std::span<const std::byte> bytes) {
  return IsalLibrary::get().crc32_gzip_refl(before, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

inline std::uint32_t crc32_after(std::uint32_t before, std::string_view text) {
  return crc32_after(before, std::as_bytes(std::span(text)));
}

}  // namespace cudald
