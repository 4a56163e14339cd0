#include "session/file_of_message.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/ascii.h"
#include "base/path.h"
#include "base/windows_path.h"

namespace cudald {
namespace {

constexpr std::size_t most_of_message = 1 << 16;  ///< in which files are looked for
constexpr std::size_t most_asked = 200;     ///< places that are looked at

bool is_named_like_library(std::string_view path) {
  const auto name = folded(file_name(path));
  constexpr std::string_view endings[] = {".so", ".dll", ".pyd", ".node"};
  return name.find(".so.") != std::string::npos || std::any_of(std::begin(endings), std::end(endings), [&](auto each) {
           return name.ends_with(each);
         });
}

/// What stands in the text as a path of Linux: "/opt/x/libb.so", "./build/b.node".
std::vector<std::string> linux_paths(const std::string& text, const std::string& cwd) {
  constexpr std::string_view around = " \t\r\n'\"`(),:;<>[]";
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size() && found.size() < most_asked;) {
    const auto begin = text.find_first_not_of(around, at);
    if (begin == std::string::npos) break;
    at = std::min(text.find_first_of(around, begin), text.size());
    auto word = text.substr(begin, at - begin);
    if (word.starts_with("./") || word.starts_with("../"))
      found.push_back(normal_path(absolute_path(word, cwd)));
    else if (word.starts_with('/') && word.size() > 1)
      found.push_back(std::move(word));
  }
  return found;
}

/// The file in a copy of drive C: that a path of Windows means, whose case may differ.
std::string in_drive(const FileSystem& files, const std::string& path) {
  std::string place;
  for (const auto part : split(path, "/")) {
    if (part.empty()) continue;
    const auto names = files.list(place.empty() ? "/" : place);
    if (!names) return "";
    const auto same = std::find_if(names->begin(), names->end(),
                                   [&](const std::string& name) { return folded(name) == folded(part); });
    if (same == names->end()) return "";
    place += "/" + *same;
  }
  return is_file(files, place) ? place : "";
}

/// What stands in the text as a path of drive C:, up to each word in it that ends as a library or program does: blanks
/// may stand in the path. "\\?\" before it and doubled backslashes are left out.
std::vector<std::string> windows_paths(const std::string& text) {
  constexpr std::string_view endings[] = {".dll", ".pyd", ".node", ".exe", ".ocx"};
  constexpr std::size_t longest = 400;
  const auto lower = folded(text);
  std::vector<std::string> found;
  for (auto at = lower.find("c:"); at != std::string::npos && found.size() < most_asked; at = lower.find("c:", at + 1)) {
    if (at + 2 >= text.size() || (text[at + 2] != '\\' && text[at + 2] != '/')) continue;
    const auto line = std::min({text.find_first_of("\r\n", at), text.size(), at + longest});
    for (auto end = at; end < line; ++end)
      for (const auto ending : endings) {
        if (lower.compare(end, ending.size(), ending) != 0) continue;
        const auto after = end + ending.size();
        if (after < text.size() && (is_letter(text[after]) || is_digit(text[after]))) continue;
        auto path = text.substr(at + 2, after - at - 2);
        std::replace(path.begin(), path.end(), '\\', '/');
        path.erase(std::unique(path.begin(), path.end(), [](char a, char b) { return a == '/' && b == '/'; }),
                   path.end());
        found.push_back(std::move(path));
      }
  }
  return found;
}

}  // namespace

std::string file_of_message(const std::string& pasted, const FileSystem& files, const std::string& cwd) {
  constexpr std::string_view before = "(required by ";
  const auto text = pasted.substr(0, most_of_message);
  const auto required = text.find(before);
  std::string other;
  for (const auto& path : windows_paths(text)) {
    auto place = in_drive(files, path);
    if (!place.empty() && is_named_like_library(place)) return place;
    if (other.empty()) other = std::move(place);
  }
  for (const auto& path : linux_paths(required == std::string::npos ? text : text.substr(required + before.size()), cwd)) {
    if (!is_file(files, path)) continue;
    if (is_named_like_library(path) || required != std::string::npos) return path;
    if (other.empty()) other = path;
  }
  return other;
}

}  // namespace cudald
