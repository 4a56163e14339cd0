#include "session/kept_requirements.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/listed.h"
#include "base/path.h"
#include "check/fixes/common_fixes.h"
#include "package/dist_info.h"
#include "package/package_tree.h"
#include "session/failed_import.h"
#include "session/pip_commands.h"

namespace cudald {
namespace {

/// What a command pins, and does not take from elsewhere.
std::vector<Requirement> pinned_by(const PipCommand& command) {
  std::vector<Requirement> pinned;
  for (const auto& word : command.words) {
    if (word == "--no-deps" || word == "--target" || word == "-t") return {};
    if (auto requirement = word.starts_with('-') ? std::nullopt : parse_requirement(word))
      pinned.push_back(*std::move(requirement));
  }
  return pinned;
}

}  // namespace

std::optional<Fix> with_requirers(const Fix& fix, const FileSystem& files, const std::string& site,
                                  const MarkerValues& markers) {
  auto extended = fix;
  extended.command.clear();
  std::vector<std::string> added;
  for (const auto line : split(fix.command, "\n")) {
    extended.command += (extended.command.empty() ? "" : "\n") + std::string(line);
    const auto command = pip_command(std::string(line));
    const auto pinned = command && command->install ? pinned_by(*command) : std::vector<Requirement>();
    for (const auto& name : requirers_that_exclude(files, site, pinned, markers)) {
      // Of one of which the fix says itself that no release fits, none is asked for.
      if (!is_distribution_name(name) || fix.side_effect.find(name + " ") != std::string::npos) continue;
      extended.command += " " + name;
      added.push_back(name);
    }
  }
  if (added.empty()) return std::nullopt;
  const bool one = added.size() == 1;
  extended.title += fmt::format(", and the release{} of {} that go{} with it", one ? "" : "s",
                                listed(added, added.size()), one ? "es" : "");
  return extended;
}

void keep_requirements(Report& report, const FileSystem& files) {
  const auto* failed = failed_import(report);
  const auto site = failed == nullptr ? std::string() : site_of(*failed);
  if (site.empty() || site.starts_with(PackageTree::prefix)) return;
  const auto machine = machine_name(report.resolution.machine);
  const auto markers = report.resolution.windows ? windows_marker_values(failed->python_version, machine)
                                                 : linux_marker_values(failed->python_version, machine);
  for (auto& finding : report.findings)
    for (auto& fix : finding.fixes)
      if (auto extended = with_requirers(fix, files, site, markers)) fix = *std::move(extended);
}

}  // namespace cudald
