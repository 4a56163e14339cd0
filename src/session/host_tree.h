#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/linux_host_file.h>

#include "tree/path_tree.h"

namespace cudald {

/// The files of a described machine: its libraries, which hold no bytes but those that loaders look for, its folders
/// and links, and over them single files that lie elsewhere and are taken to lie there at the same path.
class HostTree final : public FileSystem {
 public:
  /// Both must outlive it.
  HostTree(const LinuxHostFile&, const FileSystem& given);

  /// Makes a file or folder of the given tree visible, a file also by the link that leads to it.
  void add_given_file(const std::string& path);
  void add_given_folder(const std::string& path) { given_folders_.push_back(path); }

  /// The identity of a library of the description.
  static FileId id_of(std::size_t library);
  /// Whether the description has more than is kept of one.
  bool exhausted() const { return tree_.budget().exhausted(); }
  /// Whether the description has a file of that path.
  bool describes(const std::string& path) const;

  Result<FileStatus> status(const std::string& path) const override;
  Result<std::unique_ptr<File>> open(const std::string& path) const override;
  Result<std::string> real_path(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override;

 private:
  /// A file: a library with the texts that are looked for in it, a text alone, or one of the given tree.
  struct Entry {
    enum class Kind { library, text, given } kind = Kind::text;
    FileStatus status;
    std::string text;  ///< or the path in the given tree
  };

  void add_library(std::size_t number);
  void add_text(const std::string& path, std::string text);
  bool is_given(const std::string& path) const;
  MountFlags mount_of(const std::string& real_path) const;
  Result<FileStatus> status_of(const PathTree::Node&) const;

  const LinuxHostFile& host_;
  const FileSystem& given_;
  const std::int64_t changed_;  ///< of what is described: long ago, if another description is told from it by its name
  PathTree tree_;
  std::vector<Entry> entries_;  ///< the files of the tree, by number
  std::vector<std::string> given_folders_;
};

}  // namespace cudald
