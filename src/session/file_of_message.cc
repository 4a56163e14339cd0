#include "session/file_of_message.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/path.h"
#include "base/windows_path.h"

namespace cudald {
namespace {

constexpr std::size_t most_of_message = 1 << 16;  ///< in which files are looked for
constexpr std::size_t most_asked = 200;           ///< places that are looked at

bool is_named_like_library(std::string_view path) {
  const auto name = folded(file_name(path));
  constexpr std::string_view endings[] = {".so", ".dll", ".pyd", ".node"};
  return name.find(".so.") != std::string::npos ||
         std::any_of(std::begin(endings), std::end(endings), [&](auto each) { return name.ends_with(each); });
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
  constexpr std::size_t longest = 400, longest_ending = 20;  // .duckdb_extension
  const auto lower = folded(text);
  const auto is_of_ending = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  const auto in_word = [&](std::size_t at) { return at < text.size() && is_of_ending(text[at]); };
  std::vector<std::string> found;
  for (auto at = lower.find("c:"); at != std::string::npos && found.size() < most_asked;
       at = lower.find("c:", at + 1)) {
    if (at + 2 >= text.size() || (text[at + 2] != '\\' && text[at + 2] != '/')) continue;
    const auto line = std::min({text.find_first_of("\r\n", at), text.size(), at + longest});
    for (auto end = at + 3; end <= line && found.size() < most_asked; ++end) {
      const auto dot = text.rfind('.', end - 1);
      if (in_word(end) || dot == std::string::npos || dot < at || dot + 1 == end || end - dot > longest_ending ||
          !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(dot) + 1,
                       text.begin() + static_cast<std::ptrdiff_t>(end), is_of_ending))
        continue;
      auto path = text.substr(at + 2, end - at - 2);
      std::replace(path.begin(), path.end(), '\\', '/');
      path.erase(std::unique(path.begin(), path.end(), [](char x, char y) { return x == '/' && y == '/'; }),
                 path.end());
      found.push_back(std::move(path));
    }
  }
  return found;
}

/// Whether a file of Windows is a program or library, whatever its name ends in.
bool is_program_of_windows(const FileSystem& files, const std::string& path) {
  const auto file = files.open(path);
  std::array<std::byte, 2> begin{};
  const auto size = file ? (*file)->read(0, begin) : Result<std::size_t>(0);
  return size && *size == begin.size() && begin[0] == std::byte{'M'} && begin[1] == std::byte{'Z'};
}

/// Where what belongs to a path may lie instead: /usr/lib/x of /lib/x and the reverse, lib64/x, the directories beside
/// that of the file, and two above it.
std::vector<std::string> folders_around(const std::string& path, const FileSystem& files) {
  constexpr std::size_t most_beside = 500;
  const std::string own(parent_path(path));
  std::vector<std::string> folders{own.starts_with("/usr/") ? own.substr(4) : "/usr" + own};
  for (const auto& [from, to] : {std::pair("/lib/", "/lib64/"), std::pair("/lib64/", "/lib/")})
    if (const auto at = (own + "/").find(from); at != std::string::npos) {
      auto other = own + "/";
      other.replace(at, std::string_view(from).size(), to);
      other.pop_back();
      folders.push_back(std::move(other));
    }
  const std::string above(parent_path(own));
  if (above.size() < 2) return folders;
  folders.push_back(above);
  const auto beside = files.list(above);
  if (beside && beside->size() <= most_beside)
    for (const auto& entry : *beside)
      for (const auto* below : {"", "/lib", "/lib64"}) folders.push_back(above + "/" + entry + below);
  if (const std::string top(parent_path(above)); top.size() > 1) folders.push_back(top);
  return folders;
}

/// /opt/rocm-3.10.0/opencl/lib of /opt/rocm-3.1.0/opencl/lib/x86_64: the same directory, or the one above it, of
/// another release. Source: github.com/ROCm/legacy-rocm-build issue 1331.
std::vector<std::string> folders_of_other_releases(const std::string& path, const FileSystem& files) {
  constexpr std::string_view digits = "0123456789", marks = "-_.";
  std::vector<std::string> folders;
  for (const std::string top : {"/opt/", "/usr/local/"}) {
    if (!path.starts_with(top)) continue;
    const auto name = path.substr(top.size(), path.find('/', top.size()) - top.size());
    const std::string own(parent_path(path));
    const auto below = own.substr(std::min(own.size(), top.size() + name.size()));
    const auto stem_of = [&](std::string_view entry) {
      auto stem = entry.substr(0, entry.find_first_of(digits));
      while (!stem.empty() && marks.find(stem.back()) != std::string_view::npos) stem.remove_suffix(1);
      return stem;
    };
    const auto entries = files.list(top.substr(0, top.size() - 1));
    for (const auto& entry : entries ? *entries : std::vector<std::string>())
      if (entry != name && !stem_of(name).empty() && stem_of(entry) == stem_of(name))
        for (const auto& rest : {below, std::string(parent_path(below))})
          if (!rest.empty()) folders.push_back(top + entry + rest);
  }
  return folders;
}

/// The file of settings that names a library by its path: of loaders that open drivers.
/// Sources: OpenCL ICD extension, cl_khr_icd; Vulkan Loader, LoaderDriverInterface.md; libglvnd, EGL vendor libraries.
std::string settings_naming(const std::string& path, const FileSystem& files) {
  constexpr std::uint64_t most_text = 1 << 16;
  for (const std::string folder :
       {"/etc/OpenCL/vendors", "/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d", "/etc/vulkan/implicit_layer.d",
        "/usr/share/vulkan/implicit_layer.d", "/etc/glvnd/egl_vendor.d", "/usr/share/glvnd/egl_vendor.d"}) {
    const auto names = files.list(folder);
    for (const auto& name : names ? *names : std::vector<std::string>())
      if (const auto text = read_file(files, folder + "/" + name, most_text);
          text && text->find(path) != std::string::npos)
        return folder + "/" + name;
  }
  return "";
}

}  // namespace

