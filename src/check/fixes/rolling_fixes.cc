// What brings a DLL to a program of MSYS2. Its packages are upgraded together, so that a DLL of another number than the
// one that is there came with the other half of an upgrade. Sources: MSYS2, Updating MSYS2; pacman(8), --files;
// github.com/niXman/mingw-builds issue 763 and github.com/msys2/MINGW-packages issue 2138.

#include "check/fixes/rolling_fixes.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "base/windows_path.h"

namespace cudald {
namespace {

/// "msys-nettle" of msys-nettle-9.dll, "libicuin" of libicuin65.dll, "libssl" of libssl-1_1-x64.dll; the whole name of
/// others.
std::string stem_of_numbered(const std::string& dll) {
  constexpr std::string_view end = ".dll", wide = "-x64";
  if (!dll.ends_with(end)) return dll;
  auto stem = dll.substr(0, dll.size() - end.size());
  if (stem.ends_with(wide)) stem.resize(stem.size() - wide.size());
  const auto last = stem.find_last_not_of("0123456789._");
  if (last == std::string::npos || last + 1 == stem.size()) return dll;
  stem.resize(stem[last] == '-' ? last : last + 1);
  return stem.empty() ? dll : stem;
}

/// "libicuin66.dll" for libicuin65.dll, where that is in the directory; empty if no other number of it is.
std::string another_number(const std::string& dll, const std::string& folder, const FileSystem& files) {
  const auto name = folded(dll), stem = stem_of_numbered(name);
  const auto entries = files.list(folder);
  if (!entries || stem == name) return "";
  const auto other = std::find_if(entries->begin(), entries->end(), [&](const std::string& entry) {
    return folded(entry) != name && stem_of_numbered(folded(entry)) == stem;
  });
  return other == entries->end() ? "" : *other;
}

}  // namespace

std::string rolling_prefix_of(const RollingPackages& system, const std::string& path, const FileSystem& files) {
  for (std::string folder(parent_path(path)); folder.size() > 1; folder = parent_path(folder))
    if (std::find(system.prefixes.begin(), system.prefixes.end(), folded(file_name(folder))) != system.prefixes.end() &&
        is_folder(files, std::string(parent_path(folder)) + "/" + system.mark))
      return folder;
  return "";
}

std::optional<RollingFix> rolling_fix(const std::string& dll, const std::string& requester, const FileSystem& files) {
  for (const auto& system : rolling_packages()) {
    const auto prefix = rolling_prefix_of(system, requester, files);
    if (prefix.empty()) continue;
    if (const auto other = another_number(dll, prefix + "/bin", files); !other.empty())
      return RollingFix{
          {fmt::format("bring all packages of {} to one release, in its shell", system.name), system.command, ""},
          fmt::format("{} is there, with which {} was not built", other, file_name(requester))};
    auto command = system.search;
    replace_all(command, "{path}", shell_word("/" + std::string(file_name(prefix)) + "/bin/" + dll));
    return RollingFix{{fmt::format("install the package that has it, in the shell of {}", system.name), command,
                       "if that finds no package: " + system.command},
                      ""};
  }
  return std::nullopt;
}

}  // namespace cudald
