#include "net/remote_tree.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "base/path.h"
#include "fs/member_file.h"
#include "fs/zip_directory.h"

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

}  // namespace

std::string RemoteTree::add(const std::string& name, RemotePlace place) {
  auto path = fmt::format("/.online/{}/{}", entries_.size(), name);
  numbers_[path] = entries_.size();
  place.id = {device_of_servers, entries_.size()};
  entries_.push_back({std::move(place), std::nullopt});
  return path;
}

Result<std::shared_ptr<RemoteFile>> RemoteTree::open_entry(const std::string& path, std::size_t number) const {
  auto file = RemoteFile::open(transport_, entries_[number].place, policy_);
  if (file && path.ends_with(".whl"))
    if (const auto directory = read_zip_directory(**file)) (*file)->set_borders(borders_of(*directory));
  return file;
}

Result<std::shared_ptr<RemoteFile>> RemoteTree::file_of(const std::string& path, std::size_t number) const {
  const std::lock_guard lock(mutex_);
  const auto& entry = entries_[number];
  if (!entry.file) entry.file = open_entry(path, number);
  return *entry.file;
}

void RemoteTree::open_all() const {
  const std::lock_guard lock(mutex_);
  const std::vector<std::pair<std::string, std::size_t>> all(numbers_.begin(), numbers_.end());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (auto i = next++; i < all.size(); i = next++)
      if (!entries_[all[i].second].file) entries_[all[i].second].file = open_entry(all[i].first, all[i].second);
  };
  constexpr std::size_t most_connections = 6;
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(most_connections, all.size()); ++i) threads.emplace_back(work);
  work();
}

Result<FileStatus> RemoteTree::status(const std::string& path) const {
  const auto found = numbers_.find(path);
  if (found == numbers_.end()) return base_.status(path);
  const auto file = file_of(path, found->second);
  if (!file) return file.error();
  return (*file)->status();
}

Result<std::unique_ptr<File>> RemoteTree::open(const std::string& path) const {
  const auto found = numbers_.find(path);
  if (found == numbers_.end()) return base_.open(path);
  const auto file = file_of(path, found->second);
  if (!file) return file.error();
  return share_file(*file);
}

Result<std::string> RemoteTree::real_path(const std::string& path) const {
  return numbers_.contains(path) ? Result<std::string>(path) : base_.real_path(path);
}

Result<std::vector<std::string>> RemoteTree::list(const std::string& path) const { return base_.list(path); }

RemoteCost RemoteTree::cost() const {
  const std::lock_guard lock(mutex_);
  RemoteCost sum;
  for (const auto& entry : entries_)
    if (entry.file && *entry.file) {
      const auto cost = (**entry.file)->cost();
      sum.requests += cost.requests;
      sum.bytes += cost.bytes;
    }
  return sum;
}

bool RemoteTree::keep() const {
  const std::lock_guard lock(mutex_);
  bool good = true;
  for (const auto& entry : entries_)
    if (entry.file && *entry.file) good = (**entry.file)->keep() && good;
  return good;
}

}  // namespace cudald
