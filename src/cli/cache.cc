#include "cli/cache.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

namespace cudald {
namespace {

namespace disk = std::filesystem;

constexpr std::string_view stamp = ".trimmed";

struct CacheFile {
  disk::path path;
  disk::file_time_type used;
  std::uint64_t size = 0;
  bool unfinished = false;
};

/// The regular files of the folder but the stamp; nothing below it, and no link.
std::vector<CacheFile> files_of(const std::string& folder) {
  std::vector<CacheFile> files;
  std::error_code fault;
  for (disk::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    std::error_code ignored;
    if (entry->is_symlink(ignored) || !entry->is_regular_file(ignored) || entry->path().filename() == stamp) continue;
    files.push_back({entry->path(), entry->last_write_time(ignored), entry->file_size(ignored),
                     entry->path().filename().string().find('.') != std::string::npos});
  }
  return files;
}

}  // namespace

std::string cache_folder(const Environment& environment) {
  auto base = environment.variable("XDG_CACHE_HOME").value_or("");
  if (!base.starts_with('/')) {
    const auto home = environment.variable("HOME").value_or("");
    if (!home.starts_with('/')) return "";
    base = std::string(home) + "/.cache";
  }
  return std::string(base) + "/cudald/facts-1";
}

std::string cache_folder(const Options& options, const Host& host) {
  return options.no_cache ? "" : cache_folder(host.environment);
}

CacheSize cache_size(const std::string& folder) {
  CacheSize sum;
  for (const auto& file : files_of(folder)) {
    ++sum.files;
    sum.bytes += file.size;
  }
  return sum;
}

bool make_cache(const std::string& folder) {
  std::error_code fault;
  disk::create_directories(folder, fault);
  return disk::is_directory(folder, fault);
}

void trim_cache(const std::string& folder, std::uint64_t most) {
  constexpr auto longest_run = std::chrono::hours(24);
  auto files = files_of(folder);
  std::sort(files.begin(), files.end(), [](const CacheFile& a, const CacheFile& b) { return a.used > b.used; });
  const auto now = disk::file_time_type::clock::now();
  std::uint64_t sum = 0;
  for (const auto& file : files) {
    std::error_code ignored;
    if (file.unfinished) {
      if (now - file.used > longest_run) disk::remove(file.path, ignored);
      continue;
    }
    sum += file.size;
    if (sum > most) disk::remove(file.path, ignored);
  }
}

void trim_cache_now_and_then(const std::string& folder, std::uint64_t most) {
  constexpr auto pause = std::chrono::minutes(1);
  const auto mark = disk::path(folder) / stamp;
  const auto now = disk::file_time_type::clock::now();
  std::error_code fault;
  const auto before = disk::last_write_time(mark, fault);
  if (!fault && before <= now && now - before < pause) return;
  std::ofstream(mark, std::ios::trunc) << "";
  disk::last_write_time(mark, now, fault);
  trim_cache(folder, most);
}

void keep(const KeptTree& tree, const std::string& folder) {
  if (!tree.used()) return;
  tree.keep();
  trim_cache_now_and_then(folder, most_cache_bytes);
}

bool clear_cache(const std::string& folder) {
  bool good = true;
  for (const auto& file : files_of(folder)) {
    std::error_code fault;
    good = disk::remove(file.path, fault) && !fault && good;
  }
  std::error_code ignored;
  disk::remove(disk::path(folder) / stamp, ignored);
  return good;
}

}  // namespace cudald
