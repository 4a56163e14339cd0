#include "tree/path_tree.h"

#include <cerrno>

#include "base/path.h"
#include "tree/system_error.h"

namespace cudald {
namespace {

constexpr int most_links = 40;
constexpr std::size_t longest_name = 255;  // NAME_MAX
constexpr std::uint64_t node_bytes = 160;  // of one in a map, with what it owns

PathTree::Node make_folder() {
  PathTree::Node node;
  node.folder = std::make_unique<PathTree::Folder>();
  return node;
}

PathTree::Node copy_of(const PathTree::Node& node) {
  PathTree::Node copy{node.kind, node.number, nullptr};
  if (node.folder == nullptr) return copy;
  copy.folder = std::make_unique<PathTree::Folder>();
  auto& names = copy.folder->names;
  for (const auto& [name, inner] : node.folder->names) names.emplace_hint(names.end(), name, copy_of(inner));
  return copy;
}

}  // namespace

PathTree::PathTree() : root_(make_folder()) {}

PathTree::PathTree(const PathTree& other) : PathTree() { *this = other; }

PathTree& PathTree::operator=(const PathTree& other) {
  if (this == &other) return *this;
  root_ = copy_of(other.root_);
  recent_ = {};
  budget_.take_over(other.budget_);
  targets_ = other.targets_;
  return *this;
}

/// Goes along a path from the root, one name at a time.
class PathTree::Walk {
 public:
  Walk(const PathTree& tree, std::string_view path) : tree_(tree), above_{&tree.root_} { push(path); }

  bool at_end() const { return todo_.empty(); }
  const Node* node() const { return above_.back(); }
  const std::string& resolved() const { return resolved_; }
  /// The name that take() could not find.
  const std::string& name() const { return name_; }
  /// Whether that name stands in a link's target.
  bool in_link() const { return todo_.size() >= outside_links_; }

  /// Takes the next name; 0, or the errno.
  int take(bool follow_last) {
    name_ = std::move(todo_.back());
    todo_.pop_back();
    if (todo_.size() < outside_links_) outside_links_ = no_link;
    if (above_.back()->kind != Kind::folder) return ENOTDIR;
    if (name_ == "..") {
      if (above_.size() == 1) return 0;
      above_.pop_back();
      resolved_.resize(resolved_.rfind('/'));
      return 0;
    }
    if (name_.size() > longest_name) return ENAMETOOLONG;
    const auto& names = above_.back()->folder->names;
    const auto found = names.find(name_);
    if (found == names.end()) return ENOENT;
    const auto& node = found->second;
    if (node.kind == Kind::link && (follow_last || !todo_.empty())) return follow(tree_.targets_[node.number]);
    enter(node);
    return 0;
  }

  void enter(const Node& node) {
    above_.push_back(&node);
    (resolved_ += '/') += name_;
  }

 private:
  static constexpr std::size_t no_link = SIZE_MAX;

  int follow(const std::string& target) {
    if (++links_ > most_links) return ELOOP;
    if (outside_links_ == no_link) outside_links_ = todo_.size();
    if (target.starts_with('/')) {
      above_.resize(1);
      resolved_.clear();
    }
    push(target);
    return 0;
  }

  void push(std::string_view text) {
    const auto parts = split(text, "/");
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      if (!part->empty() && *part != ".") todo_.emplace_back(*part);
  }

  const PathTree& tree_;
  std::vector<std::string> todo_;  ///< names, the next one last
  std::vector<const Node*> above_;
  std::string resolved_, name_;
  std::size_t outside_links_ = no_link;  ///< how many of todo_ were there when a link was met
  int links_ = 0;
};

Result<PathTree::Place> PathTree::find(std::string_view path, bool follow_last) const {
  Walk walk(*this, path);
  while (!walk.at_end())
    if (const auto number = walk.take(follow_last)) return error_of_errno(number, path);
  return Place{walk.node(), walk.resolved().empty() ? "/" : walk.resolved()};
}

PathTree::Node* PathTree::existing(std::string_view path, bool follow_last) {
  const auto place = find(path, follow_last);
  return place ? const_cast<Node*>(place->node) : nullptr;
}

bool PathTree::enter_parent(std::string_view path) {
  if (recent_.node != nullptr && recent_.path == path) return budget_.step(recent_.steps);
  recent_.node = nullptr;
  Walk walk(*this, path);
  std::size_t steps = 0;
  while (!walk.at_end()) {
    if (!budget_.step()) return false;
    ++steps;
    const auto number = walk.take(true);
    if (number == 0) continue;
    // A link that leads nowhere is in the way, as it would be on a disk.
    if (number != ENOENT || walk.in_link()) return false;
    const auto length = walk.resolved().size() + 1 + walk.name().size();
    if (length > longest_path || !budget_.keep(node_bytes + length)) return false;
    auto& above = *const_cast<Node*>(walk.node());
    walk.enter(above.folder->names[walk.name()] = make_folder());
  }
  recent_ = {std::string(path), const_cast<Node*>(walk.node()), walk.resolved().size(), steps};
  return true;
}

PathTree::Node* PathTree::put(std::string_view path, Kind kind) {
  const auto plain = normal_path(path);
  const auto name = file_name(plain);
  if (name.empty()) return kind == Kind::folder ? &root_ : nullptr;
  for (const auto part : split(plain, "/"))
    if (part.size() > longest_name) return nullptr;
  if (!enter_parent(parent_path(plain))) return nullptr;
  auto* above = recent_.node;
  const auto length = recent_.resolved_size + 1 + name.size();
  if (above->kind != Kind::folder || length > longest_path) return nullptr;
  const auto [place, is_new] = above->folder->names.try_emplace(std::string(name));
  auto& node = place->second;
  if (is_new && !budget_.keep(node_bytes + length)) {
    above->folder->names.erase(place);
    return nullptr;
  }
  if (!is_new && node.kind == Kind::folder && kind == Kind::folder) return &node;
  // Paths may lead elsewhere now.
  if (!is_new) recent_.node = nullptr;
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
  if (target.size() > longest_path || !budget_.keep(target.size())) return false;
  auto* node = put(path, Kind::link);
  if (node == nullptr) return false;
  node->number = static_cast<std::uint32_t>(targets_.size());
  targets_.push_back(std::move(target));
  return true;
}

bool PathTree::add_other(std::string_view path) { return put(path, Kind::other) != nullptr; }

void PathTree::remove(std::string_view path) {
  recent_.node = nullptr;
  const auto plain = normal_path(path);
  auto* above = existing(parent_path(plain), true);
  if (above != nullptr && above->kind == Kind::folder) above->folder->names.erase(std::string(file_name(plain)));
}

void PathTree::clear(std::string_view path) {
  recent_.node = nullptr;
  auto* node = existing(path, true);
  if (node != nullptr && node->kind == Kind::folder) node->folder->names.clear();
}

std::vector<std::string> PathTree::names_in(const Node& folder) {
  std::vector<std::string> names;
  for (const auto& [name, node] : folder.folder->names) names.push_back(name);
  return names;
}

}  // namespace cudald
