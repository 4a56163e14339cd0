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

/// "msys-nettle" of msys-nettle-9.dll; the whole name of others.
std::string stem_of_numbered(const std::string& dll) {
  const auto end = dll.rfind(".dll"), dash = dll.rfind('-');
  const bool numbered = end != std::string::npos && dash != std::string::npos && dash + 1 < end &&
                        dll.find_first_not_of("0123456789.", dash + 1) >= end;
  return numbered ? dll.substr(0, dash) : dll;
}

bool has_another_number(const std::string& dll, const std::string& folder, const FileSystem& files) {
  const auto name = folded(dll), stem = stem_of_numbered(name);
  const auto entries = files.list(folder);
  return entries && stem != name && std::any_of(entries->begin(), entries->end(), [&](const std::string& entry) {
           return folded(entry) != name && stem_of_numbered(folded(entry)) == stem;
         });
}

}  // namespace

std::string rolling_prefix_of(const RollingPackages& system, const std::string& path, const FileSystem& files) {
  for (std::string folder(parent_path(path)); folder.size() > 1; folder = parent_path(folder))
    if (std::find(system.prefixes.begin(), system.prefixes.end(), folded(file_name(folder))) != system.prefixes.end() &&
        is_folder(files, std::string(parent_path(folder)) + "/" + system.mark))
      return folder;
  return "";
}

std::optional<Fix> rolling_fix(const std::string& dll, const std::string& requester, const FileSystem& files) {
  for (const auto& system : rolling_packages()) {
    const auto prefix = rolling_prefix_of(system, requester, files);
    if (prefix.empty()) continue;
    if (has_another_number(dll, prefix + "/bin", files))
      return Fix{fmt::format("bring all packages of {} to one release, in its shell: another number of it is there",
                             system.name),
                 system.command, ""};
    auto command = system.search;
    replace_all(command, "{path}", shell_word("/" + std::string(file_name(prefix)) + "/bin/" + dll));
    return Fix{fmt::format("install the package that has it, in the shell of {}", system.name), command,
               "if that finds no package: " + system.command};
  }
  return std::nullopt;
}

}  // namespace cudald
