#include "check/fixes/framework_library.h"

#include <optional>

#include <fmt/format.h>

#include "base/shell_word.h"
#include "base/wildcard.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/build_fixes.h"
#include "knowledge/framework_builds.h"
#include "knowledge/frameworks.h"
#include "package/dist_info.h"
#include "package/requirement.h"

namespace cudald {
namespace {

/// A framework that is installed, in a build without the library: that for the CPU, or for GPUs of another maker; or in
/// another release than the one that the requester was compiled against.
bool add_framework_build(const MissingLibrary& missing, const std::string& distribution) {
  const auto& installer = missing.installer();
  const auto there = installed_metadata(missing.images.files(), installer.site(), distribution);
  const bool is_its_own = missing.requester.package && normal_distribution_name(missing.requester.package->name) ==
                                                           normal_distribution_name(distribution);
  if (!there || !missing.requester.package || is_its_own) return false;
  const auto parts = builds_with_library(distribution, missing.edge.name);
  const auto build = knowledge_of(missing.report).framework(distribution, there->version, platform_of(missing.report));
  const auto stated = build_label(there->version);
  const auto label = stated.empty() ? "cu" : stated;
  const bool other_kind = parts && !matches(label, parts->labels);
  const auto& files = missing.images.files();
  // What the search would find, were it named in it, is for other fixes.
  const auto* framework = framework_of_distribution(distribution);
  if (!other_kind && is_file(files, installer.site() + "/" + framework->folder + "/" + missing.edge.name)) return false;
  const auto installed = there->name + " " + there->version;
  auto reason = other_kind
                    ? fmt::format("only {} for {} has such a library, and {} is installed", distribution, parts->called,
                                  installed)
                    : fmt::format("{} {} was compiled against another release: {} has no such library",
                                  missing.requester.package->name, missing.requester.package->version, installed);
  const auto name = normal_distribution_name(missing.requester.package->name);
  std::optional<Fix> fix;
  if (other_kind && parts->labels == "cu*" && label == "cpu") {
    const auto& driver = missing.report.query.environment.driver;
    const auto newest =
        driver.empty() ? "" : knowledge_of(missing.report).newest_cuda_on(driver, platform_of(missing.report));
    fix = other_build(distribution, there->version, {missing.report.query.gpus, newest}, installer, files);
  }
  if (!fix && other_kind) fix = build_in_step(name, missing.requester.package->version, there->version, installer);
  if (!fix)
    fix = made_for_framework(*missing.requester.package, distribution, there->version,
                             stated.empty() && build ? build->cuda : "", installer);
  // Who catches the failure has a package of which a part is missing.
  if (other_kind && missing.finding.level == Level::note) missing.finding.level = Level::warning;
  missing.finding.message += "; " + reason;
  missing.finding.evidence.push_back(
      {fmt::format("{} has no {}", installed, missing.edge.name), "", Basis::proven, ""});
  fix->reason = std::move(reason);
  fix->other_build = true;
  missing.remedies.try_emplace(missing.edge.name, Remedy{"", "", "", fix->command});
  missing.offer(std::move(*fix));
  return true;
}

}  // namespace

bool add_framework_import(const MissingLibrary& missing, const std::string& path) {
  const auto* framework = framework_that_maps(path);
  const bool is_its_own = framework != nullptr && missing.requester.package &&
                          framework_of_distribution(missing.requester.package->name) == framework;
  if (framework == nullptr || is_its_own || framework_that_maps(missing.requester.path) != nullptr) return false;
  const auto* import = import_of(missing.report, whole_target(missing.report, *missing.finding.object));
  const auto python = missing.installer().python();
  missing.offer(
      {fmt::format("import {} first: its libraries are then in the process", framework->module),
       import == nullptr ? "" : fmt::format("{} -c 'import {}, {}'", python, framework->module, import->module),
       "in the program, above the first import of what needs them"});
  return true;
}

bool add_framework(const MissingLibrary& missing) {
  const auto* framework = missing.edge.kind == EdgeKind::dlopen ? nullptr : framework_with_library(missing.edge.name);
  if (framework == nullptr || framework->distributions.empty()) return false;
  const auto& distribution = framework->distributions.front();
  if (add_framework_build(missing, distribution)) return true;
  const auto& installer = missing.installer();
  missing.finding.evidence.push_back({fmt::format("it is a library of {}, whose import loads it", framework->module),
                                      "", Basis::table, "data/frameworks.json"});
  if (const auto* package = missing.packages.package_of(missing.requester.path))
    for (const auto& line : package->requires_dist)
      if (const auto wanted = parse_requirement(line); wanted && framework_of_distribution(wanted->name) == framework)
        missing.finding.evidence.push_back(
            {fmt::format("{} requires {}, which is not given here", package->name, line), "", Basis::proven, ""});
  const auto* import = import_of(missing.report, whole_target(missing.report, *missing.finding.object));
  const auto then = import == nullptr
                        ? std::string()
                        : fmt::format("{} -c 'import {}, {}'", installer.python(), framework->module, import->module);
  missing.offer({fmt::format("install the {} for which {} was built, and import it before what needs its libraries",
                             framework->module, short_name(missing.requester)),
                 installer.install() + shell_word(distribution) + (then.empty() ? "" : "\n" + then), ""});
  missing.remedies.try_emplace(missing.edge.name, Remedy{installer.install(), shell_word(distribution), "", then});
  return true;
}

}  // namespace cudald
