#include "session/changed_tree.h"

#include <algorithm>
#include <cerrno>

#include "base/path.h"

namespace cudald {
namespace {

Error no_such_file(const std::string& path) {
  return {ErrorCode::absent, "No such file or directory", path, std::nullopt, ENOENT};
}

}  // namespace

void ChangedTree::put(const std::string& path, const std::string& source) {
  gone_.erase(normal_path(path));
  put_[normal_path(path)] = source;
}

void ChangedTree::take_away(const std::string& path) {
  put_.erase(normal_path(path));
  gone_.insert(normal_path(path));
}

const std::string* ChangedTree::source_of(const std::string& path) const {
  const auto found = put_.empty() ? put_.end() : put_.find(normal_path(path));
  return found == put_.end() ? nullptr : &found->second;
}

bool ChangedTree::is_gone(const std::string& path) const { return !gone_.empty() && gone_.contains(normal_path(path)); }

Result<FileStatus> ChangedTree::status(const std::string& path) const {
  if (is_gone(path)) return no_such_file(path);
  const auto* source = source_of(path);
  return base_.status(source == nullptr ? path : *source);
}

Result<std::unique_ptr<File>> ChangedTree::open(const std::string& path) const {
  if (is_gone(path)) return no_such_file(path);
  const auto* source = source_of(path);
  return base_.open(source == nullptr ? path : *source);
}

Result<std::string> ChangedTree::real_path(const std::string& path) const {
  if (is_gone(path)) return no_such_file(path);
  return source_of(path) == nullptr ? base_.real_path(path) : normal_path(path);
}

Result<std::vector<std::string>> ChangedTree::list(const std::string& path) const {
  auto names = base_.list(path);
  if (!names) return names;
  const auto folder = normal_path(path);
  std::erase_if(*names, [&](const std::string& name) { return is_gone(folder + "/" + name); });
  for (const auto& [added, source] : put_)
    if (parent_path(added) == folder) names->emplace_back(file_name(added));
  std::sort(names->begin(), names->end());
  names->erase(std::unique(names->begin(), names->end()), names->end());
  return names;
}

bool ChangedTree::has_name(const std::string& path) const {
  return !is_gone(path) && (source_of(path) != nullptr || base_.has_name(path));
}

}  // namespace cudald
