#include "common/memory_file_system.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/path.h"
#include "base/refusals.h"

namespace cudald {
namespace {

Error error_from_errno(int number, const std::string& path) {
  const bool absent = number == ENOENT || number == ENOTDIR;
  return {absent ? ErrorCode::absent : ErrorCode::unreadable, std::strerror(number), path, std::nullopt, number};
}

}  // namespace

struct MemoryFileSystem::Log {
  std::mutex mutex;
  std::vector<std::string> lines;
};

struct MemoryFileSystem::Node {
  FileStatus status;
  FileTraits traits;
  std::string bytes;
  std::string link_target;  ///< of a symbolic link; else empty
  bool closed = false;
  std::map<std::string, std::shared_ptr<Node>> entries;
};

class MemoryFileSystem::MemoryFile final : public File {
 public:
  explicit MemoryFile(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

  const FileStatus& status() const override { return node_->status; }
  MountFlags mount() const override { return {node_->traits.no_exec, node_->traits.no_set_id}; }
  std::string capabilities() const override { return node_->traits.capabilities; }

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (node_->traits.broken_disk) {
      auto error = error_from_errno(EIO, "");
      note_refusal(error);
      return error;
    }
    const std::string& bytes = node_->bytes;
    if (offset >= bytes.size()) return std::size_t{0};
    const auto length = std::min<std::uint64_t>(into.size(), bytes.size() - offset);
    if (length != 0) std::memcpy(into.data(), bytes.data() + offset, length);
    return std::size_t{length};
  }

 private:
  std::shared_ptr<const Node> node_;
};

MemoryFileSystem::MemoryFileSystem() : root_(new_node(FileKind::folder)), log_(std::make_shared<Log>()) {}

MemoryFileSystem::~MemoryFileSystem() = default;

std::shared_ptr<MemoryFileSystem::Node> MemoryFileSystem::new_node(FileKind kind) {
  auto node = std::make_shared<Node>();
  node->status.kind = kind;
  node->status.id = {1, ++nodes_};
  node->status.changed = ++changes_;
  return node;
}

MemoryFileSystem::Node& MemoryFileSystem::make_folder(const std::string& path) {
  Node* folder = root_.get();
  for (const auto part : split(path, "/")) {
    if (part.empty()) continue;
    auto& entry = folder->entries[std::string(part)];
    if (!entry) {
      entry = new_node(FileKind::folder);
      folder->status.changed = ++changes_;
    }
    assert(entry->status.kind == FileKind::folder && entry->link_target.empty());
    folder = entry.get();
  }
  return *folder;
}

MemoryFileSystem::Node& MemoryFileSystem::put(const std::string& path, std::shared_ptr<Node> node) {
  auto& folder = make_folder(std::string(parent_path(path)));
  folder.status.changed = ++changes_;
  auto& entry = folder.entries[std::string(file_name(path))];
  entry = std::move(node);
  return *entry;
}

void MemoryFileSystem::add_file(const std::string& path, std::string bytes, FileTraits traits) {
  Node& file = put(path, new_node(FileKind::regular));
  file.bytes = std::move(bytes);
  file.status.size = traits.claimed_size.value_or(file.bytes.size());
  file.status.executable = traits.executable;
  file.status.set_user_id = traits.set_user_id;
  file.status.set_group_id = traits.set_group_id;
  file.status.owner = traits.owner;
  file.status.group = traits.group;
  file.status.changed = traits.changed.value_or(file.status.changed);
  file.traits = traits;
}

void MemoryFileSystem::add_folder(const std::string& path) { make_folder(path); }

void MemoryFileSystem::add_symlink(const std::string& path, const std::string& target) {
  put(path, new_node(FileKind::other)).link_target = target;
}

void MemoryFileSystem::add_hard_link(const std::string& path, const std::string& existing) {
  const auto found = find(existing);
  assert(found);
  put(path, found->node);
}

void MemoryFileSystem::add_special(const std::string& path) { put(path, new_node(FileKind::other)); }

void MemoryFileSystem::close_folder(const std::string& path) { make_folder(path).closed = true; }

/// Walks the path one name at a time, as path_resolution(7) says.
Result<MemoryFileSystem::Place> MemoryFileSystem::find(const std::string& path) const {
  constexpr int most_links = 40;
  constexpr std::size_t longest_path = 4095, longest_name = 255;
  if (path.empty()) return error_from_errno(ENOENT, path);
  if (path.size() > longest_path) return error_from_errno(ENAMETOOLONG, path);
  std::vector<std::string> todo;
  const auto push = [&todo](std::string_view text) {
    const auto parts = split(text, "/");
    if (text.ends_with('/')) todo.emplace_back(".");  // so that it must be a folder
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      if (!part->empty()) todo.emplace_back(*part);
  };
  push(path);
  std::vector<Place> above{{root_, ""}};
  int links = 0;
  while (!todo.empty()) {
    const std::string name = std::move(todo.back());
    todo.pop_back();
    const Place here = above.back();
    if (here.node->status.kind != FileKind::folder) return error_from_errno(ENOTDIR, path);
    if (here.node->closed) return error_from_errno(EACCES, path);
    if (name == ".") continue;
    if (name == "..") {
      if (above.size() > 1) above.pop_back();
      continue;
    }
    if (name.size() > longest_name) return error_from_errno(ENAMETOOLONG, path);
    const auto entry = here.node->entries.find(name);
    if (entry == here.node->entries.end()) return error_from_errno(ENOENT, path);
    const std::string& target = entry->second->link_target;
    if (target.empty()) {
      above.push_back({entry->second, here.path + "/" + name});
      continue;
    }
    if (++links > most_links) return error_from_errno(ELOOP, path);
    if (target.starts_with('/')) above.resize(1);
    push(target);
  }
  if (above.back().path.empty()) above.back().path = "/";
  return above.back();
}

Result<FileStatus> MemoryFileSystem::status(const std::string& path) const {
  note("status", path);
  const auto found = find(path);
  if (!found) return found.error();
  return found->node->status;
}

Result<std::unique_ptr<File>> MemoryFileSystem::open(const std::string& path) const {
  note("open", path);
  const auto found = find(path);
  if (!found) return found.error();
  if (found->node->status.kind == FileKind::folder) return error_from_errno(EISDIR, path);
  if (found->node->status.kind == FileKind::other) return error_from_errno(EINVAL, path);
  if (!found->node->traits.readable) return error_from_errno(EACCES, path);
  return std::unique_ptr<File>(std::make_unique<MemoryFile>(found->node));
}

Result<std::string> MemoryFileSystem::real_path(const std::string& path) const {
  const auto found = find(path);
  if (!found) return found.error();
  return found->path;
}

Result<std::vector<std::string>> MemoryFileSystem::list(const std::string& path) const {
  note("list", path);
  const auto found = find(path);
  if (!found) return found.error();
  if (found->node->status.kind != FileKind::folder) return error_from_errno(ENOTDIR, path);
  std::vector<std::string> names;
  for (const auto& [name, node] : found->node->entries) names.push_back(name);
  return names;
}

void MemoryFileSystem::note(const char* what, const std::string& path) const {
  const std::lock_guard lock(log_->mutex);
  log_->lines.push_back(std::string(what) + " " + path);
}

std::vector<std::string> MemoryFileSystem::take_log() const {
  const std::lock_guard lock(log_->mutex);
  return std::exchange(log_->lines, {});
}

}  // namespace cudald
