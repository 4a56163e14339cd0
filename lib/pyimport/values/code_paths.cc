#include "pyimport/values/code_paths.h"

#include "base/path.h"
#include "base/windows_path.h"

namespace cudald::python {

bool CodePaths::is_full(std::string_view path) const {
  return windows_ ? is_full_windows_path(path) : path.starts_with('/');
}

std::string CodePaths::join(const std::string& folder, const std::string& path) const {
  if (!windows_) return folder.empty() || path.starts_with('/') ? path : absolute_path(path, folder);
  const bool drive = path.size() > 1 && path[1] == ':';
  if (folder.empty() || drive || is_full_windows_path(path)) return path;
  if (path.starts_with('\\') || path.starts_with('/'))
    return folder.size() > 1 && folder[1] == ':' ? folder.substr(0, 2) + path : path;
  return windows_join(folder, path);
}

std::pair<std::string, std::string> CodePaths::split(const std::string& path) const {
  if (windows_) return {windows_folder(path), std::string(windows_file_name(path))};
  return {std::string(parent_path(path)), std::string(file_name(path))};
}

std::pair<std::string, std::string> CodePaths::split_suffix(const std::string& path) const {
  const auto slash = path.find_last_of(slashes());
  const auto name = slash == std::string::npos ? 0 : slash + 1;
  // Dots that a name begins with make it hidden.
  const auto letter = path.find_first_not_of('.', name);
  const auto dot = path.rfind('.');
  if (dot == std::string::npos || letter == std::string::npos || dot < letter) return {path, ""};
  return {path.substr(0, dot), path.substr(dot)};
}

std::string CodePaths::normal(const std::string& path) const {
  return windows_ ? normal_windows_path(path) : normal_path(path);
}

}  // namespace cudald::python
