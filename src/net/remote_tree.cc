#include "net/remote_tree.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "archive/member_file.h"
#include "archive/zip_directory.h"
#include "base/path.h"
#include "cache/cached_file.h"

namespace cudald {
namespace {

constexpr std::uint64_t device_of_servers = 0xc0dA1d0000000001;

/// Libraries are read whole or not at all, and what else is large mostly not; reading ahead ends where one begins or
/// ends.
std::vector<std::uint64_t> borders_of(const ZipDirectory& directory) {
  std::vector<std::uint64_t> borders;
  for (const auto& member : directory.members()) {
    const auto name = file_name(member.name);
    const bool library = name.find(".so") != std::string_view::npos || name.ends_with(".dll") ||
                         name.ends_with(".pyd") || name.ends_with(".exe");
    constexpr std::uint64_t large = 32 << 10;
    if (!library && member.compressed_size < large) continue;
    borders.push_back(member.header_offset);
    borders.push_back(member.end_limit);
  }
  borders.push_back(directory.start());
  std::sort(borders.begin(), borders.end());
  return borders;
}

/// Whether a file is that of which something is kept. From now on it is.
bool is_kept_of(KeptArchive& kept, const File& file) {
  const auto size = file.status().size;
  const auto end = end_of(file);
  if (kept.size().value_or(size) != size || kept.contradicts(0, size - end.size(), end)) return false;
  kept.set_size(size);
  kept.add(0, size - end.size(), end);
  return true;
}

/// Where its members begin; an error if it is not what its name says, but what a server sends in its place, as a page
/// that asks for a login.
Result<std::optional<std::vector<std::uint64_t>>> borders_of_archive(const File& file, const std::string& path) {
  if (!path.ends_with(".whl") && !path.ends_with(".conda")) return std::optional<std::vector<std::uint64_t>>();
  const auto directory = read_zip_directory(file);
  if (!directory && directory.error().code == ErrorCode::unreadable) return directory.error();
  if (!directory || directory->problems().any_fatal())
    return Error{ErrorCode::malformed, "the server sends something else than an archive", path, std::nullopt, 0};
  return std::optional(borders_of(*directory));
}

}  // namespace

std::string RemoteTree::add(const std::string& name, RemotePlace place, KeptPlace kept) {
  const auto number = entries_.size();
  auto path = fmt::format("/.online/{}/{}", number, name);
  numbers_[path] = number;
  auto& entry = *entries_.emplace_back(std::make_unique<Entry>());
  entry.path = path;
  entry.place = std::move(place);
  entry.place.id = {device_of_servers, number};
  entry.kept_place = std::move(kept);
  return path;
}

Result<std::shared_ptr<const File>> RemoteTree::reach(Entry& entry) const {
  auto file = RemoteFile::open(transport_, entry.place, policy_);
  if (!file) return file.error();
  auto borders = borders_of_archive(**file, entry.path);
  if (!borders) return borders.error();
  if (*borders) (*file)->set_borders(std::move(**borders));
  if (entry.kept && !is_kept_of(*entry.kept, **file)) {
    entry.kept->forget_all();
    return Error{ErrorCode::malformed, "the file on the server is not the one that was kept; ask again", entry.path,
                 std::nullopt, 0};
  }
  const std::lock_guard lock(entry.remote_mutex);
  entry.remote = *file;
  return std::shared_ptr<const File>(std::move(*file));
}

Result<std::shared_ptr<const File>> RemoteTree::open_entry(Entry& entry) const {
  if (entry.kept_place.key.empty()) return reach(entry);
  entry.kept = KeptArchive::open(entry.kept_place.path, entry.kept_place.key);
  FileStatus status;
  status.kind = FileKind::regular;
  status.id = entry.place.id;
  if (const auto size = entry.kept->size()) {
    status.size = *size;
    return std::shared_ptr<const File>(
        std::make_shared<KeptFile>(entry.kept, 0, status, false, [this, &entry] { return reach(entry); }));
  }
  const auto file = reach(entry);
  if (!file) return file;
  status.size = (*file)->status().size;
  return std::shared_ptr<const File>(std::make_shared<KeptFile>(entry.kept, 0, status, false, [file] { return file; }));
}

Result<std::shared_ptr<const File>> RemoteTree::file_of(std::size_t number) const {
  const std::lock_guard lock(mutex_);
  auto& entry = *entries_[number];
  if (!entry.file) entry.file = open_entry(entry);
  return *entry.file;
}

void RemoteTree::open_all() const {
  const std::lock_guard lock(mutex_);
  const auto& all = entries_;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (auto i = next++; i < all.size(); i = next++)
      if (!all[i]->file) all[i]->file = open_entry(*all[i]);
  };
  constexpr std::size_t most_connections = 6;
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(most_connections, all.size()); ++i) threads.emplace_back(work);
  work();
}

Result<FileStatus> RemoteTree::status(const std::string& path) const {
  const auto found = numbers_.find(path);
  if (found == numbers_.end()) return base_.status(path);
  const auto file = file_of(found->second);
  if (!file) return file.error();
  return (*file)->status();
}

Result<std::unique_ptr<File>> RemoteTree::open(const std::string& path) const {
  const auto found = numbers_.find(path);
  if (found == numbers_.end()) return base_.open(path);
  const auto file = file_of(found->second);
  if (!file) return file.error();
  return share_file(*file);
}

Result<std::string> RemoteTree::real_path(const std::string& path) const {
  return numbers_.contains(path) ? Result<std::string>(path) : base_.real_path(path);
}

Result<std::vector<std::string>> RemoteTree::list(const std::string& path) const { return base_.list(path); }

RemoteCost RemoteTree::cost() const {
  RemoteCost sum;
  for (const auto& entry : entries_) {
    const std::lock_guard lock(entry->remote_mutex);
    if (!entry->remote) continue;
    const auto cost = entry->remote->cost();
    sum.requests += cost.requests;
    sum.bytes += cost.bytes;
  }
  return sum;
}

bool RemoteTree::keep() const {
  const std::lock_guard lock(mutex_);
  bool good = true;
  for (const auto& entry : entries_) {
    if (!entry->kept) continue;
    if (entry->remote && entry->remote->is_broken()) entry->kept->forget_all();
    good = entry->kept->save() && good;
  }
  return good;
}

}  // namespace cudald
