#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include <cudald/byte_order.h>

namespace cudald {

/// Reads numbers and strings out of bytes it does not trust: every access is checked against the end.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, ByteOrder order)
      : bytes_(bytes), swap_((order == ByteOrder::little) != (std::endian::native == std::endian::little)) {}

  std::size_t size() const { return bytes_.size(); }
  bool holds(std::uint64_t offset, std::uint64_t length) const {
    return offset <= bytes_.size() && length <= bytes_.size() - offset;
  }

  /// The number at `offset`, or nullopt if it does not lie wholly inside.
  template <std::unsigned_integral T>
  std::optional<T> number(std::uint64_t offset) const {
    if (!holds(offset, sizeof(T))) return std::nullopt;
    return unchecked<T>(offset);
  }

  /// The number at an offset that the caller has checked with holds().
  template <std::unsigned_integral T>
  T unchecked(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return swap_ ? byte_swapped(value) : value;
  }

  /// The NUL-terminated string at `offset`; nullopt if it starts outside or has no end inside.
  std::optional<std::string_view> string(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return std::nullopt;
    const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + offset;
    const auto* end = static_cast<const char*>(std::memchr(begin, 0, bytes_.size() - offset));
    if (end == nullptr) return std::nullopt;
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
  }

  std::span<const std::byte> bytes(std::uint64_t offset, std::uint64_t length) const {
    return holds(offset, length) ? bytes_.subspan(offset, length) : std::span<const std::byte>();
  }

 private:
  template <std::unsigned_integral T>
  static T byte_swapped(T value) {
    if constexpr (sizeof(T) == 1) return value;
    if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
    if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
    if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
  }

  std::span<const std::byte> bytes_;
  bool swap_;
};

}  // namespace cudald
