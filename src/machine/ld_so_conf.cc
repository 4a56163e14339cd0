#include "machine/ld_so_conf.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/path.h"
#include "base/trimmed.h"

namespace cudald {
namespace {

constexpr std::uint64_t longest_conf = 1 << 20;
constexpr std::size_t most_conf_files = 1000;
// Of all files: bytes read, and names held against the patterns of includes.
constexpr std::uint64_t most_bytes = 4 << 20, most_comparisons = 1 << 20;
constexpr std::size_t most_stars = 4;  // of one pattern; each makes it as many times dearer as a name has letters

class ConfReader {
 public:
  explicit ConfReader(const FileSystem& files) : files_(files) {}

  void read(const std::string& path) {
    const auto place = place_of(path);
    if (seen_.contains(place)) return;
    if (seen_.size() >= most_conf_files || bytes_ > most_bytes) return stop();
    seen_.insert(place);
    const auto text = read_file(files_, path, longest_conf);
    if (!text) {
      if (text.error().code == ErrorCode::limit) stop();
      return;
    }
    if ((bytes_ += text->size()) > most_bytes) return stop();
    for (auto line : split(*text, "\n")) {
      line = trimmed(line.substr(0, line.find('#')), " \t\r\f\v");
      if (line.starts_with("include") && line.size() > 7 && (line[7] == ' ' || line[7] == '\t')) {
        for (const auto pattern : split(line.substr(8), " \t"))
          if (!pattern.empty() && pattern.find('\0') == std::string_view::npos)
            include(absolute_path(pattern, parent_path(path)));
      } else if (line.starts_with('/')) {
        const auto folder = normal_path(line.substr(0, line.find('=')));
        if (known_folders_.insert(folder).second) folders_.push_back(folder);
      }
    }
  }

  std::vector<std::string> take() { return std::move(folders_); }
  bool complete() const { return complete_; }

 private:
  void stop() { complete_ = false; }

  /// One name for all spellings of a path: `include ./*` in a file would else name it by a longer path each time.
  std::string place_of(const std::string& path) const {
    const auto real = files_.real_path(path);
    return real ? *real : normal_path(path);
  }

  /// Sorted; each folder is listed once.
  const std::vector<std::string>& list(const std::string& folder) {
    const auto [place, is_new] = lists_.try_emplace(folder);
    if (is_new)
      if (auto names = files_.list(folder)) place->second = std::move(*names);
    return place->second;
  }

  void include(const std::string& pattern) {
    const auto folder = place_of(std::string(parent_path(pattern)));
    const std::string name(file_name(pattern));
    if (name.find_first_of("*?[") == std::string::npos) {
      read(pattern);
      return;
    }
    if (!patterns_.insert(folder + '/' + name).second) return;  // what it names was read then
    if (std::count(name.begin(), name.end(), '*') > static_cast<std::ptrdiff_t>(most_stars)) return stop();
    const auto& names = list(folder);
    if ((comparisons_ += names.size()) > most_comparisons) return stop();
    for (const auto& candidate : names)
      if (fnmatch(name.c_str(), candidate.c_str(), FNM_PERIOD) == 0) read(folder + '/' + candidate);
  }

  const FileSystem& files_;
  std::set<std::string> seen_, patterns_, known_folders_;
  std::map<std::string, std::vector<std::string>> lists_;
  std::uint64_t bytes_ = 0, comparisons_ = 0;
  bool complete_ = true;
  std::vector<std::string> folders_;
};

}  // namespace

std::vector<std::string> read_ld_so_conf(const FileSystem& files, const std::string& path, bool* complete) {
  ConfReader reader(files);
  reader.read(path);
  if (complete != nullptr) *complete = reader.complete();
  return reader.take();
}

}  // namespace cudald
