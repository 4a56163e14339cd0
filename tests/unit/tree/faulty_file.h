#pragma once

#include <cerrno>
#include <memory>
#include <string>

#include <cudald/file_system.h>

#include "common/memory_file_system.h"

namespace cudald {

/// A file in memory of which one place cannot be read: reads end before it, or fail with EIO.
class FaultyFile final : public File {
 public:
  explicit FaultyFile(std::string bytes) : FaultyFile(std::move(bytes), UINT64_MAX, false) {}
  FaultyFile(std::string bytes, std::uint64_t place, bool fails) : place_(place), fails_(fails) {
    MemoryFileSystem files;
    files.add_file("/file", std::move(bytes));
    file_ = std::move(*files.open("/file"));
  }

  const FileStatus& status() const override { return file_->status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (place_ < offset || place_ - offset >= into.size()) return file_->read(offset, into);
    if (fails_) return Error{ErrorCode::unreadable, "a broken disk", "/file", {}, EIO};
    return file_->read(offset, into.first(place_ - offset));
  }
  bool is_stream() const override { return stream; }

  bool stream = false;  ///< as a member of an archive is one

 private:
  std::unique_ptr<File> file_;
  std::uint64_t place_;
  bool fails_;
};

}  // namespace cudald
