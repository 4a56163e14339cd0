// An editable installation is a .pth file with the directory of the sources, or a finder that has it: where that is
// moved or left out of an image, nothing is found, and Python says no more than that the module is not there.
// A finder is asked after all of sys.path: a directory there that bears the name of the package comes before it, though
// it has no code, as that which holds the project does where Python is started beside it.
// Source: PEP 660 and PEP 420; setuptools 70 setuptools/command/editable_wheel.py and develop.py; setuptools,
// Development Mode, "editable_mode=compat"; github.com/astral-sh/uv issue 1708.
#include "check/packages/lost_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/trimmed.h"
#include "check/packages/hidden_modules.h"
#include "check/packages/lacked_names.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_text = 256 << 10;
constexpr std::size_t most_looked_through = 200;

struct LostSources {
  std::string file, directory;
  bool named = false;  ///< they are those of the module that is missing
};

/// The distribution of "__editable__.toolx-0.3.0.pth"; empty of other files.
std::string distribution_of_pth(std::string_view name) {
  constexpr std::string_view before = "__editable__.";
  if (!name.starts_with(before)) return {};
  name.remove_prefix(before.size());
  return normal_distribution_name(name.substr(0, name.find('-')));
}

/// Lines of a .pth file that name a directory which is not there.
void add_lost_lines(const FileSystem& files, const std::string& site, const std::string& name, const std::string& top,
                    std::vector<LostSources>& lost) {
  const auto text = read_file(files, site + "/" + name, most_text);
  if (!text) return;
  const auto wanted = normal_distribution_name(top);
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const auto written = trimmed(line);
    if (written.empty() || written.starts_with('#') || written.starts_with("import ")) continue;
    const auto directory = normal_path(absolute_path(std::string(written), site));
    if (files.status(directory)) continue;
    const bool named = distribution_of_pth(name) == wanted ||
                       normal_distribution_name(file_name(directory)) == wanted ||
                       normal_distribution_name(file_name(parent_path(directory))) == wanted;
    lost.push_back({site + "/" + name, directory, named});
  }
}

/// The place that a finder of setuptools has for a module: `MAPPING: dict[str, str] = {'toolx': '/home/me/toolx'}`.
std::optional<std::string> mapped_place(const FileSystem& files, const std::string& path, const std::string& top) {
  const auto text = read_file(files, path, most_text);
  const auto table = text ? text->find("\nMAPPING") : std::string::npos;
  if (table == std::string::npos) return std::nullopt;
  const auto key = "'" + top + "': '";
  const auto end = text->find('}', table), at = text->find(key, table);
  if (at == std::string::npos || at > end) return std::nullopt;
  const auto begin = at + key.size();
  return text->substr(begin, text->find('\'', begin) - begin);
}

/// The same where nothing is at that place.
std::optional<LostSources> place_of_finder(const FileSystem& files, const std::string& path, const std::string& top) {
  auto place = mapped_place(files, path, top);
  if (!place || files.status(*place) || files.status(*place + ".py")) return std::nullopt;
  return LostSources{path, *std::move(place), true};
}

bool is_finder(std::string_view name) { return name.starts_with("__editable__") && name.ends_with("_finder.py"); }

/// The site-packages that an editable installation would lie in.
std::string site_of(const Import& import, const Installer& installer) {
  if (!installer.site().empty() || import.python.empty()) return installer.site();
  return fmt::format("{}/lib/python{}/site-packages", parent_path(parent_path(import.python)), import.python_version);
}

/// A directory of sys.path, before site-packages, that holds one of this name without code; empty if none does.
std::string folder_without_code(const Report& report, const std::string& top, const FileSystem& files) {
  for (const auto& folder : first_folders(report)) {
    const auto place = folder + "/" + top;
    const auto status = files.status(place);
    if (status && status->kind == FileKind::folder && !files.status(place + "/__init__.py")) return place;
  }
  return "";
}

