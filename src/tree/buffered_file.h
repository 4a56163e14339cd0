#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include <cudald/file_system.h>

#include "base/read_buffer.h"

namespace cudald {

/// A file on a disk of this machine, through a few blocks that are kept: what is read of an image are many small
/// places near one another. For one thread.
class BufferedFile final : public File {
 public:
  static constexpr std::size_t block_size = std::size_t{1} << 13;

  explicit BufferedFile(std::unique_ptr<File> file) : file_(std::move(file)) {}

  const FileStatus& status() const override { return file_->status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override;
  std::optional<Error> verify() const override { return file_->verify(); }
  bool is_stream() const override { return file_->is_stream(); }
  bool reads_anywhere(std::uint64_t offset, std::uint64_t size) const override {
    return file_->reads_anywhere(offset, size);
  }
  bool is_at_hand() const override { return file_->is_at_hand(); }
  MountFlags mount() const override { return file_->mount(); }
  std::string capabilities() const override { return file_->capabilities(); }
  std::string identity() const override { return file_->identity(); }
  const KeptFile* kept() const override { return file_->kept(); }

 private:
  struct Block {
    std::uint64_t number = UINT64_MAX;  ///< none
    std::size_t size = 0;               ///< less than a whole one at the end of the file
    ReadBuffer bytes;
  };

  Result<const Block*> block(std::uint64_t number) const;

  std::unique_ptr<File> file_;
  mutable std::array<Block, 8> blocks_;
  mutable std::size_t next_ = 0;  ///< that is given up for another one
};

/// A file, buffered if it is at hand.
std::unique_ptr<File> buffered(std::unique_ptr<File>);

}  // namespace cudald
