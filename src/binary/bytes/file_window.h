#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cudald/file_system.h>

#include "base/budget.h"
#include "base/byte_reader.h"

namespace cudald {

/// Small checked reads at any place of a big file, through one block that follows the reader. With a budget each read
/// has its price, and nothing more is there when that is spent.
class FileWindow {
 public:
  FileWindow(const File& file, ByteOrder order, Budget* budget = nullptr)
      : file_(file), order_(order), budget_(budget) {}
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  const File& file() const { return file_; }
  Budget* budget() const { return budget_; }

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
      const auto* found = static_cast<const char*>(std::memchr(begin, 0, length));
      const auto* stop = found != nullptr ? found : begin + length;
      if (budget_ != nullptr && !budget_->step(1 + static_cast<std::uint64_t>(stop - begin) / bytes_for_a_step))
        return std::nullopt;
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
    const auto size = std::min(length, file_size() - offset);
    if (!pays_for(size)) return result;
    result.resize(size);
    const auto got = file_.read(offset, result);
    result.resize(got ? *got : 0);
    return result;
  }

 private:
  static constexpr std::size_t block_size = 8192;
  static constexpr std::uint64_t steps_of_a_read = 32, bytes_for_a_step = 16;

  bool pays_for(std::uint64_t size) {
    return budget_ == nullptr || (budget_->read(size) && budget_->step(steps_of_a_read + size / bytes_for_a_step / 4));
  }

  bool cover(std::uint64_t offset, std::uint64_t length) {
    if (offset >= start_ && offset - start_ <= block_.size() && length <= block_.size() - (offset - start_))
      return true;
    if (offset > file_size() || length > file_size() - offset || !pays_for(block_size)) return false;
    // A little before the place asked for: tables of strings are often read downwards.
    start_ = offset > block_size / 8 ? offset - block_size / 8 : 0;
    const auto got =
        file_.read(start_, std::span(room_).first(std::min<std::uint64_t>(block_size, file_size() - start_)));
    block_ = std::span(room_.data(), got ? *got : 0);
    return offset - start_ <= block_.size() && length <= block_.size() - (offset - start_);
  }

  const File& file_;
  ByteOrder order_;
  Budget* budget_;
  std::uint64_t start_ = 0;
  std::array<std::byte, block_size> room_;  ///< of its own, as windows come and go with each file
  std::span<const std::byte> block_;        ///< what was read into it
};

}  // namespace cudald
