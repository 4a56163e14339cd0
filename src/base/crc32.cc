#include "base/crc32.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "base/isal_library.h"

namespace cudald {
namespace {

/// What a byte adds to the sum that has so many bytes behind it.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables tables = [] {
  Tables made{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    auto sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320U : 0U);
    made[0][byte] = sum;
  }
  for (std::size_t behind = 1; behind < made.size(); ++behind)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const auto before = made[behind - 1][byte];
      made[behind][byte] = before >> 8 ^ made[0][before & 0xff];
    }
  return made;
}();

std::uint32_t after_byte(std::uint32_t sum, std::byte next) {
  return sum >> 8 ^ tables[0][(sum ^ static_cast<std::uint32_t>(next)) & 0xff];
}

/// Eight bytes at a time, by as many look-ups that do not wait for one another.
std::uint32_t by_tables(std::uint32_t before, std::span<const std::byte> bytes) {
  auto sum = ~before;
  if constexpr (std::endian::native == std::endian::little)
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
      std::array<std::uint32_t, 2> words{};
      std::memcpy(words.data(), bytes.data(), sizeof words);
      words[0] ^= sum;
      sum = 0;
      for (std::size_t i = 0; i < 8; ++i) sum ^= tables[7 - i][words[i / 4] >> 8 * (i % 4) & 0xff];
    }
  for (const auto byte : bytes) sum = after_byte(sum, byte);
  return ~sum;
}

/// To load ISA-L takes as long as to sum up that many bytes without it.
std::atomic<std::size_t> left_for_tables = std::size_t{1} << 17;

bool take_for_tables(std::size_t size) {
  auto left = left_for_tables.load();
  while (size <= left)
    if (left_for_tables.compare_exchange_weak(left, left - size)) return true;
  return false;
}

}  // namespace

std::uint32_t crc32_after(std::uint32_t before, std::span<const std::byte> bytes) {
  if (take_for_tables(bytes.size())) return by_tables(before, bytes);
  return IsalLibrary::get().crc32_gzip_refl(before, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace cudald
