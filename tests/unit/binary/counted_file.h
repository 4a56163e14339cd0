#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tree/disk.h"

namespace cudald {

/// A file on the disk that counts how often it is read, and that can refuse it.
class CountedFile final : public File {
 public:
  explicit CountedFile(const std::string& path, bool broken = false)
      : file_(std::move(*make_disk_file_system()->open(path))), broken_(broken) {}

  const FileStatus& status() const override { return file_->status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    ++reads;
    return broken_ ? Result<std::size_t>(Error{}) : file_->read(offset, into);
  }
  std::string identity() const override { return file_->identity(); }

  mutable unsigned reads = 0;

 private:
  std::unique_ptr<File> file_;
  bool broken_;
};

}  // namespace cudald
