// A file that an interrupted upgrade, or a hand, has taken away from an installed package.
// Sources: dpkg(1), FILES, /var/lib/dpkg/info/PACKAGE.list; pacman, lib/libalpm/be_local.c, NAME-VERSION-RELEASE/files;
// xbps, lib/package_register.c, .PACKAGE-files.plist; of apk see apk_records.h.
// github.com/void-linux/void-packages issue 5011.

#include "check/findings/lost_library.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/path.h"
#include "check/findings/apk_records.h"

namespace cudald {
namespace {

constexpr std::uint64_t longest_list = 1 << 24;

/// "qua" of libquazip5.so.1: what the name of its package has as well.
std::string key_of_library(const std::string& library) {
  constexpr std::size_t length = 3;
  const auto begin = library.starts_with("lib") ? length : 0;
  auto key = library.substr(begin, std::min(library.find_first_of(".-_", begin) - begin, length));
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
  return key;
}

/// The line of a list, without a slash in front in some, that ends with "/NAME"; empty if there is none. `after` and
/// `before` are what stands around each path.
std::string listed_path(std::string_view text, const std::string& name, std::string_view after,
                        std::string_view before) {
  const auto end = "/" + name + std::string(before);
  for (auto at = text.find(end); at != text.npos; at = text.find(end, at + 1)) {
    const auto line = after.empty() ? text.rfind('\n', at) : text.rfind(after, at);
    const auto begin = line == text.npos ? 0 : line + std::max<std::size_t>(after.size(), 1);
    std::string path(text.substr(begin, at + 1 + name.size() - begin));
    return path.starts_with('/') ? path : "/" + path;
  }
  return "";
}

struct PackageRecords {
  const char* folder;
  const char *begin, *end;  ///< around the name of a package in the name of its file, or directory
  const char* list;         ///< below that directory; empty: it is a file
  const char *after, *before;
};

constexpr PackageRecords record_kinds[] = {{"/var/lib/dpkg/info", "", ".list", "", "", "\n"},
                                           {"/var/lib/pacman/local", "", "", "/files", "", "\n"},
                                           {"/var/db/xbps", ".", "-files.plist", "", "<string>", "</string>"}};

/// "quazip" of quazip-1.4-2, as pacman names its directories.
std::string pacman_name_of(std::string name) {
  for (int parts = 0; parts < 2; ++parts)
    if (const auto dash = name.rfind('-'); dash != std::string::npos) name.erase(dash);
  return name;
}

std::optional<LostLibrary> lost_in(const PackageRecords& records, const std::string& name, ImageStore& images) {
  const auto key = key_of_library(name);
  const std::string_view begin = records.begin, end = records.end;
  const bool in_directories = *records.list != '\0';
  for (const auto& entry : images.list(records.folder)) {
    if (entry.size() <= begin.size() + end.size() || !entry.starts_with(begin) || !entry.ends_with(end)) continue;
    const auto package = entry.substr(begin.size(), entry.size() - begin.size() - end.size());
    if (package.find(key) == std::string::npos) continue;
    const auto text = read_file(images.files(), std::string(records.folder) + "/" + entry + records.list, longest_list);
    const auto path = text ? listed_path(*text, name, records.after, records.before) : std::string();
    if (path.empty() || images.files().status(path)) continue;
    return LostLibrary{in_directories ? pacman_name_of(package) : package, path};
  }
  return std::nullopt;
}

std::optional<LostLibrary> lost_of_apk(const std::string& name, ImageStore& images) {
  std::optional<LostLibrary> lost;
  visit_apk_files(images.files(), [&](const ApkFile& file) {
    if (file_name(file.path) == name && !images.files().status(file.path)) lost = {file.package, file.path};
    return lost.has_value();
  });
  return lost;
}

}  // namespace

std::optional<LostLibrary> lost_library(const std::string& name, ImageStore& images) {
  if (name.find('/') != std::string::npos || key_of_library(name).empty()) return std::nullopt;
  for (const auto& records : record_kinds)
    if (auto lost = lost_in(records, name, images)) return lost;
  return lost_of_apk(name, images);
}

}  // namespace cudald