/// The project from which a distribution was installed for development: "url" of its direct_url.json. Source: PEP 610.
std::string project_of(const FileSystem& files, const std::string& site, const std::string& finder) {
  constexpr std::string_view url = "\"file://";
  const auto entries = files.list(site);
  if (!entries) return "";
  for (const auto& entry : *entries) {
    // "__editable___my_tool_0_1_finder.py" of "my_tool-0.1.dist-info".
    auto called = entry.substr(0, entry.rfind(".dist-info"));
    if (called == entry) continue;
    std::replace_if(called.begin(), called.end(), [](char c) { return c == '-' || c == '.'; }, '_');
    if (finder != "__editable___" + called + "_finder.py") continue;
    const auto text = read_file(files, site + "/" + entry + "/direct_url.json", most_text);
    const auto at = text ? text->find(url) : std::string::npos;
    if (at == std::string::npos) return "";
    const auto begin = at + url.size();
    auto place = text->substr(begin, text->find('"', begin) - begin);
    return place.find('%') == std::string::npos ? place : "";
  }
  return "";
}

std::vector<LostSources> lost_sources(const FileSystem& files, const std::string& site, const std::string& top) {
  std::vector<LostSources> lost;
  const auto entries = files.list(site);
  if (!entries) return lost;
  std::size_t read = 0;
  for (const auto& name : *entries) {
    const bool is_pth = name.ends_with(".pth");
    if (read >= most_looked_through || !(is_pth || is_finder(name))) continue;
    ++read;
    if (is_pth) add_lost_lines(files, site, name, top, lost);
    if (auto place = is_pth ? std::nullopt : place_of_finder(files, site + "/" + name, top)) lost.push_back(*place);
  }
  return lost;
}

}  // namespace

bool tell_lost_sources(const Import& import, const Import::MissingModule& missing, const Installer& installer,
                       const FileSystem& files, Finding& finding) {
  const auto site = site_of(import, installer);
  const auto top = top_of(missing.name);
  for (const auto& one : lost_sources(files, site, top)) {
    if (!one.named) continue;
    finding.message = fmt::format("the module {} is not found: the sources of its editable installation are gone", top);
    finding.evidence.push_back({fmt::format("{} leads to {}, which does not exist", file_name(one.file), one.directory),
                                one.file, Basis::proven, ""});
    finding.fixes.push_back(
        {fmt::format("install it again from the directory where its sources are now: {}-e DIRECTORY",
                     installer.install()),
         "", fmt::format("or put them back to {}", one.directory)});
    return true;
  }
  return false;
}

bool tell_hidden_sources(const Report& report, const Import& import, const std::string& module,
                         const Installer& installer, const FileSystem& files, Finding& finding) {
  const auto top = top_of(module), hiding = folder_without_code(report, top, files), site = site_of(import, installer);
  if (hiding.empty()) return false;
  finding.evidence.push_back(
      {fmt::format("{} is the directory {}, which has no __init__.py: a namespace, without code", top, hiding), hiding,
       Basis::proven, ""});
  const auto entries = files.list(site);
  if (!entries) return false;
  for (const auto& name : *entries) {
    const auto place = is_finder(name) ? mapped_place(files, site + "/" + name, top) : std::nullopt;
    if (!place || !files.status(*place)) continue;
    finding.evidence.push_back(
        {fmt::format("the editable installation of {} leads to {}; its finder is asked after the directories of "
                     "sys.path",
                     top, *place),
         site + "/" + name, Basis::proven, ""});
    const auto project = project_of(files, site, name);
    if (project.empty()) {
      finding.fixes.push_back(
          {fmt::format("start Python, or put the script, where no directory is called {}", top), "", ""});
      return true;
    }
    finding.fixes.push_back(
        {"install it so that its directory itself is in sys.path, where the package comes before a namespace",
         installer.install() + fmt::format("-e {} --config-settings editable_mode=compat", shell_word(project)), ""});
    return true;
  }
  return false;
}

}  // namespace cudald
