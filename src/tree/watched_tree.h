#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <cudald/file_system.h>

#include "base/pack.h"
#include "base/refusals.h"

namespace cudald {

/// What a tree said of paths: what lay there, and where links led. While it says the same, all files and folders that
/// were read are as they were.
struct TreeSaid {
  struct Status {
    std::string path;
    int error = 0;           ///< errno, or -1 if none is known; 0: `status` is known
    FileStatus status = {};  ///< of a folder only that it is one
    bool operator==(const Status&) const = default;
  };
  struct RealPath {
    std::string path;
    int error = 0;
    std::string real = {};
    bool operator==(const RealPath&) const = default;
  };
  std::vector<Status> statuses;
  std::vector<Status> lists;  ///< folders with their status, which changes when a name is added or taken away
  std::vector<RealPath> real_paths;

  /// Whether the tree would say the same now.
  bool holds(const FileSystem&) const;
};

void fields(Is<TreeSaid> auto& said, auto&& take) {
  auto& [statuses, lists, real_paths] = said;
  take(statuses, lists, real_paths);
}
void fields(Is<TreeSaid::Status> auto& one, auto&& take) {
  auto& [path, error, status] = one;
  take(path, error, status);
}
void fields(Is<TreeSaid::RealPath> auto& one, auto&& take) {
  auto& [path, error, real] = one;
  take(path, error, real);
}
void fields(Is<FileStatus> auto& status, auto&& take) {
  auto& [kind, size, id, executable, set_user_id, set_group_id, owner, group, changed] = status;
  take(kind, size, id, executable, set_user_id, set_group_id, owner, group, changed);
}
void fields(Is<FileId> auto& id, auto&& take) {
  auto& [device, inode] = id;
  take(device, inode);
}

/// A tree that notes what it is asked. For one thread.
class WatchedTree final : public FileSystem {
 public:
  /// `known`: paths of which nothing needs to be noted.
  WatchedTree(const FileSystem& base, std::function<bool(const std::string&)> known);

  Result<FileStatus> status(const std::string& path) const override;
  Result<std::unique_ptr<File>> open(const std::string& path) const override;
  Result<std::string> real_path(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override;

  /// Whether TreeSaid::holds() will notice each change: not where the tree does not say when a file changed last, where
  /// that was just now, or where a file that is there could not be read.
  bool tells_changes() const { return tells_changes_ && !refusals_.any(); }
  TreeSaid said() const;

 private:
  template <typename Said>
  void note(std::map<std::string, Said>& into, Said said, std::int64_t changed) const;

  const FileSystem& base_;
  const std::function<bool(const std::string&)> known_;
  const std::int64_t begun_;  ///< when it was made, in nanoseconds since 1970
  mutable std::map<std::string, TreeSaid::Status> statuses_, lists_;
  mutable std::map<std::string, TreeSaid::RealPath> real_paths_;
  mutable bool tells_changes_ = true;
  const Refusals refusals_;
};

}  // namespace cudald
