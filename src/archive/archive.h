#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <cudald/file_system.h>

#include "archive/restart_points.h"
#include "archive/zip_directory.h"

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
  /// `recent`: of all archives whose members are read in turns.
  ZipArchive(std::shared_ptr<const File> file, ZipDirectory directory,
             std::shared_ptr<RecentRestartPoints> recent = std::make_shared<RecentRestartPoints>())
      : file_(std::move(file)), directory_(std::move(directory)), recent_(std::move(recent)) {}

  const ZipDirectory& directory() const { return directory_; }

  std::string_view name(std::size_t member) const override { return directory_.members()[member].name; }
  FileStatus status(std::size_t member) const override;
  Result<std::shared_ptr<const File>> open(std::size_t member, const FileStatus&,
                                           const std::string& shown) const override;

 private:
  std::shared_ptr<RestartPoints> restart_points(std::size_t member) const;

  std::shared_ptr<const File> file_;
  ZipDirectory directory_;
  std::shared_ptr<RecentRestartPoints> recent_;
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, std::weak_ptr<RestartPoints>> restart_points_;
};

}  // namespace cudald
