#include "cli/commands/scan_list.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include <cudald/writers.h>

#include "base/path.h"
#include "base/refusals.h"
#include "base/usage_error.h"
#include "lock/lock_file.h"
#include "scan/index_page.h"
#include "session/target.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_list_bytes = std::uint64_t{1} << 30;
constexpr std::size_t most_targets = 20'000'000;

class ListMaker {
 public:
  ListMaker(const FileSystem& files, const std::string& cwd) : files_(files), cwd_(cwd) {}

  /// What is wrong with it, or nothing.
  std::optional<std::string> add_source(const std::string& given) {
    const auto path = normal_path(absolute_path(given, cwd_));
    const auto status = files_.status(path);
    if (!status) return status.error().message;
    if (status->kind == FileKind::folder) return add_folder(given, path);
    if (status->kind != FileKind::regular || is_target_name(std::string(file_name(given)))) {
      add(given);
      return std::nullopt;
    }
    return add_file(given, path);
  }

  std::vector<WorkItem>& items() { return items_; }

 private:
  void add(const std::string& target) {
    WorkItem item{target, 0, ""};
    if (const auto status = files_.status(normal_path(absolute_path(target, cwd_))); !is_remote(item) && status)
      item.bytes = status->kind == FileKind::regular ? status->size : 0;
    items_.push_back(std::move(item));
  }

  std::optional<std::string> add_folder(const std::string& given, const std::string& path) {
    if (auto mirror = read_mirror(files_, path)) {
      items_.insert(items_.end(), mirror->begin(), mirror->end());
      return std::nullopt;
    }
    const auto entries = open_directory(given, path, files_, most_targets).entries;
    if (entries.empty()) return "no packages, libraries or programs found in this directory";
    for (const auto& entry : entries) add(entry.given);
    return std::nullopt;
  }

  std::optional<std::string> add_file(const std::string& given, const std::string& path) {
    const auto text = read_file(files_, path, most_list_bytes);
    if (!text) return text.error().message;
    if (text->find('\0') != std::string::npos) {
      add(given);
      return std::nullopt;
    }
    if (LockKind kind{}; recognise_lock(file_name(path), *text, kind))
      return add_lock(kind, *text, std::string(parent_path(path)));
    if (text->find_first_not_of(" \t\r\n") != std::string::npos && (*text)[text->find_first_not_of(" \t\r\n")] == '{') {
      const auto items = read_index_json(*text, std::string(parent_path(path)));
      if (!items) return "not an index page: JSON with `files`, as PEP 691 describes it";
      items_.insert(items_.end(), items->begin(), items->end());
      return std::nullopt;
    }
    return add_lines(*text);
  }

  /// All files that a lock names, whatever machine they are for.
  std::optional<std::string> add_lock(LockKind kind, const std::string& text, const std::string& folder) {
    const auto lock = read_lock(kind, text, [&](const std::string& path) {
      return read_file(files_, normal_path(absolute_path(path, folder)), most_list_bytes);
    });
    if (!lock) return lock.error().message;
    const auto before = items_.size();
    for (const auto& package : lock->packages)
      for (const auto& file : package.wheels) {
        const auto path = normal_path(absolute_path(file.path.empty() ? file.name : file.path, folder));
        const auto status = files_.status(path);
        if (status)
          items_.push_back({path, status->size, file.sha256});
        else if (!file.url.empty())
          items_.push_back({file.url, file.size, file.sha256});
        else if (!file.path.empty())
          items_.push_back({path, file.size, file.sha256});
      }
    if (items_.size() > before) return std::nullopt;
    return fmt::format("a {} that names no files of packages; `cudald check` judges it as a whole", name_of(kind));
  }

  std::optional<std::string> add_lines(const std::string& text) {
    for (auto line : split(text, "\n")) {
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
      if (line.empty() || line.front() == '#') continue;
      const std::string target(line);
      if (is_folder(files_, normal_path(absolute_path(target, cwd_)))) {
        if (auto fault = add_folder(target, normal_path(absolute_path(target, cwd_))))
          return fmt::format("{}: {}", target, *fault);
      } else {
        add(target);
      }
    }
    return std::nullopt;
  }

  const FileSystem& files_;
  std::string cwd_;
  std::vector<WorkItem> items_;
};

}  // namespace

WorkList announced_list(const Options& options, const std::string& cwd) {
  WorkList list;
  list.sources = options.arguments;
  list.folder = cwd;
  list.version = CUDALD_VERSION;
  list.question = options.scan.stated;
  std::sort(list.question.begin(), list.question.end());
  return list;
}

Result<WorkList> make_work_list(const Options& options, const FileSystem& files, const std::string& cwd) {
  auto list = announced_list(options, cwd);
  ListMaker maker(files, cwd);
  const Refusals refusals;
  for (const auto& given : options.arguments)
    if (const auto fault = maker.add_source(given))
      return usage_error(fmt::format("{}: {}", escaped(given), escaped(*fault)));
  // A list that is kept for all workers is whole, but for what is forbidden, or is not made.
  for (const auto& refused : refusals.all())
    if (refused.system_error != EACCES) return usage_error(escaped(text_of_refusal(refused)));
  list.items = std::move(maker.items());
  make_canonical(list.items);
  if (list.items.empty()) return usage_error("the list names no target");
  return list;
}

}  // namespace cudald
