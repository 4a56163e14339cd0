#include "made_tree.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/path.h"

namespace cudald {
namespace {

constexpr std::string_view divider = "\n%%\n";
constexpr std::size_t most_files = 200, longest_path = 4096;

/// The part before the divider, which is taken off the rest with it.
std::string_view take_until(std::string_view& rest, std::string_view end) {
  const auto at = std::min(rest.find(end), rest.size());
  const auto part = rest.substr(0, at);
  rest.remove_prefix(std::min(at + end.size(), rest.size()));
  return part;
}

/// Files and links, so that none becomes a folder.
using TakenPaths = std::set<std::string>;

bool lies_below(const std::string& path, const TakenPaths& taken) {
  for (auto folder = parent_path(path); folder.size() > 1; folder = parent_path(folder))
    if (taken.contains(std::string(folder))) return true;
  return false;
}

void add_part(std::string_view part, MemoryFileSystem& files, TakenPaths& taken) {
  constexpr std::string_view arrow = " -> ";
  const auto line = take_until(part, "\n");
  const auto link = std::min(line.find(arrow), line.size());
  const std::string path(line.substr(0, link));
  if (path.size() < 2 || path.size() > longest_path || path.find('\0') != std::string::npos) return;
  if (!path.starts_with('/') || normal_path(path) != path || lies_below(path, taken)) return;
  taken.insert(path);
  if (link == line.size())
    files.add_file(path, std::string(part), {.executable = true});
  else
    files.add_symlink(path, std::string(line.substr(link + arrow.size())));
}

}  // namespace

MadeTree make_tree(std::string_view bytes) {
  MadeTree made;
  made.question = take_until(bytes, divider);
  TakenPaths taken;
  for (std::size_t i = 0; i < most_files && !bytes.empty(); ++i)
    add_part(take_until(bytes, divider), *made.files, taken);
  return made;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(take_until(text, "\n"));
  return lines;
}

}  // namespace cudald
