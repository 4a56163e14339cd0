// A module that comes from another directory than the environment's own: PYTHONPATH stands before site-packages, and
// packages of the user before those of the system. Installing another release changes nothing then.
// Source: CPython Lib/site.py, main(); PYTHONPATH and PYTHONNOUSERSITE in its documentation, "Command line and
// environment".
#include "check/packages/hidden_modules.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/windows_path.h"
#include "check/packages/lacked_names.h"
#include "package/dist_info.h"

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

Way way_of(const Report& report, const std::string& folder) {
  const auto& environment = report.query.environment;
  const auto stated = environment.variable("PYTHONPATH").value_or("");
  for (const auto part : split(stated, ":"))
    if (!part.empty() && normal_path(absolute_path(std::string(part), environment.cwd)) == folder)
      return {"PYTHONPATH names", "unset PYTHONPATH"};
  if (folder.find("/.local/lib/python") != std::string::npos)
    return {"is of the user's own packages", "export PYTHONNOUSERSITE=1"};
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

}  // namespace

bool tell_hidden_module(const Report& report, const Import& import, const std::string& error, Store& store,
                        Finding& finding) {
  const auto& files = store.images.files();
  for (const auto& package : import.packages) {
    if (package.hides.empty() || package.folder.empty() || !concerns(import, error, package)) continue;
    const auto own = std::string(parent_path(package.folder.substr(0, package.folder.size() - 1)));
    const auto [why, command] = way_of(report, own);
    if (command.empty()) continue;
    const auto other = folder_of(package.hides, package.name);
    finding.evidence.push_back(
        {fmt::format("{} is imported from {}, which {}", with_release(files, own, package.name), own, why),
         package.folder, Basis::proven, ""});
    finding.evidence.push_back(
        {fmt::format("it hides {}", with_release(files, other, package.name)), package.hides, Basis::proven, ""});
    finding.fixes.insert(
        finding.fixes.begin(),
        {fmt::format("leave that directory out: then {} of {} is imported", package.name, other), command, ""});
    return true;
  }
  return false;
}

}  // namespace cudald
