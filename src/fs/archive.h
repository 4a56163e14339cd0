#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <cudald/file_system.h>

#include "fs/zip_directory.h"

namespace cudald {

/// The members of an archive, by number; what is read of them is read where it is needed.
class Archive {
 public:
  virtual ~Archive() = default;
  /// As it stands in the archive.
  virtual std::string_view name(std::size_t member) const = 0;
  /// Kind, size and permissions; the identity is for the tree that holds the archive.
  virtual FileStatus status(std::size_t member) const = 0;
  /// `shown` names the member in errors.
  virtual Result<std::shared_ptr<const File>> open(std::size_t member, const FileStatus&,
                                                   const std::string& shown) const = 0;
};

class ZipArchive final : public Archive {
 public:
  ZipArchive(std::shared_ptr<const File> file, ZipDirectory directory)
      : file_(std::move(file)), directory_(std::move(directory)) {}

  const ZipDirectory& directory() const { return directory_; }

  std::string_view name(std::size_t member) const override { return directory_.members()[member].name; }
  FileStatus status(std::size_t member) const override;
  Result<std::shared_ptr<const File>> open(std::size_t member, const FileStatus&,
                                           const std::string& shown) const override;

 private:
  std::shared_ptr<const File> file_;
  ZipDirectory directory_;
};

}  // namespace cudald
