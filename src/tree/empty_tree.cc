#include "tree/empty_tree.h"

#include <cerrno>
#include <utility>

#include "tree/system_error.h"

namespace cudald {

Result<FileStatus> EmptyTree::status(const std::string& path) const {
  const auto place = root_.find(path);
  if (!place) return place.error();
  return FileStatus{.kind = FileKind::folder, .changed = 1};
}

Result<std::unique_ptr<File>> EmptyTree::open(const std::string& path) const {
  const auto place = root_.find(path);
  if (!place) return place.error();
  return error_of_errno(EISDIR, path);
}

Result<std::string> EmptyTree::real_path(const std::string& path) const {
  auto place = root_.find(path);
  if (!place) return place.error();
  return std::move(place->path);
}

Result<std::vector<std::string>> EmptyTree::list(const std::string& path) const {
  const auto place = root_.find(path);
  if (!place) return place.error();
  return std::vector<std::string>();
}

}  // namespace cudald
