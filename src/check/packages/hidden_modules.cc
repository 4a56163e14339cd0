// A module that comes from another directory than the environment's own: PYTHONPATH stands before site-packages, and
// packages of the user before those of the system. Installing another release changes nothing then.
// Source: CPython Lib/site.py, main(); PYTHONPATH and PYTHONNOUSERSITE in its documentation, "Command line and
// environment".
#include "check/packages/hidden_modules.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/findings/checks.h"
#include "check/packages/lacked_names.h"
#include "package/dist_info.h"
#include "package/site_packages.h"

namespace cudald {
namespace {

/// "llvmlite 0.28.0", by the METADATA beside the module; else its name alone.
std::string with_release(const FileSystem& files, const std::string& folder, const std::string& module) {
  const auto metadata = installed_metadata(files, folder, module);
  return metadata ? metadata->name + " " + metadata->version : "the module " + module;
}

/// The directory of sys.path in which a module, or a part of it, lies.
std::string folder_of(const std::string& file, const std::string& module) {
  const auto at = file.rfind("/" + module);
  return at == std::string::npos ? std::string(parent_path(file)) : file.substr(0, at);
}

/// What leaves a directory out of sys.path; empty if it is there by another way.
struct Way {
  std::string why, command;
};

/// Whether PYTHONPATH names a directory of the tree.
bool is_stated(const Report& report, const std::string& folder) {
  const auto& environment = report.query.environment;
  const auto stated = environment.variable("PYTHONPATH").value_or("");
  const bool windows = report.resolution.windows;
  for (const auto part : split(stated, windows ? ";" : ":")) {
    if (part.empty()) continue;
    if (windows && is_full_windows_path(part)) {
      // The tree has drive C: as its root, or "/C:".
      auto named = folded(part.substr(2));
      std::replace(named.begin(), named.end(), '\\', '/');
      if (folded(folder).ends_with(normal_path(named))) return true;
    } else if (normal_path(absolute_path(std::string(part), environment.cwd)) == folder) {
      return true;
    }
  }
  return false;
}

/// Where the user's own packages end in a path: ".../.local/lib/python3.11/site-packages", of Windows
/// ".../AppData/Roaming/Python/Python311/site-packages"; npos if it is in none.
/// Source: CPython 3.11 Lib/site.py, _getuserbase and _get_path.
std::size_t end_of_user_site(const std::string& path) {
  constexpr std::string_view site = "/site-packages";
  const auto at = (path + "/").find(std::string(site) + "/");
  if (at == std::string::npos) return at;
  const auto above = std::string_view(path).substr(0, at);
  const bool windows =
      folded(file_name(parent_path(above))) == "python" && folded(file_name(above)).starts_with("python3");
  return windows || above.find("/.local/lib/python") != std::string::npos ? at + site.size() : std::string::npos;
}

Way way_of(const Report& report, const std::string& folder) {
  const auto& environment = report.query.environment;
  const bool windows = report.resolution.windows;
  if (is_stated(report, folder)) return {"PYTHONPATH names", windows ? "set PYTHONPATH=" : "unset PYTHONPATH"};
  if (end_of_user_site(folder) == folder.size())
    return {"is of the user's own packages", windows ? "set PYTHONNOUSERSITE=1" : "export PYTHONNOUSERSITE=1"};
  for (const auto& given : report.query.targets) {
    const auto script = normal_path(absolute_path(given, environment.cwd));
    if (script.ends_with(".py") && parent_path(script) == folder)
      return {"is the directory of the script",
              fmt::format("mv {} {}/", shell_word(script), shell_word(std::string(parent_path(folder))))};
  }
  return {};
}

/// Whether the error is about the module, by its words or by where it is raised.
bool concerns(const Import& import, const std::string& error, const Import::Package& package) {
  const auto is_in = [&](const std::string& file) {
    return !package.folder.empty() && file.starts_with(package.folder);
  };
  return folded(error).find(folded(package.name)) != std::string::npos || is_in(import.raised_at) ||
         (import.lacked && (top_of(import.lacked->module) == package.name || is_in(import.lacked->asked_at)));
}

/// Tells that a module comes from such a directory; false if it is there by another way.
bool tell_hiding(const Report& report, const Import::Package& package, const std::string& own, const std::string& place,
                 const FileSystem& files, Finding& finding) {
  const auto [why, command] = way_of(report, own);
  if (package.hides.empty() || command.empty()) return false;
  const auto other = folder_of(package.hides, package.name);
  finding.evidence.push_back(
      {fmt::format("{} is imported from {}, which {}", with_release(files, own, package.name), own, why), place,
       Basis::proven, ""});
  finding.evidence.push_back(
      {fmt::format("it hides {}", with_release(files, other, package.name)), package.hides, Basis::proven, ""});
  finding.fixes.insert(
      finding.fixes.begin(),
      {fmt::format("leave that directory out: then {} of {} is imported", package.name, other), command, ""});
  return true;
}

/// The directory of PYTHONPATH, or of the user's own packages, that a file lies in or below; empty if in none.
std::string hiding_folder(const Report& report, const std::string& path) {
  for (auto folder = parent_path(path); folder.size() > 1; folder = parent_path(folder))
    if (is_stated(report, std::string(folder))) return std::string(folder);
  const auto end = end_of_user_site(path);
  return end == std::string::npos ? "" : path.substr(0, end);
}

/// A module of that name among the packages of an environment; empty if there is none.
std::string module_in(const std::string& prefix, const std::string& name, const FileSystem& files) {
  auto sites = site_packages(prefix, files);
  sites.push_back(prefix + "/Lib/site-packages");  // of Windows
  for (const auto& site : sites) {
    for (const auto* end : {"/__init__.py", ".py"})
      if (is_file(files, site + "/" + name + end)) return site + "/" + name + end;
    if (const auto names = files.list(site))
      for (const auto& entry : *names)
        if (entry.starts_with(name + ".") && (entry.ends_with(".so") || entry.ends_with(".pyd")))
          return site + "/" + entry;
  }
  return "";
}

/// Where a part of a package lies in a directory of packages; empty if it does not.
std::string place_of_part(const std::string& site, std::string module, const FileSystem& files) {
  std::replace(module.begin(), module.end(), '.', '/');
  for (const auto* end : {"/__init__.py", ".py"})
    if (auto place = site + "/" + module + end; is_file(files, place)) return place;
  return "";
}

}  // namespace

std::vector<std::string> first_folders(const Report& report) {
  const auto& environment = report.query.environment;
  std::vector<std::string> folders;
  for (const auto& given : report.query.targets)
    if (given.ends_with(".py")) folders.emplace_back(parent_path(normal_path(absolute_path(given, environment.cwd))));
  folders.push_back(environment.cwd);
  const auto stated = environment.variable("PYTHONPATH").value_or("");
  for (const auto part : split(stated, ":"))
    if (!part.empty()) folders.push_back(normal_path(absolute_path(std::string(part), environment.cwd)));
  return folders;
}

bool tell_hiding_file(const Report& report, const Import& import, const Import::MissingModule& missing,
                      const FileSystem& files, Finding& finding) {
  const auto top = top_of(missing.name);
  if (missing.name == top || report.resolution.windows || import.python.empty()) return false;
  for (const auto& folder : first_folders(report)) {
    const auto own = folder + "/" + top + ".py";
    if (!is_file(files, own)) continue;
    for (const auto& site : site_packages(std::string(parent_path(parent_path(import.python))), files)) {
      const auto part = place_of_part(site, missing.name, files);
      if (part.empty() || site == folder) continue;
      finding.message = fmt::format(
          "{} is the file {}, which has no parts: it hides the installed package, and with "
          "it {}",
          top, own, missing.name);
      finding.evidence.push_back({"it comes first in the search of Python", own, Basis::proven, ""});
      finding.evidence.push_back({fmt::format("{} is installed", missing.name), part, Basis::proven, ""});
      finding.fixes.push_back({"give the file a name that no package has, also where it is imported",
                               fmt::format("mv {} {}", shell_word(own), shell_word(folder + "/own_" + top + ".py")),
                               ""});
      return true;
    }
  }
  return false;
}

bool tell_hidden_module(const Report& report, const Import& import, const std::string& error, Store& store,
                        Finding& finding) {
  const auto& files = store.images.files();
  for (const auto& package : import.packages) {
    if (package.hides.empty() || package.folder.empty() || !concerns(import, error, package)) continue;
    const auto own = std::string(parent_path(package.folder.substr(0, package.folder.size() - 1)));
    if (tell_hiding(report, package, own, package.folder, files, finding)) return true;
  }
  return false;
}

void check_hidden_modules(const Case& given) {
  auto& report = given.report;
  const auto& files = given.store.images.files();
  for (const auto& import : report.resolution.imports) {
    // Of Windows python.exe lies in the prefix itself.
    const auto program = std::string(parent_path(import.python));
    const auto prefix =
        report.resolution.windows ? program : report.query.prefix.value_or(std::string(parent_path(program)));
    if (prefix.empty()) continue;
    for (auto& finding : report.findings) {
      if (!finding.object || finding.level != Level::error) continue;
      const auto& path = report.resolution.objects[*finding.object].path;
      const auto own = hiding_folder(report, path);
      if (own.empty() || path.size() <= own.size() + 1) continue;
      const auto below = path.substr(own.size() + 1);
      Import::Package package{below.substr(0, below.find_first_of("./")), "", "", ""};
      package.hides = module_in(prefix, package.name, files);
      if (tell_hiding(report, package, own, path, files, finding)) break;
    }
  }
}

}  // namespace cudald
