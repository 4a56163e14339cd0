#include "machine/windows_tree.h"

#include <algorithm>

#include "base/path.h"
#include "base/windows_path.h"

namespace cudald {
namespace {

/// Whether `path` is `folder` or lies below it.
bool is_within(std::string_view path, std::string_view folder, std::string_view slash) {
  return path.starts_with(folder) && (path.size() == folder.size() || slash.find(path[folder.size()]) != slash.npos);
}

}  // namespace

std::optional<std::string> WindowsTree::find(const std::string& windows_path) {
  const std::string name(windows_file_name(windows_path));
  if (name.empty()) return folder(windows_folder(windows_path));
  const auto parent = folder(windows_folder(windows_path));
  if (!parent) return std::nullopt;
  const auto& names = images_.list(*parent);
  const auto base = *parent == "/" ? *parent : *parent + "/";
  if (std::binary_search(names.begin(), names.end(), name)) return base + name;
  const auto wanted = folded(name);
  for (const auto& entry : names)
    if (folded(entry) == wanted) return base + entry;
  // A directory may be passed through that cannot be listed: that of a server, or of another user.
  if (names.empty() && images_.files().status(base + name)) return base + name;
  return std::nullopt;
}

std::optional<std::string> WindowsTree::folder(const std::string& windows_path) {
  auto key = folded(windows_path);
  std::replace(key.begin(), key.end(), '/', '\\');
  while (key.size() > 2 && key.back() == '\\') key.pop_back();
  if (const auto known = folders_.find(key); known != folders_.end()) return known->second;
  std::optional<std::string> found;
  for (const auto& mount : host_.mounts)
    if (!found && folded(mount.path) == key) found = mount.folder;
  if (!found && key.find('\\') != std::string::npos) found = find(key);
  if (found && !images_.folder_exists(*found)) found.reset();
  folders_[key] = found;
  return found;
}

std::string WindowsTree::spelled(const std::string& tree_path) const {
  for (const auto& mount : host_.mounts) {
    const auto root = mount.folder == "/" ? std::string() : mount.folder;
    if (!is_within(tree_path, root, "/")) continue;
    auto path = mount.path + tree_path.substr(root.size());
    std::replace(path.begin(), path.end(), '/', '\\');
    return path;
  }
  return tree_path;
}

}  // namespace cudald
