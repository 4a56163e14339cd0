#include "fs/path_tree.h"

#include <cerrno>
#include <cstring>

#include "base/path.h"

namespace cudald {
namespace {

constexpr int most_links = 40;
constexpr std::size_t longest_name = 255;  // NAME_MAX

PathTree::Node make_folder() {
  PathTree::Node node;
  node.folder = std::make_unique<PathTree::Folder>();
  return node;
}

}  // namespace

Error error_of_errno(int number, std::string_view path) {
  const bool absent = number == ENOENT || number == ENOTDIR;
  return {absent ? ErrorCode::absent : ErrorCode::unreadable, std::strerror(number), std::string(path), std::nullopt,
          number};
}

PathTree::PathTree() : root_(make_folder()) {}

Result<PathTree::Place> PathTree::find(std::string_view path, bool follow_last) const {
  std::vector<std::string> todo;
  const auto push = [&todo](std::string_view text) {
    const auto parts = split(text, "/");
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      if (!part->empty() && *part != ".") todo.emplace_back(*part);
  };
  push(path);
  std::vector<const Node*> above{&root_};
  std::string resolved;
  int links = 0;
  while (!todo.empty()) {
    const auto part = std::move(todo.back());
    todo.pop_back();
    if (above.back()->kind != Kind::folder) return error_of_errno(ENOTDIR, path);
    if (part == "..") {
      if (above.size() == 1) continue;
      above.pop_back();
      resolved.resize(resolved.rfind('/'));
      continue;
    }
    if (part.size() > longest_name) return error_of_errno(ENAMETOOLONG, path);
    const auto& names = above.back()->folder->names;
    const auto found = names.find(part);
    if (found == names.end()) return error_of_errno(ENOENT, path);
    const auto& node = found->second;
    if (node.kind == Kind::link && (follow_last || !todo.empty())) {
      if (++links > most_links) return error_of_errno(ELOOP, path);
      const auto& target = targets_[node.number];
      if (target.starts_with('/')) {
        above.resize(1);
        resolved.clear();
      }
      push(target);
      continue;
    }
    above.push_back(&node);
    (resolved += '/') += part;
  }
  return Place{above.back(), resolved.empty() ? "/" : resolved};
}

PathTree::Node* PathTree::existing(std::string_view path, bool follow_last) {
  const auto place = find(path, follow_last);
  return place ? const_cast<Node*>(place->node) : nullptr;
}

PathTree::Node* PathTree::put(std::string_view path, Kind kind) {
  const auto plain = normal_path(path);
  const auto name = file_name(plain);
  if (name.empty()) return kind == Kind::folder ? &root_ : nullptr;
  if (name.size() > longest_name) return nullptr;
  auto* above = existing(parent_path(plain), true);
  if (above == nullptr) {
    // A link that leads nowhere is in the way, as it would be on a disk.
    if (existing(parent_path(plain), false) != nullptr) return nullptr;
    above = put(parent_path(plain), Kind::folder);
  }
  if (above == nullptr || above->kind != Kind::folder) return nullptr;
  auto& node = above->folder->names[std::string(name)];
  if (node.kind == Kind::folder && node.folder && kind == Kind::folder) return &node;
  node.kind = kind;
  node.folder = kind == Kind::folder ? std::make_unique<Folder>() : nullptr;
  return &node;
}

bool PathTree::add_folder(std::string_view path) { return put(path, Kind::folder) != nullptr; }

bool PathTree::add_file(std::string_view path, std::uint32_t number) {
  auto* node = put(path, Kind::file);
  if (node != nullptr) node->number = number;
  return node != nullptr;
}

bool PathTree::add_link(std::string_view path, std::string target) {
  auto* node = put(path, Kind::link);
  if (node == nullptr) return false;
  node->number = static_cast<std::uint32_t>(targets_.size());
  targets_.push_back(std::move(target));
  return true;
}

bool PathTree::add_other(std::string_view path) { return put(path, Kind::other) != nullptr; }

void PathTree::remove(std::string_view path) {
  const auto plain = normal_path(path);
  auto* above = existing(parent_path(plain), true);
  if (above != nullptr && above->kind == Kind::folder) above->folder->names.erase(std::string(file_name(plain)));
}

void PathTree::clear(std::string_view path) {
  auto* node = existing(path, true);
  if (node != nullptr && node->kind == Kind::folder) node->folder->names.clear();
}

std::vector<std::string> PathTree::names_in(const Node& folder) {
  std::vector<std::string> names;
  for (const auto& [name, node] : folder.folder->names) names.push_back(name);
  return names;
}

}  // namespace cudald
