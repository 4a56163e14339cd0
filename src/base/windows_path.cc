#include "base/windows_path.h"

#include <cctype>
#include <vector>

#include "base/path.h"

namespace cudald {

std::string folded(std::string_view text) {
  std::string result(text);
  for (auto& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string library_key(std::string_view name) {
  auto lower = folded(name);
  return lower.ends_with(".dll") ? lower : std::string(name);
}

bool is_full_windows_path(std::string_view path) {
  const auto slash = [&](std::size_t at) { return path.size() > at && (path[at] == '\\' || path[at] == '/'); };
  const bool drive = path.size() > 2 && std::isalpha(static_cast<unsigned char>(path[0])) != 0 && path[1] == ':';
  return drive ? slash(2) : slash(0) && slash(1);
}

std::string_view windows_file_name(std::string_view path) {
  const auto slash = path.find_last_of("\\/:");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string windows_folder(std::string_view path) {
  const auto slash = path.find_last_of("\\/");
  if (slash == std::string_view::npos) return "";
  const bool root = slash == 2 && path[1] == ':';
  return std::string(path.substr(0, root ? slash + 1 : slash));
}

std::string windows_join(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty() && path.back() != '\\' && path.back() != '/') path += '\\';
  return path += name;
}

std::string normal_windows_path(std::string_view path) {
  std::vector<std::string_view> parts;
  const bool network = path.size() > 1 && (path[0] == '\\' || path[0] == '/');
  const std::size_t fixed = network ? 2 : 1;  // the server and its share, or the drive
  for (const auto part : split(path, "\\/")) {
    if (part.empty() || part == ".") continue;
    if (part != "..")
      parts.push_back(part);
    else if (parts.size() > fixed)
      parts.pop_back();
  }
  std::string result = network ? "\\\\" : "";
  for (std::size_t i = 0; i < parts.size(); ++i) result.append(i == 0 ? "" : "\\").append(parts[i]);
  return parts.size() == 1 && !network ? result + '\\' : result;
}

}  // namespace cudald
