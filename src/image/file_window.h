#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cudald/file_system.h>

#include "base/byte_reader.h"

namespace cudald {

/// Small checked reads at any place of a big file, through one block that follows the reader.
class FileWindow {
 public:
  FileWindow(const File& file, ByteOrder order) : file_(file), order_(order) {}

  std::uint64_t file_size() const { return file_.status().size; }

  template <std::unsigned_integral T>
  std::optional<T> number(std::uint64_t offset) {
    if (!cover(offset, sizeof(T))) return std::nullopt;
    return ByteReader(block_, order_).number<T>(offset - start_);
  }

  /// The string at `offset`; it must end, or run into `end`, within `longest` bytes.
  std::optional<std::string> string(std::uint64_t offset, std::uint64_t end, std::size_t longest) {
    std::string text;
    while (offset < end) {
      if (!cover(offset, 1)) return std::nullopt;
      const auto length = std::min<std::uint64_t>(block_.size() - (offset - start_), end - offset);
      const auto* begin = reinterpret_cast<const char*>(block_.data()) + (offset - start_);
      const auto* stop = std::find(begin, begin + length, '\0');
      text.append(begin, stop);
      if (text.size() > longest) return std::nullopt;
      if (stop != begin + length) return text;
      offset += length;
    }
    return std::nullopt;
  }

  /// Reads a range that is known to be small; fewer bytes at the end of the file.
  std::vector<std::byte> bytes(std::uint64_t offset, std::uint64_t length) {
    std::vector<std::byte> result;
    if (offset >= file_size()) return result;
    result.resize(std::min(length, file_size() - offset));
    const auto got = file_.read(offset, result);
    result.resize(got ? *got : 0);
    return result;
  }

 private:
  static constexpr std::size_t block_size = 8192;

  bool cover(std::uint64_t offset, std::uint64_t length) {
    if (offset >= start_ && offset - start_ <= block_.size() && length <= block_.size() - (offset - start_))
      return true;
    if (offset > file_size() || length > file_size() - offset) return false;
    // A little before the place asked for: tables of strings are often read downwards.
    start_ = offset > block_size / 8 ? offset - block_size / 8 : 0;
    block_.resize(std::min<std::uint64_t>(block_size, file_size() - start_));
    const auto got = file_.read(start_, block_);
    block_.resize(got ? *got : 0);
    return offset - start_ <= block_.size() && length <= block_.size() - (offset - start_);
  }

  const File& file_;
  ByteOrder order_;
  std::uint64_t start_ = 0;
  std::vector<std::byte> block_;
};

}  // namespace cudald
