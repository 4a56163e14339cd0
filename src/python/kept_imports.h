#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <cudald/file_system.h>

#include "python/followed_import.h"

namespace cudald::python {

/// Imports that were followed, kept from run to run below a folder of this machine's disk, for this very program. May
/// be asked by several threads.
class KeptImports {
 public:
  /// Nothing is kept if `folder` is empty, or if the program cannot be told from another build of it.
  explicit KeptImports(std::string folder);

  explicit operator bool() const { return !folder_.empty(); }
  /// What lies there for a key, if all that it hung on is as it was. `number`: processes may answer one import
  /// differently, so that there may be several.
  std::optional<FollowedImport> find(std::string_view key, std::size_t number, const PythonEnvironment&,
                                     const FileSystem&) const;
  void keep(std::string_view key, std::size_t number, const FollowedImport&);
  /// Whether anything was.
  bool has_kept() const { return has_kept_; }

 private:
  std::string full_key(std::string_view key, std::size_t number) const;

  std::string folder_, program_;
  std::atomic<bool> has_kept_ = false;
};

}  // namespace cudald::python
