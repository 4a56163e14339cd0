// A snap is started with the root of its base, and with what other snaps share with it: no package of the system has
// part in that. Sources: Snap documentation, "Base snaps", "The content interface", "Classic confinement" and "Manage
// updates"; github.com/keepassxreboot/keepassxc issue 3203, github.com/Legcord/Legcord issue 845.

#include "check/fixes/snap.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/trimmed.h"

namespace cudald {
namespace {

struct SnapProgram {
  std::string name, revision;          ///< "keepassxc", "348"
  std::vector<std::string> providers;  ///< other snaps that it gets libraries from: "core18"
  bool classic = false;                ///< it sees the files of the system as well
  std::string root;                    ///< that has all snaps: "/snap"
};

/// What stands behind "base:" in the description of a snap, without what follows a further colon.
std::optional<std::string> value_of(std::string_view line, std::string_view key) {
  line = trimmed(line, all_blanks);
  if (!line.starts_with(key)) return std::nullopt;
  auto value = trimmed(line.substr(key.size()), all_blanks);
  return std::string(value.substr(0, value.find(':')));
}

std::optional<SnapProgram> snap_program(const std::string& path, const FileSystem& files) {
  constexpr std::uint64_t most_text = 1 << 18;
  for (const std::string root : {"/snap", "/var/lib/snapd/snap"}) {
    if (!path.starts_with(root + "/")) continue;
    const auto parts = split(std::string_view(path).substr(root.size() + 1), "/");
    if (parts.size() < 3) return std::nullopt;
    SnapProgram found{std::string(parts[0]), std::string(parts[1]), {}, false, root};
    const auto text = read_file(files, fmt::format("{}/{}/{}/meta/snap.yaml", root, parts[0], parts[1]), most_text);
    for (const auto line : text ? split(*text, "\n") : std::vector<std::string_view>()) {
      for (const std::string_view key : {"base:", "default-provider:"})
        if (auto value = value_of(line, key); value && !value->empty() && *value != "bare")
          found.providers.push_back(*std::move(value));
      if (const auto kind = value_of(line, "confinement:")) found.classic |= *kind == "classic";
    }
    return found;
  }
  return std::nullopt;
}

/// The directory of a snap that has the library; empty if none has.
std::string directory_with(const std::string& snap, const std::string& library, const FileSystem& files) {
  for (const auto* below : {"/lib", "/usr/lib"}) {
    const auto folder = snap + below;
    if (is_file(files, folder + "/" + library)) return folder;
    const auto names = files.list(folder);
    for (const auto& name : names ? *names : std::vector<std::string>())
      if (name.find("-linux-gnu") != std::string::npos && is_file(files, folder + "/" + name + "/" + library))
        return folder + "/" + name;
  }
  return "";
}

}  // namespace

bool add_snap(const std::string& path, const std::string& library, const FileSystem& files, Finding& finding) {
  const auto program = snap_program(path, files);
  if (!program) return false;
  const auto name = shell_word(program->name);
  for (const auto& provider : program->providers) {
    const auto snap = program->root + "/" + provider + "/current";
    if (const auto folder = directory_with(snap, library, files); !folder.empty() && !program->classic) {
      finding.message +=
          fmt::format("; the snap {} is started with the files of {}, and {} has it", program->name, provider, folder);
      finding.fixes.push_back({"start it as a snap", "snap run " + name, ""});
      return true;
    }
    if (is_folder(files, program->root + "/" + provider)) continue;
    finding.message +=
        fmt::format("; the snap {} gets libraries from the snap {}, which is not installed", program->name, provider);
    finding.fixes.push_back({"install that snap", "sudo snap install " + shell_word(provider), ""});
    return true;
  }
  const auto others =
      program->providers.empty() ? std::string() : fmt::format(", nor {}", fmt::join(program->providers, " and "));
  finding.message +=
      fmt::format("; revision {} of the snap {} does not have it{}", program->revision, program->name, others);
  finding.fixes.push_back({"take a later revision, which its publisher made with the library",
                           "sudo snap refresh " + name, "if there is none yet: tell the publisher"});
  finding.fixes.push_back({"or go back to the revision that was installed before", "sudo snap revert " + name, ""});
  if (!program->classic) finding.does_not_help.push_back("a package of the system: a snap does not see its libraries");
  return true;
}

}  // namespace cudald
