// Flatpak starts a program in a sandbox, with its own files as /app and those of a runtime as /usr: no package of the
// system has part in that, and what installs packages does not help.
// Sources: Flatpak documentation, "Basic concepts" and "Under the Hood"; flatpak-metadata(5); /.flatpak-info in
// flatpak-run(1); github.com/telegramdesktop/tdesktop issue 27955.

#include "check/fixes/flatpak.h"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"

namespace cudald {
namespace {

struct FlatpakProgram {
  std::string id;                    ///< "org.telegram.desktop"
  std::string runtime;               ///< "org.freedesktop.Platform/x86_64/23.08"; empty: not known
  std::vector<std::string> folders;  ///< whose lib is searched: of the program, the runtime, and their extensions
  bool has_runtime = false;          ///< it is installed
  bool sandbox = false;              ///< the tree is what the program sees
};

/// What stands behind "runtime=" in the description of a program or sandbox.
std::string value_in(const std::string& text, std::string_view key) {
  for (const auto line : split(text, "\n"))
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == '=')
      return std::string(line.substr(key.size() + 1));
  return "";
}

std::vector<std::string> names_in(const std::string& folder, const FileSystem& files) {
  const auto names = files.list(folder);
  return names ? *names : std::vector<std::string>();
}

/// Adds the installed extensions that a description has a place for, `[Extension org.freedesktop.Platform.GL]`: drivers
/// and codecs, of which the names begin like that.
void add_extensions(const std::string& description, const std::string& root, const FileSystem& files,
                    std::vector<std::string>& folders) {
  constexpr std::string_view begin = "[Extension ";
  const auto runtimes = names_in(root + "/runtime", files);
  for (const auto line : split(description, "\n")) {
    if (!line.starts_with(begin) || !line.ends_with(']')) continue;
    const auto name = line.substr(begin.size(), line.size() - begin.size() - 1);
    for (const auto& runtime : runtimes) {
      if (!runtime.starts_with(name)) continue;
      const auto below = root + "/runtime/" + runtime;
      for (const auto& machine : names_in(below, files))
        for (const auto& branch : names_in(below + "/" + machine, files))
          folders.push_back(below + "/" + machine + "/" + branch + "/active/files");
    }
  }
}

std::optional<FlatpakProgram> flatpak_program(const std::string& path, const FileSystem& files) {
  constexpr std::string_view apps = "/flatpak/app/", in_files = "/files/", in_app = "/app/", kind = "runtime/";
  constexpr std::uint64_t most_text = 1 << 16;
  FlatpakProgram found;
  if (path.starts_with(in_app)) {
    const auto info = read_file(files, "/.flatpak-info", most_text);
    if (!info) return std::nullopt;
    found.sandbox = true;
    found.id = value_in(*info, "name");
    found.runtime = value_in(*info, "runtime");
    if (found.runtime.starts_with(kind)) found.runtime.erase(0, kind.size());
    return found;
  }
  const auto at = path.find(apps);
  const auto end = at == std::string::npos ? at : path.find(in_files, at);
  if (end == std::string::npos) return std::nullopt;
  const auto own = path.substr(0, end);
  found.id = path.substr(at + apps.size(), path.find('/', at + apps.size()) - at - apps.size());
  const auto description = read_file(files, own + "/metadata", most_text);
  if (description) found.runtime = value_in(*description, "runtime");
  found.folders.push_back(own + "/files");
  for (const auto& root : {path.substr(0, at) + "/flatpak", std::string("/var/lib/flatpak")}) {
    const auto runtime = root + "/runtime/" + found.runtime + "/active";
    if (found.runtime.empty() || !is_folder(files, runtime + "/files")) continue;
    const auto its_own = read_file(files, runtime + "/metadata", most_text);
    found.has_runtime = its_own || its_own.error().code == ErrorCode::absent;
    found.folders.push_back(runtime + "/files");
    add_extensions(*description, root, files, found.folders);
    if (its_own) add_extensions(*its_own, root, files, found.folders);
  }
  return found;
}

/// The directory below these that has a library; empty if none has.
std::string folder_with(const std::vector<std::string>& folders, const std::string& library, const FileSystem& files) {
  for (const auto& folder : folders) {
    const auto names = files.list(folder + "/lib");
    if (!names) continue;
    if (is_file(files, folder + "/lib/" + library)) return folder + "/lib";
    for (const auto& name : *names)
      if (name.find("-linux-gnu") != std::string::npos && is_file(files, folder + "/lib/" + name + "/" + library))
        return folder + "/lib/" + name;
  }
  return "";
}

}  // namespace

bool add_flatpak(const std::string& path, const std::string& library, const FileSystem& files, Finding& finding) {
  const auto program = flatpak_program(path, files);
  if (!program || program->id.empty()) return false;
  const auto folder = folder_with(program->folders, library, files);
  const auto runtime = program->runtime.empty() ? "its runtime" : "the runtime " + program->runtime;
  if (!folder.empty()) {
    finding.message += fmt::format("; Flatpak starts the program with {}, and {} has it", runtime, folder);
    finding.fixes.push_back({"start it through Flatpak", fmt::format("flatpak run {}", shell_word(program->id)), ""});
    return true;
  }
  // Without the runtime nothing shows what the program gets.
  if (!program->sandbox && !program->has_runtime) {
    finding.message += fmt::format("; Flatpak starts the program with {}, which is not installed here", runtime);
    finding.fixes.push_back({"install the program again, which installs its runtime",
                             fmt::format("flatpak install --reinstall {}", shell_word(program->id)), ""});
    return true;
  }
  finding.message += fmt::format("; Flatpak starts the program with {}, which does not have it either", runtime);
  finding.fixes.push_back({fmt::format("update the program and its runtime, which are of releases that do not go "
                                       "together{}",
                                       program->sandbox ? "; on the machine, outside of the sandbox" : ""),
                           "flatpak update", ""});
  const auto parts = split(program->runtime, "/");
  if (parts.size() == 3)
    finding.fixes.push_back({"or go back to an earlier commit of the runtime, by the log of the remote",
                             fmt::format("flatpak remote-info --log flathub {0}//{1}\nsudo flatpak update "
                                         "--commit=COMMIT {0}//{1}",
                                         parts[0], parts[2]),
                             ""});
  finding.fixes.push_back({"or go back to an earlier commit of the program, where its update brought this",
                           fmt::format("flatpak remote-info --log flathub {0}\nsudo flatpak update --commit=COMMIT {0}",
                                       shell_word(program->id)),
                           ""});
  finding.does_not_help.push_back("a package of the system: the sandbox does not have its files");
  return true;
}

bool lacks_in_flatpak(const std::string& path, const std::string& library, const FileSystem& files) {
  const auto program = flatpak_program(path, files);
  return program && !program->sandbox && program->has_runtime && folder_with(program->folders, library, files).empty();
}

}  // namespace cudald
