// Paths of the tree and paths of Windows. The tree has one root, below which each drive is a directory; servers are
// below "UNC". \\?\ in front of a path takes it as it is: no limit of 260 characters, no devices, no trailing dots.
// Source: Microsoft, "Naming Files, Paths, and Namespaces".
#include "os/wide_text_windows.h"

#include <windows.h>

#include <algorithm>

namespace cudald {
namespace {

constexpr std::wstring_view as_it_is = L"\\\\?\\";

bool is_drive(std::string_view name) {
  return name.size() == 2 && name[1] == ':' && ((name[0] | 0x20) >= 'a' && (name[0] | 0x20) <= 'z');
}

}  // namespace

std::wstring wide(std::string_view utf8) {
  const auto size = static_cast<int>(utf8.size());
  std::wstring text(static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, nullptr, 0)), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, text.data(), static_cast<int>(text.size()));
  return text;
}

std::string narrow(std::wstring_view text) {
  const auto size = static_cast<int>(text.size());
  const auto length = WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
  std::string utf8(static_cast<std::size_t>(length), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), size, utf8.data(), length, nullptr, nullptr);
  return utf8;
}

std::wstring windows_path_of(std::string_view tree_path) {
  if (tree_path.size() > 32000 || !tree_path.starts_with('/')) return {};
  auto rest = tree_path.substr(1);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const bool on_server = rest.starts_with("UNC/");
  if (!on_server && !is_drive(rest.substr(0, rest.find('/')))) return {};
  const auto names = rest.substr(on_server ? 4 : 2);
  if (names.find_first_of(std::string_view(":\\*?\"<>|\0", 9)) != names.npos) return {};
  auto path = std::wstring(as_it_is) + wide(rest);
  std::replace(path.begin(), path.end(), L'/', L'\\');
  // "C:" alone is the current directory of that drive.
  return rest.size() == 2 ? path + L'\\' : path;
}

std::string tree_path_of(std::wstring_view windows_path) {
  std::string path;
  if (windows_path.starts_with(as_it_is)) {
    windows_path.remove_prefix(as_it_is.size());
    path = "/" + narrow(windows_path);
  } else if (windows_path.starts_with(L"\\\\")) {
    path = "/UNC/" + narrow(windows_path.substr(2));
  } else {
    path = "/" + narrow(windows_path);
  }
  std::replace(path.begin(), path.end(), '\\', '/');
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace cudald
