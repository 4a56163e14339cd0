#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include <cudald/file_system.h>

#include "base/read_buffer.h"

namespace cudald {

/// A file that is read onwards in steps, some of them short and others far: only after a short one, more is read than
/// was asked for. For one thread.
class SteppingFile final : public File {
 public:
  explicit SteppingFile(const File& file) : file_(file), block_(block_size) {}

  const FileStatus& status() const override { return file_.status(); }
  bool is_stream() const override { return file_.is_stream(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (into.size() > block_size) return file_.read(offset, into);
    const bool is_near = offset >= last_ && offset - last_ <= longest_short_step;
    last_ = offset;
    if (offset < start_ || offset - start_ > held_ || into.size() > held_ - (offset - start_)) {
      const auto got = file_.read(offset, block_.room().first(is_near ? block_size : into.size()));
      held_ = got ? *got : 0;
      start_ = offset;
      // Of a broken disk just what was asked for may be whole.
      if (!got) return is_near ? file_.read(offset, into) : got;
    }
    const auto skipped = static_cast<std::size_t>(offset - start_);
    const auto length = std::min(into.size(), held_ - skipped);
    if (length > 0) std::memcpy(into.data(), block_.data() + skipped, length);
    return length;
  }

 private:
  static constexpr std::size_t block_size = std::size_t{1} << 13;
  static constexpr std::uint64_t longest_short_step = std::uint64_t{1} << 11;

  const File& file_;
  mutable ReadBuffer block_;
  mutable std::uint64_t last_ = UINT64_MAX, start_ = 0;  ///< where was read last, and what the block begins with
  mutable std::size_t held_ = 0;
};

}  // namespace cudald
