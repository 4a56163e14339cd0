#include "base/path.h"

namespace cudald {

std::string absolute_path(std::string_view path, std::string_view folder) {
  if (path.starts_with('/')) return std::string(path);
  std::string result(folder);
  if (!result.ends_with('/')) result += '/';
  result += path;
  return result;
}

std::string_view parent_path(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::string_view file_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string normal_path(std::string_view path) {
  std::vector<std::string_view> kept;
  for (const auto part : split(path, "/")) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!kept.empty()) kept.pop_back();
    } else {
      kept.push_back(part);
    }
  }
  std::string result;
  for (const auto part : kept) (result += '/') += part;
  return result.empty() ? "/" : result;
}

}  // namespace cudald
