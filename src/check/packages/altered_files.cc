#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/checks.h"
#include "check/fixes/build_fixes.h"
#include "check/fixes/installer.h"
#include "knowledge/framework_builds.h"
#include "package/dist_info.h"
#include "package/requirement.h"
#include "package/version.h"

namespace cudald {
namespace {

/// Whether it may be the bytes of a file, and not which file it is, that is wrong.
bool is_about_content(const Finding& finding) {
  return finding.level != Level::note && finding.object &&
         (finding.code == "CUD201" || finding.code == "CUD202" || finding.code == "CUD901");
}

/// The file that the finding is about, and those that it takes functions from.
std::vector<ObjectId> files_of(const Report& report, ObjectId id) {
  std::vector<ObjectId> files{id};
  for (const auto& edge : report.resolution.objects[id].edges)
    if (edge.object) files.push_back(*edge.object);
  return files;
}

/// Two packages that are released in step, the one for the very version that it has itself, are brought into step; of
/// others only that is known what the requester states. A newer release of it may state nothing any more, so what pip
/// would choose is no certain help.
std::vector<Fix> fixes_of(const Installer& installer, const PackageName& package, const UnmetRequirement& unmet) {
  if (auto fix = build_in_step(normal_distribution_name(package.name), package.version, unmet.version, installer))
    return {std::move(*fix)};
  const auto installed = unmet.name + "==" + unmet.version;
  if (unmet.wanted.ends_with("==" + without_local(package.version)))
    return {{fmt::format("the {} of the same release as {} {}", package.name, unmet.name, unmet.version),
             installer.install() + shell_word(package.name + "==" + without_local(unmet.version)) + " " +
                 shell_word(installed),
             ""}};
  return {{fmt::format("the {} that {} {} is made for", unmet.name, package.name, package.version),
           installer.install() + shell_word(unmet.wanted), ""},
          {fmt::format("a {} that is made for {} {}", package.name, unmet.name, unmet.version),
           installer.install() + shell_word(package.name) + " " + shell_word(installed),
           "if a newer release does not state which one it is made for, name the release that does"}};
}

/// The normal names of the packages that a file takes functions from.
std::set<std::string> providers_for(const Report& report, ObjectId id) {
  std::set<std::string> names;
  for (const auto& edge : report.resolution.objects[id].edges)
    if (edge.object && report.resolution.objects[*edge.object].package)
      names.insert(normal_distribution_name(report.resolution.objects[*edge.object].package->name));
  return names;
}

/// Where the requester's package states nothing, another one of the process may state which release it needs of what
/// the requester takes functions from.
void add_requirement_of_another(const Report& report, const Installer& installer, const FileSystem& files,
                                Finding& finding) {
  const auto providers = providers_for(report, *finding.object);
  const auto values = linux_marker_values(python_release(report), "x86_64");
  std::set<std::string> asked;
  for (const auto& object : report.resolution.objects) {
    if (providers.empty() || !object.package || !asked.insert(object.package->name).second) continue;
    for (const auto& unmet : unmet_requirements(files, installer.site(), object.package->name, values)) {
      if (!providers.contains(normal_distribution_name(unmet.name))) continue;
      const auto who = object.package->name + " " + object.package->version;
      finding.evidence.push_back(
          {fmt::format("{} requires {}, and {} {} is installed", who, unmet.wanted, unmet.name, unmet.version), "",
           Basis::proven, ""});
      finding.fixes.insert(finding.fixes.begin(), installer.required_by(who, unmet));
      return;
    }
  }
}

/// Of packages that are released in step, which of the other one it is for, where it does not state that itself.
std::optional<UnmetRequirement> unmet_by_release(const FileSystem& files, const std::string& site,
                                                 const PackageName& package) {
  const auto name = normal_distribution_name(package.name);
  const auto companion = companion_of(name);
  const auto wanted = framework_release(name, package.version);
  if (!companion || wanted.empty()) return std::nullopt;
  const auto there = installed_metadata(files, site, companion->framework);
  if (!there || (there->version + ".").starts_with(wanted + ".")) return std::nullopt;
  return UnmetRequirement{companion->framework, there->version, companion->framework + " " + wanted};
}

/// What a package was made for is said first, where it is what its file takes functions from.
void tell_mismatch(const std::string& cause, bool is_it, Evidence evidence, Finding& finding) {
  if (is_it && finding.code == "CUD201" && finding.message.find(cause) == std::string::npos)
    finding.message = cause + ": " + finding.message;
  evidence.text = cause;
  finding.evidence.push_back(std::move(evidence));
}

/// Two builds that do not belong together: the requester's package states which release of the other one it is for.
void add_unmet_requirements(const Report& report, const FileSystem& files, Finding& finding) {
  const auto& object = report.resolution.objects[*finding.object];
  const Installer installer(report, object, files);
  if (!object.package || installer.site().empty()) return;
  const auto own = object.package->name + " " + object.package->version;
  const auto providers = providers_for(report, *finding.object);
  const auto is_provider = [&](const UnmetRequirement& one) {
    return providers.contains(normal_distribution_name(one.name));
  };
  auto all = unmet_requirements(files, installer.site(), object.package->name);
  std::stable_partition(all.begin(), all.end(), is_provider);
  if (!all.empty()) {
    const auto& unmet = all.front();
    tell_mismatch(fmt::format("{} requires {}, and {} {} is installed", own, unmet.wanted, unmet.name, unmet.version),
                  is_provider(unmet), {"", "", Basis::proven, ""}, finding);
    const auto fixes = fixes_of(installer, *object.package, unmet);
    finding.fixes.insert(finding.fixes.begin(), fixes.begin(), fixes.end());
    return;
  }
  if (const auto unmet = unmet_by_release(files, installer.site(), *object.package)) {
    const auto name = normal_distribution_name(object.package->name);
    tell_mismatch(
        fmt::format("{} is made for {}, and {} {} is installed", own, unmet->wanted, unmet->name, unmet->version),
        is_provider(*unmet), {"", "", Basis::table, companion_of(name)->source}, finding);
    auto fix = build_in_step(name, object.package->version, unmet->version, installer);
    if (!fix) fix = framework_in_step(name, object.package->version, unmet->version, installer, files);
    if (fix) finding.fixes.insert(finding.fixes.begin(), std::move(*fix));
    return;
  }
  add_requirement_of_another(report, installer, files, finding);
}

/// A failure that its caller catches, of a file whose package states another release of what it takes functions from:
/// what the package promises is not there, whatever its caller does without it.
bool is_mismatch(const Report& report, const FileSystem& files, const Finding& finding) {
  const bool caught =
      finding.level == Level::note && finding.object && (finding.code == "CUD201" || finding.code == "CUD202");
  if (!caught || !report.resolution.objects[*finding.object].package) return false;
  const auto& object = report.resolution.objects[*finding.object];
  const Installer installer(report, object, files);
  if (installer.site().empty()) return false;
  const auto providers = providers_for(report, *finding.object);
  const auto unmet = unmet_requirements(files, installer.site(), object.package->name);
  return std::any_of(unmet.begin(), unmet.end(), [&](const UnmetRequirement& one) {
    return providers.contains(normal_distribution_name(one.name));
  });
}

}  // namespace

/// A library that is no longer the one that its package has put there is mended by installing the package again.
void check_altered_files(const Case& given) {
  auto& report = given.report;
  const auto& files = given.store.images.files();
  for (auto& finding : report.findings) {
    if (is_mismatch(report, files, finding)) finding.level = Level::warning;
    if (!is_about_content(finding)) continue;
    add_unmet_requirements(report, files, finding);
    for (const auto id : files_of(report, *finding.object)) {
      const auto& object = report.resolution.objects[id];
      const Installer installer(report, object, files);
      const auto altered = !object.package || installer.site().empty()
                               ? std::nullopt
                               : package_of_altered(files, installer.site(), object.path);
      if (!altered) continue;
      finding.evidence.push_back({fmt::format("{} is not as {} {} has installed it: RECORD states another size",
                                              short_name(object), altered->name, altered->version),
                                  object.path, Basis::proven, ""});
      finding.fixes.insert(finding.fixes.begin(), installer.reinstall(altered->name, altered->version));
      break;
    }
  }
}

}  // namespace cudald
