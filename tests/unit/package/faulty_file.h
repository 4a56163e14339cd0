#pragma once

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cudald/file_system.h>

#include "common/memory_file_system.h"
#include "unit/archive/zip_builder.h"

namespace cudald {

/// Reads that touch a range of it fail, as those of a bad sector do.
class FaultyFile final : public File {
 public:
  FaultyFile(std::string bytes, std::uint64_t begin, std::uint64_t end)
      : file_(std::move(bytes)), begin_(begin), end_(end) {}
  const FileStatus& status() const override { return file_.status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset < end_ && offset + into.size() > begin_)
      return Error{ErrorCode::unreadable, "Input/output error", "", offset, EIO};
    return file_.read(offset, into);
  }

 private:
  BytesFile file_;
  std::uint64_t begin_, end_;
};

/// A tree with one file, which has a bad range.
class FaultyTree final : public FileSystem {
 public:
  FaultyTree(std::string path, std::string bytes, std::uint64_t begin, std::uint64_t end)
      : path_(std::move(path)), bytes_(std::move(bytes)), begin_(begin), end_(end) {}

  Result<FileStatus> status(const std::string& path) const override { return nothing_.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    if (path != path_) return nothing_.open(path);
    return std::unique_ptr<File>(std::make_unique<FaultyFile>(bytes_, begin_, end_));
  }
  Result<std::string> real_path(const std::string& path) const override { return nothing_.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return nothing_.list(path); }

 private:
  MemoryFileSystem nothing_;
  std::string path_, bytes_;
  std::uint64_t begin_, end_;
};

}  // namespace cudald
