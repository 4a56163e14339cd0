#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <cudald/file_system.h>

#include "rewrite/new_file.h"

namespace cudald {

/// A tree in which some files are as they would be after an edit, and others are new; nothing is written.
class EditedTree final : public FileSystem {
 public:
  explicit EditedTree(const FileSystem& base) : base_(base) {}

  /// From now on, the file at this path (without links) is made of these pieces of what is there.
  void replace(const std::string& real_path, std::vector<Piece> pieces) { edited_[real_path] = std::move(pieces); }
  /// From now on there is this file; what is at its path is hidden.
  void add(const std::string& path, std::shared_ptr<const File> file) { added_[path] = std::move(file); }

  Result<FileStatus> status(const std::string& path) const override;
  Result<std::unique_ptr<File>> open(const std::string& path) const override;
  Result<std::string> real_path(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override { return base_.list(path); }
  bool has_name(const std::string& path) const override { return added(path) || base_.has_name(path); }

 private:
  const std::vector<Piece>* pieces_of(const std::string& path) const;
  std::shared_ptr<const File> added(const std::string& path) const;

  const FileSystem& base_;
  std::map<std::string, std::vector<Piece>> edited_;
  std::map<std::string, std::shared_ptr<const File>> added_;
};

}  // namespace cudald
