#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include <cudald/resolution.h>

namespace cudald {

/// Finds the objects of a process by what a request may mean, where looking at each would take the square of their
/// number. What it gives still has to be looked at: an object may be unmapped since.
class ObjectIndex {
 public:
  /// Takes in the objects that have come since.
  void update(const std::vector<Object>&);
  /// A name that an object has got besides.
  void add_name(const std::string&, ObjectId);

  /// Those that have it as a name, as a soname or as the path by which they were loaded, in order; others may be among
  /// them.
  const std::vector<ObjectId>& named(const std::string&) const;
  /// Those that were made of the file, in order.
  const std::vector<ObjectId>& of_file(const FileId&) const;

 private:
  struct IdHash {
    std::size_t operator()(const FileId& id) const { return id.inode * 31 + id.device; }
  };

  std::size_t size_ = 0;
  std::unordered_map<std::size_t, std::vector<ObjectId>> by_name_;  ///< by its hash
  std::unordered_map<FileId, std::vector<ObjectId>, IdHash> by_file_;
};

}  // namespace cudald
