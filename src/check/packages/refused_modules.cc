// A compiled module that another package refuses, as it was built for another release of it: NumPy 2 refuses what was
// built for NumPy 1 alone. Which module that is, and in what words, the import says (pyimport/run/array_abi.cc).
#include "check/packages/refused_modules.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/account.h"
#include "check/findings/checks.h"

namespace cudald {
namespace {

/// The package that has the module.
std::optional<PackageName> owner_of(const Import::RefusedModule& refused, Store& store) {
  if (const auto* package = store.packages.package_of(refused.path))
    return PackageName{package->name, package->version};
  if (const auto* installed = store.installed.package_of(refused.path)) return *installed;
  return std::nullopt;
}

const RequiredPackage* required(const World& world, const std::string& name) {
  for (const auto& one : world.requirements)
    if (one.name == name) return &one;
  return nullptr;
}

void add_release(const Report& report, const Import::RefusedModule& refused, Finding& finding) {
  const auto* chosen = required(report.resolution.world, refused.package);
  if (chosen == nullptr || chosen->at_hand) return;
  finding.evidence.push_back({fmt::format("an installer chooses {} {}: {} requires {}{}", refused.package,
                                          chosen->release, chosen->by, refused.package, chosen->specifiers),
                              "", Basis::table, ""});
  add_requirements_source(report.resolution.world, finding);
}

/// Whether nothing else that is required may ask for an older release of the package; else the finding says what may.
bool is_chosen_for_sure(const World& world, const std::string& package, Finding& finding) {
  const auto* chosen = required(world, package);
  if (chosen == nullptr || chosen->release_certain) return true;
  std::vector<std::string> others;
  for (const auto& one : world.requirements)
    if (!one.at_hand && !one.known) others.push_back(one.name);
  finding.evidence.push_back({fmt::format("unless {} {} an older one, of which nothing is known here",
                                          fmt::join(others, " or "), others.size() == 1 ? "requires" : "require"),
                              "", Basis::table, ""});
  return false;
}

/// The package is not there at all.
Finding absence_finding(const Import::RefusedModule& refused, const std::string& error, const Installer& installer) {
  auto finding = make_finding("CUD114");
  finding.subject = refused.module;
  finding.message = fmt::format("{} needs {}, which is not installed: {}", refused.module, refused.spoken, error);
  finding.evidence.push_back({fmt::format("{} asks for the C interface of {} before {} when it is initialised",
                                          refused.module, refused.spoken, refused.border),
                              refused.path, Basis::proven, ""});
  finding.fixes.push_back({fmt::format("install the {} that it was built for", refused.spoken),
                           installer.install() + shell_word(refused.package + refused.bounds), ""});
  return finding;
}

}  // namespace

bool is_refusal(const Import& import, const std::string& error) {
  return import.refused && error.find(import.refused->error) != std::string::npos;
}

Finding refusal_finding(const Report& report, const Import::RefusedModule& refused, const std::string& error,
                        const Installer& installer, Store& store) {
  if (refused.absent) return absence_finding(refused, error, installer);
  const auto owner = owner_of(refused, store);
  const bool newer = refused.bounds.starts_with('<');
  const auto there = refused.spoken + " " + (refused.version.empty() ? refused.border : refused.version);
  auto finding = make_finding("CUD514");
  finding.subject = refused.module;
  finding.message = fmt::format("{} was built for {} {} and is refused by {}: {}", refused.module, refused.spoken,
                                newer ? "older than " + refused.border : refused.border + " or newer", there, error);
  finding.evidence.push_back({fmt::format("{} asks for the C interface of {} {}", refused.module, refused.spoken,
                                          newer ? "before " + refused.border : refused.border),
                              refused.path, Basis::proven, ""});
  add_release(report, refused, finding);
  if (!refused.printed.empty())
    finding.evidence.push_back({refused.spoken + " prints: " + refused.printed, "", Basis::table, ""});
  const auto bound = shell_word(refused.package + refused.bounds);
  const bool alone = report.resolution.world.kind == WorldKind::tag && owner;
  finding.fixes.push_back({fmt::format("use the {} that it was built for", refused.spoken),
                           installer.install() + (alone ? shell_word(owner->name + "==" + owner->version) + " " : "") +
                               (newer ? bound : "--upgrade " + bound),
                           ""});
  if (newer && owner)
    finding.fixes.push_back(
        {fmt::format("use a newer {}", owner->name), installer.install() + "--upgrade " + shell_word(owner->name),
         fmt::format("if a release after {} was built for {} {}", owner->version, refused.spoken, refused.border)});
  return finding;
}

void check_refused_modules(const Case& given) {
  auto& report = given.report;
  const auto& refused = report.resolution.refused_modules;
  const auto is_told = [](const Finding& finding) { return finding.code == "CUD514"; };
  if (refused.empty() || std::any_of(report.findings.begin(), report.findings.end(), is_told)) return;
  const auto& first = refused.front();
  Object module;
  module.path = first.path;
  auto finding = refusal_finding(report, first, first.error, {report, module, given.store.images.files()}, given.store);
  // The package's import works, so that only whoever imports the module fails; unless all of it is of that kind.
  const bool sure = is_chosen_for_sure(report.resolution.world, first.package, finding);
  if (report.resolution.imports_reach_modules || !sure) finding.level = Level::warning;
  finding.consequence = "Importing it fails: " + first.error;
  if (refused.size() > 1)
    finding.evidence.push_back(
        {fmt::format("{} more modules of it are refused as well", refused.size() - 1), "", Basis::proven, ""});
  report.findings.push_back(std::move(finding));
}

}  // namespace cudald
