#include "base/path.h"

#include <algorithm>

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
    const auto end = separators.size() == 1 ? text.find(separators[0]) : text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string normal_path(std::string_view path) {
  std::string result;
  result.reserve(path.size() + 1);
  for (std::size_t begin = 0; begin < path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    const auto part = path.substr(begin, end - begin);
    begin = end + 1;
    if (part == "..") {
      result.resize(std::min(result.rfind('/'), result.size()));
    } else if (!part.empty() && part != ".") {
      (result += '/') += part;
    }
  }
  return result.empty() ? "/" : result;
}

}  // namespace cudald
