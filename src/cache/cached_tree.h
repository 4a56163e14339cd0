#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <cudald/file_system.h>

#include "cache/cached_archive.h"

namespace cudald {

/// A tree of whose wheels is kept what is read of them, below a folder of this machine's disk. A wheel is the same as
/// long as it is the same file and has not been changed since.
class KeptTree final : public FileSystem {
 public:
  /// Nothing is kept if `folder` is empty.
  KeptTree(const FileSystem& base, std::string folder) : base_(base), folder_(std::move(folder)) {}

  Result<FileStatus> status(const std::string& path) const override { return base_.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override;
  Result<std::string> real_path(const std::string& path) const override { return base_.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return base_.list(path); }
  bool has_name(const std::string& path) const override { return base_.has_name(path); }

  /// Whether there is anything to keep.
  bool used() const;
  /// Keeps what was read of wheels that have not changed meanwhile. False if something cannot be written.
  bool keep() const;

 private:
  struct Known {
    std::string path;
    std::shared_ptr<KeptArchive> archive;
  };

  /// What is kept of a wheel; nullptr if nothing can be.
  std::shared_ptr<KeptArchive> archive_of(const File&, const std::string& path) const;

  const FileSystem& base_;
  std::string folder_;
  mutable std::map<std::string, Known> known_;                          ///< by identity and the checksum of the end
  mutable std::map<std::string, std::shared_ptr<KeptArchive>> opened_;  ///< in this run, by identity alone
  mutable std::mutex mutex_;
};

/// Where in the folder that is kept which belongs to a key.
std::string kept_path(const std::string& folder, const std::string& key);

}  // namespace cudald
