#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

#include "base/byte_reader.h"
#include "binary/constants/read_only_data.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Bytes of a file at their places, for what looks into its code and data: of an ELF file those that a loader maps, up
/// to the last of them; of other files all. They are read when they are asked for, so that of large files most never
/// are. Copies share what was read. Numbers are little-endian.
class MappedBytes {
 public:
  /// Of a file that is no image, without one. Both must live as long as the result.
  MappedBytes(const File&, const Image*);
  /// Bytes that are at hand, and stay there.
  explicit MappedBytes(std::string_view bytes);

  std::uint64_t size() const { return contents_->size; }
  bool holds(std::uint64_t offset, std::uint64_t length) const { return offset <= size() && length <= size() - offset; }
  /// As of a ByteReader.
  template <std::unsigned_integral T>
  std::optional<T> number(std::uint64_t offset) const {
    if (!holds(offset, sizeof(T))) return std::nullopt;
    need(offset, sizeof(T));
    return ByteReader({contents_->begin + offset, sizeof(T)}, ByteOrder::little).unchecked<T>(0);
  }
  std::optional<std::string_view> string(std::uint64_t offset) const;
  std::span<const std::byte> bytes(std::uint64_t offset, std::uint64_t length) const;

  /// All of them, with zeros for what only linkers and debuggers read, and for GPU code, which is not read. Fewer where
  /// the file ends, none if it could not be read.
  std::string_view view() const;
  /// The same of those parts in which neither code stands, for the processor or a GPU, nor what unwinds or relocates
  /// it. Nullopt if they could not be read, or are more than `most` bytes and the file was not read before. Without a
  /// section table all else is one part.
  std::optional<std::vector<std::string_view>> data(std::uint64_t most = UINT64_MAX) const;
  /// Hands over the same in blocks that overlap by 64 bytes, without keeping them; GPU code is passed over. False if
  /// not all could be read, or they are more than `most` bytes.
  bool visit_data(std::uint64_t most, const std::function<void(std::string_view)>& take) const;
  /// Hands over a part in blocks that overlap by 16 bytes, without keeping it; GPU code is passed over.
  template <typename Take>
  void for_each_block(std::uint64_t offset, std::uint64_t length, const Take& take) const {
    constexpr std::size_t overlap = 16;
    if (contents_->whole) return take(text(offset, length), offset);
    for_blocks(*contents_->file, {{offset, length}}, size(), length, overlap, [&](const FileBlock& block) {
      take(block.bytes, block.offset);
      return false;
    });
  }

 private:
  static constexpr std::uint64_t block_size = 1 << 14;
  struct Unmap {
    std::size_t size;
    void operator()(char* bytes) const;
  };
  struct Contents {
    const File* file = nullptr;
    const Image* image = nullptr;
    std::unique_ptr<char[], Unmap> own{nullptr, {0}};
    const std::byte* begin = nullptr;
    std::uint64_t size = 0;
    bool whole = false;               ///< all was read
    std::vector<bool> read;           ///< the blocks that were
    std::vector<FileRange> gpu_code;  ///< large containers of it, of what was read
  };

  void need(std::uint64_t offset, std::uint64_t length) const {
    if (contents_->whole || length == 0) return;
    for (auto block = offset / block_size; block <= (offset + length - 1) / block_size; ++block)
      if (!contents_->read[block]) read_block(block);
  }
  std::string_view text(std::uint64_t offset, std::uint64_t length) const {
    return {reinterpret_cast<const char*>(contents_->begin) + offset, length};
  }
  std::vector<FileRange> ranges_of_data() const;
  void read_block(std::uint64_t block) const;
  void read_all() const;
  bool read_range(const FileRange&, std::uint64_t& most) const;

  std::shared_ptr<Contents> contents_ = std::make_shared<Contents>();
};

/// How many bytes that are.
std::uint64_t mapped_size(const Image&);

}  // namespace cudald