std::string file_of_message(const std::string& pasted, const FileSystem& files, const std::string& cwd) {
  constexpr std::string_view before = "(required by ";
  const auto text = pasted.substr(0, most_of_message);
  const auto required = text.find(before);
  std::string other;
  for (const auto& path : windows_paths(text)) {
    auto place = in_drive(files, path);
    if (place.empty() || !is_program_of_windows(files, place)) continue;
    if (!folded(place).ends_with(".exe")) return place;
    if (other.empty()) other = std::move(place);
  }
  for (const auto& path :
       linux_paths(required == std::string::npos ? text : text.substr(required + before.size()), cwd)) {
    if (!is_file(files, path)) continue;
    if (is_named_like_library(path) || required != std::string::npos) return path;
    if (other.empty()) other = path;
  }
  return other;
}

std::string dll_beside(const std::string& pasted, const std::string& program, const FileSystem& files) {
  const auto text = folded(pasted.substr(0, most_of_message));
  const std::string folder(parent_path(program));
  const auto names = files.list(folder);
  if (!names) return "";
  const auto stands_alone = [&](std::size_t at, std::size_t end) {
    const auto is_part = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '\\'; };
    return (at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]));
  };
  for (const auto& entry : *names) {
    const auto name = folded(entry);
    const auto at = name.ends_with(".dll") ? text.find(name) : std::string::npos;
    if (at != std::string::npos && stands_alone(at, at + name.size())) return folder + "/" + entry;
  }
  return "";
}

// Source: Lua, lua.c, l_message; loadlib.c, checkload.
std::string program_of_message(const std::string& text, const FileSystem& files) {
  const auto end = text.find(": ");
  if (end == std::string::npos || text.find("error loading module '", end) == std::string::npos) return "";
  auto program = text.substr(0, end);
  if (program.find_first_of(" \n") != std::string::npos) return "";
  if (program.find('/') == std::string::npos) program.insert(0, "/usr/bin/");
  return program.starts_with('/') && is_file(files, program) ? program : "";
}

bool may_be_opened(const std::string& path, const FileSystem& files) {
  return is_named_like_library(path) || (!folded(path).ends_with(".exe") && is_program_of_windows(files, path));
}

std::optional<MisplacedFile> misplaced_file(const std::string& pasted, const FileSystem& files,
                                            const std::string& cwd) {
  for (const auto& named : linux_paths(pasted.substr(0, most_of_message), cwd)) {
    if (!is_named_like_library(named) || files.status(named)) continue;
    auto folders = folders_around(named, files);
    for (auto& folder : folders_of_other_releases(named, files)) folders.push_back(std::move(folder));
    for (const auto& folder : folders) {
      const auto path = folder + "/" + std::string(file_name(named));
      if (is_file(files, path)) return MisplacedFile{named, path, settings_naming(named, files)};
    }
  }
  return std::nullopt;
}

}  // namespace cudald
