#include "env/ld_so_conf.h"

#include <fnmatch.h>

#include <set>

#include "base/path.h"

namespace cudald {
namespace {

constexpr std::uint64_t longest_conf = 1 << 20;
constexpr std::size_t most_files = 1000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\f\v";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

class ConfReader {
 public:
  explicit ConfReader(const FileSystem& files) : files_(files) {}

  void read(const std::string& path) {
    if (seen_.size() >= most_files || !seen_.insert(path).second) return;
    const auto text = read_file(files_, path, longest_conf);
    if (!text) return;
    for (auto line : split(*text, "\n")) {
      line = trimmed(line.substr(0, line.find('#')));
      if (line.starts_with("include") && line.size() > 7 && (line[7] == ' ' || line[7] == '\t')) {
        for (const auto pattern : split(line.substr(8), " \t"))
          if (!pattern.empty()) include(absolute_path(pattern, parent_path(path)));
      } else if (line.starts_with('/')) {
        const auto folder = normal_path(line.substr(0, line.find('=')));
        if (known_folders_.insert(folder).second) folders_.push_back(folder);
      }
    }
  }

  std::vector<std::string> take() { return std::move(folders_); }

 private:
  void include(const std::string& pattern) {
    const std::string folder(parent_path(pattern)), name(file_name(pattern));
    if (name.find_first_of("*?[") == std::string::npos) {
      read(pattern);
      return;
    }
    const auto names = files_.list(folder);
    if (!names) return;
    for (const auto& candidate : *names)
      if (fnmatch(name.c_str(), candidate.c_str(), FNM_PERIOD) == 0) read(folder + '/' + candidate);
  }

  const FileSystem& files_;
  std::set<std::string> seen_, known_folders_;
  std::vector<std::string> folders_;
};

}  // namespace

std::vector<std::string> read_ld_so_conf(const FileSystem& files, const std::string& path) {
  ConfReader reader(files);
  reader.read(path);
  return reader.take();
}

}  // namespace cudald
