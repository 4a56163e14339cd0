#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

#include "base/budget.h"

namespace cudald {

/// What a tree of names may cost that an archive describes: its nodes, each with its whole path, as those of zips
/// count. An image of 700,000 files comes to half of that.
constexpr CostLimits path_tree_limits{.kept = std::uint64_t{256} << 20};
constexpr std::size_t longest_path = 4095;  ///< PATH_MAX without the zero at the end; of a link's target as well

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
  /// The same names, at the same cost.
  PathTree(const PathTree&);
  PathTree& operator=(const PathTree&);

  // Each makes the folders above where they are missing, through links to folders, and replaces what has the name,
  // but a folder by a folder, which keeps what is in it. False if something above is no folder, if the path is longer
  // than any that a program can open, and when the budget is spent.
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
  /// Exhausted: names are left out.
  const Budget& budget() const { return budget_; }

 private:
  class Walk;

  Node* put(std::string_view path, Kind);
  /// Makes recent_ that folder, and what is missing above it.
  bool enter_parent(std::string_view path);
  Node* existing(std::string_view path, bool follow_last);

  /// The folder that the last name was put into: archives list their files folder by folder.
  struct Recent {
    std::string path;  ///< as it was given; empty: none
    Node* node = nullptr;
    std::size_t resolved_size = 0, steps = 0;
  };

  Node root_;
  Recent recent_;
  Budget budget_{path_tree_limits};
  std::vector<std::string> targets_;
};

}  // namespace cudald
