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

std::string ChangedTree::place_of(const std::string& path) const {
  const auto plain = normal_path(path);
  const auto folder = base_.real_path(std::string(parent_path(plain)));
  if (!folder) return plain;
  return (*folder == "/" ? "" : *folder) + "/" + std::string(file_name(plain));
}

void ChangedTree::put(const std::string& path, const std::string& source) {
  auto place = place_of(path);
  put_[place] = source;
  gone_.erase(place);
  while (place != "/") {
    const std::string folder(parent_path(place)), name(file_name(place));
    names_.emplace(name);
    const bool known = !added_[folder].insert(name).second;
    const bool came_back = gone_.erase(folder) > 0;
    if (known || (!came_back && is_folder(base_, folder))) return;
    place = folder;
  }
}

void ChangedTree::take_away(const std::string& path) {
  const auto place = place_of(path);
  put_.erase(place);
  if (const auto folder = added_.find(std::string(parent_path(place))); folder != added_.end())
    folder->second.erase(std::string(file_name(place)));
  gone_.insert(place);
  names_.emplace(file_name(place));
}

const std::string* ChangedTree::source_of(const std::string& path) const {
  if (put_.empty() || !names_.contains(file_name(normal_path(path)))) return nullptr;
  const auto found = put_.find(place_of(path));
  return found == put_.end() ? nullptr : &found->second;
}

bool ChangedTree::is_gone(const std::string& path) const {
  return !gone_.empty() && names_.contains(file_name(normal_path(path))) && gone_.contains(place_of(path));
}

bool ChangedTree::is_new_folder(const std::string& path) const {
  const auto plain = normal_path(path);
  return names_.contains(file_name(plain)) && added_.contains(place_of(plain)) && !base_.status(path);
}

Result<FileStatus> ChangedTree::status(const std::string& path) const {
  if (is_gone(path)) return no_such_file(path);
  if (is_new_folder(path)) return FileStatus{.kind = FileKind::folder};
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
  return source_of(path) == nullptr && !is_new_folder(path) ? base_.real_path(path) : place_of(path);
}

Result<std::vector<std::string>> ChangedTree::list(const std::string& path) const {
  if (is_gone(path)) return no_such_file(path);
  const auto real = base_.real_path(path);
  const auto folder = real ? *real : place_of(path);
  auto names = base_.list(path);
  const auto added = added_.find(folder);
  if (!names && !is_new_folder(path)) return names;
  if (!names) names = std::vector<std::string>();
  std::erase_if(*names, [&](const std::string& name) { return is_gone(folder + "/" + name); });
  if (added != added_.end()) names->insert(names->end(), added->second.begin(), added->second.end());
  std::sort(names->begin(), names->end());
  names->erase(std::unique(names->begin(), names->end()), names->end());
  return names;
}

bool ChangedTree::has_name(const std::string& path) const {
  return !is_gone(path) && (source_of(path) != nullptr || is_new_folder(path) || base_.has_name(path));
}

}  // namespace cudald
