#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cudald/file_system.h>

#include "tree/path_tree.h"

namespace cudald {

/// A tree of nothing but its root.
class EmptyTree final : public FileSystem {
 public:
  Result<FileStatus> status(const std::string& path) const override;
  Result<std::unique_ptr<File>> open(const std::string& path) const override;
  Result<std::string> real_path(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override;

 private:
  PathTree root_;  ///< so that paths are read, and refused, as in every tree
};

}  // namespace cudald
