#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// Names of a read-only tree in memory: folders, files that the owner knows by a number, and symbolic links, which are
/// followed as the kernel follows them in a root of its own (path_resolution(7)).
class PathTree {
 public:
  enum class Kind : std::uint8_t { folder, file, link, other };
  struct Folder;
  struct Node {
    Kind kind = Kind::folder;
    std::uint32_t number = 0;  ///< of a file, as the owner counts them; of a link, which target
    std::unique_ptr<Folder> folder;
  };
  struct Folder {
    std::map<std::string, Node, std::less<>> names;
  };
  struct Place {
    const Node* node = nullptr;
    std::string path;  ///< without links
  };

  PathTree();

  // Each makes the folders above where they are missing, through links to folders, and replaces what has the name,
  // but a folder by a folder. False if something above is no folder.
  bool add_folder(std::string_view path);
  bool add_file(std::string_view path, std::uint32_t number);
  bool add_link(std::string_view path, std::string target);
  bool add_other(std::string_view path);

  /// Removes the name, and what is below it; a link is not followed.
  void remove(std::string_view path);
  /// Removes what is in the folder.
  void clear(std::string_view path);

  /// What the path leads to; with `follow_last` false a link at its end is not followed. Errors carry errno.
  Result<Place> find(std::string_view path, bool follow_last = true) const;
  /// The names in a folder, sorted.
  static std::vector<std::string> names_in(const Node& folder);

 private:
  Node* put(std::string_view path, Kind);
  Node* existing(std::string_view path, bool follow_last);

  Node root_;
  std::vector<std::string> targets_;
};

/// The Error of a look-up in a tree that is no disk.
Error error_of_errno(int number, std::string_view path);

}  // namespace cudald
