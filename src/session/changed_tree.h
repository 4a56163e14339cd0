#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// A tree in which some files were copied, linked or moved away; nothing is written. Directories of files that are put
/// are there with them.
class ChangedTree final : public FileSystem {
 public:
  explicit ChangedTree(const FileSystem& base) : base_(base) {}

  /// From now on, what is at `path` is the file that the tree below has at `source`.
  void put(const std::string& path, const std::string& source);
  /// From now on there is nothing at `path`; of a directory, it is for who has taken away all files in it.
  void take_away(const std::string& path);
  bool is_changed() const { return !put_.empty() || !gone_.empty(); }

  Result<FileStatus> status(const std::string& path) const override;
  Result<std::unique_ptr<File>> open(const std::string& path) const override;
  Result<std::string> real_path(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override;
  bool has_name(const std::string& path) const override;

 private:
  /// The path with links in its directory followed: /lib/liba.so and /usr/lib/liba.so are one file where /lib is a
  /// link.
  std::string place_of(const std::string& path) const;
  const std::string* source_of(const std::string& path) const;
  bool is_gone(const std::string& path) const;
  /// Whether a path is a directory that the tree below lacks.
  bool is_new_folder(const std::string& path) const;

  const FileSystem& base_;
  std::map<std::string, std::string> put_;
  std::map<std::string, std::set<std::string>> added_;  ///< by directory: names that are put there
  std::set<std::string> gone_;
  /// Of all of these, without directories: of other files nothing is followed.
  std::set<std::string, std::less<>> names_;
};

}  // namespace cudald
