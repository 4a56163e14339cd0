#include "tree/watched_tree.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tree/disk.h"

namespace cudald {
namespace {

std::int64_t now_in_nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

constexpr int unknown_error = -1;
constexpr std::int64_t long_ago = 1;

int number_of(const Error& error) { return error.system_error == 0 ? unknown_error : error.system_error; }

template <typename Said, typename T>
Said said_of(const std::string& path, const Result<T>& answer) {
  if (!answer) return {path, number_of(answer.error())};
  return {path, 0, *answer};
}

TreeSaid::Status status_said(const std::string& path, const Result<FileStatus>& status) {
  // What is put into a folder changes all the rest of it.
  if (status && status->kind == FileKind::folder) return {path, 0, {.kind = FileKind::folder}};
  return said_of<TreeSaid::Status>(path, status);
}

TreeSaid::Status list_said(const std::string& path, const Result<FileStatus>& folder) {
  return said_of<TreeSaid::Status>(path, folder);
}

TreeSaid::RealPath real_path_said(const std::string& path, const Result<std::string>& real) {
  return said_of<TreeSaid::RealPath>(path, real);
}

template <typename Said>
std::vector<Said> values_of(const std::map<std::string, Said>& by_path) {
  std::vector<Said> all;
  all.reserve(by_path.size());
  for (const auto& entry : by_path) all.push_back(entry.second);
  return all;
}

}  // namespace

bool TreeSaid::holds(const FileSystem& files) const {
  const auto all = [](const auto& said, const auto& again) {
    return std::all_of(said.begin(), said.end(), [&](const auto& one) { return again(one.path) == one; });
  };
  return all(statuses, [&](const auto& path) { return status_said(path, files.status(path)); }) &&
         all(lists, [&](const auto& path) { return list_said(path, files.status(path)); }) &&
         all(real_paths, [&](const auto& path) { return real_path_said(path, files.real_path(path)); });
}

WatchedTree::WatchedTree(const FileSystem& base, std::function<bool(const std::string&)> known)
    : base_(base), known_(std::move(known)), begun_(now_in_nanoseconds()) {}

/// `changed`: when what was said did. A file that changed just now may change again unnoticed.
template <typename Said>
void WatchedTree::note(std::map<std::string, Said>& into, Said said, std::int64_t changed) const {
  const auto& noted = into.try_emplace(said.path, said).first->second;
  const bool seen = changed != 0 && changed + longest_clock_tick(changed) <= begun_;
  if (noted != said || said.error == unknown_error || !seen) tells_changes_ = false;
}

Result<FileStatus> WatchedTree::status(const std::string& path) const {
  auto status = base_.status(path);
  const bool is_file = status && status->kind != FileKind::folder;
  if (!known_(path)) note(statuses_, status_said(path, status), is_file ? status->changed : long_ago);
  return status;
}

Result<std::unique_ptr<File>> WatchedTree::open(const std::string& path) const {
  auto file = base_.open(path);
  if (known_(path)) return file;
  if (file) {
    const auto& status = (*file)->status();
    note(statuses_, status_said(path, status), status.changed);
  } else if (const auto status = this->status(path); status && status->kind == FileKind::regular) {
    tells_changes_ = false;  // who may read it is not noted
  }
  return file;
}

Result<std::string> WatchedTree::real_path(const std::string& path) const {
  auto real = base_.real_path(path);
  if (!known_(path)) note(real_paths_, real_path_said(path, real), long_ago);
  return real;
}

Result<std::vector<std::string>> WatchedTree::list(const std::string& path) const {
  if (known_(path)) return base_.list(path);
  const auto status = base_.status(path);
  note(lists_, list_said(path, status), status ? status->changed : long_ago);
  auto names = base_.list(path);
  if (!names && status && status->kind == FileKind::folder) tells_changes_ = false;
  return names;
}

TreeSaid WatchedTree::said() const { return {values_of(statuses_), values_of(lists_), values_of(real_paths_)}; }

}  // namespace cudald
