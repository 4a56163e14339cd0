// "X.dll was not found", pasted without the program: which package has that DLL is known of those that many programs
// need (data/windows.json). Of any other one only what made the program can tell.

#include "session/dll_help.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/fixes/windows_fixes.h"
#include "knowledge/windows_names.h"

namespace cudald {
namespace {

constexpr std::string_view usual_machine = "x86_64", here = ".";

bool is_dll(const std::string& name) { return folded(name).ends_with(".dll"); }

/// A package for programs of 64 bits, and the same for those of 32: which of the two lacks is not known.
std::string for_both_sizes(const std::string& command) {
  const auto other = command_for_machine(command, "i386");
  return other == command ? command : command + "\n" + other;
}

/// A Windows without winget downloads the newest redistributable. Source: Microsoft, Use the WinGet tool: it is a part
/// of Windows 10 and 11 for users, and not of Windows Server before 2025.
std::string without_winget_text(const std::string& command) {
  constexpr int oldest = 1;
  const auto other = without_winget(command, oldest);
  constexpr std::string_view start = "start ";
  if (!other || !other->command.starts_with(start)) return "";
  return fmt::format("; where there is no winget, as on Windows Server: {}", other->command.substr(start.size()));
}

/// The first ways of a table, up to one with a command.
Fix joined(const std::vector<Fix>& ways) {
  Fix help;
  for (const auto& way : ways) {
    help.title += (help.title.empty() ? "" : "; ") + way.title;
    help.command = way.command;
    if (!help.command.empty()) break;
  }
  return help;
}

}  // namespace

std::optional<Fix> dll_help(MessageReading& message) {
  if (!is_dll(message.library) || !message.symbol.empty()) return std::nullopt;
  const auto name = folded(windows_file_name(message.library));
  if (const auto later = added_later(name)) {
    message.means += fmt::format("; {} comes with {}", message.library, later->title);
    return Fix{fmt::format("install {}, for programs of 64 and of 32 bits{}", later->title,
                           without_winget_text(later->command)),
               for_both_sizes(later->command), ""};
  }
  const auto installer = installer_of(name);
  if (!installer) return std::nullopt;
  message.means += fmt::format("; of {}: {}", message.library, installer->says);
  const PlaceOfDll place{"the program", std::string(here)};
  const std::string dll(windows_file_name(message.library));
  auto help = joined(ways_to_bring(*installer, dll, place, usual_machine));
  if (help.command.find(windows_word(std::string(here))) != std::string::npos)
    help.title = fmt::format(
        "use a newer release of the program, which should come with it; or {}, in the directory of "
        "the program",
        help.title);
  else
    help.title += without_winget_text(help.command);
  const auto& ways = installer->ways;
  if (ways.front().machine == usual_machine && !joined(ways_to_bring(*installer, dll, place, "i386")).command.empty())
    help.title += "; these lines are for a program of 64 bits, and `cudald PROGRAM` has those for one of 32";
  help.command = for_both_sizes(help.command);
  return help;
}

std::optional<Fix> help_for_own_dll(const MessageReading& message) {
  if (!is_dll(message.library) || !message.symbol.empty()) return std::nullopt;
  return Fix{
      fmt::format("{} is not a part of Windows, so it belongs to the program: unpack that as a whole and start it "
                  "from its own directory; else install it again, or a newer release",
                  message.library),
      "", ""};
}

}  // namespace cudald
