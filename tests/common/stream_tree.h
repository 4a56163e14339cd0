#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// A tree whose files are streams, as members of archives are.
class StreamTree final : public FileSystem {
 public:
  /// `only`: the one file that is a stream; none: all are.
  explicit StreamTree(const FileSystem& files, std::optional<std::string> only = {})
      : files_(files), only_(std::move(only)) {}

  Result<FileStatus> status(const std::string& path) const override { return files_.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    auto file = files_.open(path);
    if (!file || (only_ && path != *only_)) return file;
    return std::unique_ptr<File>(std::make_unique<Stream>(std::move(*file)));
  }
  Result<std::string> real_path(const std::string& path) const override { return files_.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return files_.list(path); }

 private:
  class Stream final : public File {
   public:
    explicit Stream(std::unique_ptr<File> file) : file_(std::move(file)) {}
    const FileStatus& status() const override { return file_->status(); }
    Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
      return file_->read(offset, into);
    }
    bool is_stream() const override { return true; }

   private:
    std::unique_ptr<File> file_;
  };

  const FileSystem& files_;
  std::optional<std::string> only_;
};

}  // namespace cudald
