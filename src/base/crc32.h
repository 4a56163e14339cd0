#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace cudald {

/// gzip's CRC-32 of all bytes so far, with these behind them; it begins with 0. Of the first bytes of a run it is made
/// without ISA-L, which need not be loaded where there are no more.
std::uint32_t crc32_after(std::uint32_t before, std::span<const std::byte> bytes);

inline std::uint32_t crc32_after(std::uint32_t before, std::string_view text) {
  return crc32_after(before, std::as_bytes(std::span(text)));
}

}  // namespace cudald
