#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

namespace cudald {

/// Bytes that are read into. They are not cleared before: of tables of many megabytes that takes as long as reading.
/// By `new`, as the C++ library of GCC 10, which old systems have, lacks make_unique_for_overwrite.
class ReadBuffer {
 public:
  ReadBuffer() = default;
  explicit ReadBuffer(std::size_t size) : bytes_(new std::byte[size]), size_(size) {}

  /// Where they are read to.
  std::span<std::byte> room() { return {bytes_.get(), size_}; }
  const std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  const std::byte* begin() const { return bytes_.get(); }
  const std::byte* end() const { return bytes_.get() + size_; }
  std::byte operator[](std::size_t at) const { return bytes_[at]; }
  /// Keeps no more than the first bytes.
  void cut(std::size_t size) { size_ = std::min(size_, size); }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace cudald
