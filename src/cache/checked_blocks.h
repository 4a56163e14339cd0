#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cudald {

/// Bytes of a file in blocks, each with a checksum that is compared before a byte of it is given away: whoever wants
/// few bytes reads few.
class CheckedBlocks {
 public:
  static constexpr std::uint64_t block_size = std::uint64_t{1} << 15;
  /// How many blocks so many bytes are.
  static std::uint64_t count(std::uint64_t length) { return length / block_size + (length % block_size != 0); }

  CheckedBlocks() = default;
  /// `length` bytes at `begin` of an open file, and the checksums of their blocks.
  CheckedBlocks(int file, std::uint64_t begin, std::uint64_t length, std::vector<std::uint32_t> checksums)
      : file_(file), begin_(begin), length_(length), checksums_(std::move(checksums)), agreed_(checksums_.size()) {}

  /// Reads all of `into` from there on; false if it is not there, or its checksum does not agree.
  bool read(std::uint64_t at, std::span<std::byte> into);
  /// Whether so many bytes from there on are there and agree with their checksums.
  bool agree(std::uint64_t at, std::uint64_t size);

 private:
  /// A block that small pieces are taken from, one after the other.
  struct Window {
    std::uint64_t number = UINT64_MAX;
    std::vector<std::byte> bytes;
  };

  bool read_blocks(std::uint64_t number, std::span<std::byte> into);
  /// The bytes of that block; empty if they do not agree.
  std::span<const std::byte> window_of(std::uint64_t number);

  int file_ = -1;
  std::uint64_t begin_ = 0, length_ = 0;
  std::vector<std::uint32_t> checksums_;
  std::vector<bool> agreed_;  ///< by block: it has been read and compared
  std::array<Window, 8> windows_;
  std::size_t oldest_ = 0;
};

/// Makes the checksums of blocks from bytes that go by.
class BlockChecksums {
 public:
  void add(std::span<const std::byte> bytes);
  /// Those of all that has gone by.
  const std::vector<std::uint32_t>& all() const { return checksums_; }

 private:
  std::vector<std::uint32_t> checksums_;
  std::uint64_t in_last_ = CheckedBlocks::block_size;  ///< bytes of the block whose checksum is last
};

}  // namespace cudald
