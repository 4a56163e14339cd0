#pragma once

#include <string>
#include <vector>

#include <cudald/file_system.h>

#include "fs/archive.h"
#include "fs/path_tree.h"

namespace cudald {

/// Files of which only the names are known, by number: they can be found, and hold nothing that could be read.
class NamesOnly final : public Archive {
 public:
  explicit NamesOnly(std::vector<std::string> names) : names_(std::move(names)) {}

  std::string_view name(std::size_t member) const override { return names_[member]; }
  FileStatus status(std::size_t member) const override;
  Result<std::shared_ptr<const File>> open(std::size_t member, const FileStatus&,
                                           const std::string& shown) const override;

 private:
  std::vector<std::string> names_;
};

/// A tree of such files, of links, and of a few short texts.
class NamesTree final : public FileSystem {
 public:
  // False as PathTree has it.
  bool add_folder(const std::string& path) { return tree_.add_folder(path); }
  bool add_file(const std::string& path);
  bool add_link(const std::string& path, std::string target) { return tree_.add_link(path, std::move(target)); }
  bool add_text(const std::string& path, std::string text);

  Result<FileStatus> status(const std::string& path) const override;
  Result<std::unique_ptr<File>> open(const std::string& path) const override;
  Result<std::string> real_path(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override;

 private:
  bool add(const std::string& path, std::string text);
  FileStatus status_of(const PathTree::Node&) const;

  PathTree tree_;
  std::vector<std::string> texts_;  ///< of the files, by number; empty for those that cannot be read
};

}  // namespace cudald
