// The cache's own folder. A stranger who could change it would change verdicts and have files deleted: so it is used
// only where nobody else may write to it (tree/own_folder.h), its entries are asked for through the open folder, links
// are not followed, and no file is deleted but those with names of ours.
#include "cli/settings/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "tree/own_folder.h"

namespace cudald {
namespace {

constexpr const char* stamp = ".trimmed";

struct CacheFile {
  std::string name;
  std::int64_t used = 0;  ///< seconds since 1970
  std::uint64_t size = 0;
  bool unfinished = false;
};

/// A checksum, as kept_path() gives it, and behind it a dot and six letters while it is written.
bool is_ours(std::string_view name) {
  constexpr std::size_t digits = 64, letters = 6;
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0; };
  const auto checksum = name.substr(0, digits), rest = name.substr(checksum.size());
  return checksum.size() == digits && std::all_of(checksum.begin(), checksum.end(), is_digit) &&
         (rest.empty() ||
          (rest.size() == letters + 1 && rest.front() == '.' && std::all_of(rest.begin() + 1, rest.end(), is_letter)));
}

/// The folder while it is open.
class OpenCache {
 public:
  explicit OpenCache(const std::string& folder)
      : folder_(folder.empty() || !distrust_of(folder).empty()
                    ? -1
                    : ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {}
  ~OpenCache() {
    if (folder_ >= 0) ::close(folder_);
  }
  OpenCache(const OpenCache&) = delete;
  OpenCache& operator=(const OpenCache&) = delete;

  explicit operator bool() const { return folder_ >= 0; }

  /// The regular files with names of ours.
  std::vector<CacheFile> files() const {
    std::vector<CacheFile> files;
    const int again = ::openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const listing = again < 0 ? nullptr : ::fdopendir(again);
    if (listing == nullptr && again >= 0) ::close(again);
    if (listing == nullptr) return files;
    while (const dirent* entry = ::readdir(listing)) {
      struct stat st;
      if (!is_ours(entry->d_name) || ::fstatat(folder_, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (!S_ISREG(st.st_mode)) continue;
      const std::string name = entry->d_name;
      files.push_back({name, st.st_mtim.tv_sec, static_cast<std::uint64_t>(st.st_size), name.find('.') != name.npos});
    }
    ::closedir(listing);
    return files;
  }

  bool remove(const std::string& name) const { return ::unlinkat(folder_, name.c_str(), 0) == 0; }

  /// When the stamp was set; nothing if there is none.
  std::optional<std::int64_t> stamped() const {
    struct stat st;
    if (::fstatat(folder_, stamp, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode)) return std::nullopt;
    return st.st_mtim.tv_sec;
  }
  bool set_stamp() const {
    const int file = ::openat(folder_, stamp, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (file < 0) return false;
    const bool good = ::futimens(file, nullptr) == 0;
    ::close(file);
    return good;
  }

 private:
  int folder_;
};

std::int64_t now_in_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void trim(const OpenCache& cache, std::uint64_t most) {
  constexpr std::int64_t longest_run = 24 * 60 * 60;
  auto files = cache.files();
  std::sort(files.begin(), files.end(), [](const CacheFile& a, const CacheFile& b) { return a.used > b.used; });
  const auto now = now_in_seconds();
  std::uint64_t sum = 0;
  for (const auto& file : files) {
    if (file.unfinished) {
      if (now - file.used > longest_run) cache.remove(file.name);
      continue;
    }
    sum += file.size;
    if (sum > most) cache.remove(file.name);
  }
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
  if (options.packages.no_cache) return "";
  auto folder = cache_folder(host.environment);
  return folder.empty() || !distrust_of(folder).empty() ? "" : folder;
}

CacheSize cache_size(const std::string& folder) {
  CacheSize sum;
  const OpenCache cache(folder);
  if (!cache) return sum;
  for (const auto& file : cache.files()) {
    ++sum.files;
    sum.bytes += file.size;
  }
  return sum;
}

bool make_cache(const std::string& folder) { return distrust_of(folder).empty() && make_own_folders(folder); }

void trim_cache(const std::string& folder, std::uint64_t most) {
  if (const OpenCache cache(folder); cache) trim(cache, most);
}

void trim_cache_now_and_then(const std::string& folder, std::uint64_t most) {
  constexpr std::int64_t pause = 60;
  const OpenCache cache(folder);
  if (!cache) return;
  const auto now = now_in_seconds();
  const auto before = cache.stamped();
  if (before && *before <= now && now - *before < pause) return;
  if (cache.set_stamp()) trim(cache, most);
}

void keep(const KeptTree& tree, const std::string& folder) {
  if (!tree.used()) return;
  tree.keep();
  trim_cache_now_and_then(folder, most_cache_bytes);
}

bool clear_cache(const std::string& folder) {
  const OpenCache cache(folder);
  if (!cache) return ::access(folder.c_str(), F_OK) != 0;
  bool good = true;
  for (const auto& file : cache.files()) good = cache.remove(file.name) && good;
  if (cache.stamped()) good = cache.remove(stamp) && good;
  return good;
}

}  // namespace cudald
