#include <algorithm>

#include <fmt/format.h>

#include <cudald/wheel.h>

#include "audit/policy.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/checks.h"

namespace cudald {
namespace {

std::string members_of(const PolicyObstacle& obstacle) {
  const auto& members = obstacle.members;
  return members.size() == 1 ? members.front() : fmt::format("{} and {} more", members.front(), members.size() - 1);
}

/// "libz.so.1", or "GLIBC_2.34 of libc.so.6".
std::string what_of(const PolicyObstacle& obstacle) {
  switch (obstacle.kind) {
    case ObstacleKind::library: return obstacle.library;
    case ObstacleKind::instructions: return obstacle.name + " instructions";
    case ObstacleKind::version:
    case ObstacleKind::symbol: break;
  }
  return fmt::format("{} of {}", obstacle.name, obstacle.library);
}

/// What gives a wheel another platform tag.
std::string tagging(const std::string& tag, const WheelReport& wheel) {
  return fmt::format("python3 -m wheel tags --remove --platform-tag {} {}", tag, shell_word(wheel.path));
}

/// One finding for what is newer than the tag, or for the libraries that the tag does not promise.
void add_finding(const WheelReport& wheel, const std::vector<const PolicyObstacle*>& breaking, bool libraries,
                 Report& report) {
  const auto& fit = *wheel.fit;
  const auto& worst = *breaking.front();
  const std::string archive(file_name(wheel.path));
  auto finding = make_finding("CUD503");
  finding.subject = what_of(worst);
  const auto others = breaking.size() == 1 ? "" : fmt::format(" (and {} more)", breaking.size() - 1);
  if (libraries) {
    finding.level = Level::note;
    finding.message = fmt::format("{} claims {}, and needs {}{}, which that tag does not provide", archive,
                                  fit.claimed_tag, what_of(worst), others);
    finding.consequence = "pip installs it wherever the tag fits; it loads where that library can be found as well.";
  } else {
    finding.message = fmt::format("{} claims {}, and needs {}{}, which is newer than that", archive, fit.claimed_tag,
                                  what_of(worst), others);
    finding.consequence = "pip installs it on systems whose loader refuses it.";
  }
  constexpr std::size_t most_told = 5;
  for (std::size_t i = 0; i < std::min(breaking.size(), most_told); ++i) {
    const auto& obstacle = *breaking[i];
    finding.evidence.push_back({fmt::format("{} is needed by {}", what_of(obstacle), members_of(obstacle)),
                                archive + "!/" + obstacle.members.front(), Basis::proven, ""});
  }
  const auto allowed = worst.since < fit.tags.size() ? "allowed from " + fit.tags[worst.since] + " on"
                                                     : "allowed by no " + fit.family + " tag";
  finding.evidence.push_back({fmt::format("{} is {}", what_of(worst), allowed), "", Basis::table, policy_source()});
  const auto file = shell_word(wheel.path);
  const auto tag = fit.fits < fit.tags.size() ? fit.tags[fit.fits] : "linux_" + wheel.machine;
  if (libraries)
    finding.fixes.push_back({"maintainer fix: put the libraries into the wheel", "auditwheel repair " + file,
                             "libraries of the CUDA driver must stay outside: --exclude them"});
  finding.fixes.push_back({"maintainer fix: claim what it fits", tagging(tag, wheel),
                           fit.fits < fit.tags.size() ? "" : "package indexes refuse linux_ tags"});
  if (!libraries) finding.fixes.push_back({fmt::format("or build it in an image for {}", fit.claimed_tag), "", ""});
  report.findings.push_back(std::move(finding));
}

/// Tags of the other family alone, on libraries that can never load there.
void add_other_libc(const WheelReport& wheel, Report& report) {
  const bool musl = wheel.fit->family == "musllinux";
  const auto tag = std::find_if(wheel.platform_tags.begin(), wheel.platform_tags.end(), [&](const std::string& each) {
    return each.starts_with(musl ? "manylinux" : "musllinux");
  });
  if (tag == wheel.platform_tags.end()) return;
  auto finding = make_finding("CUD503");
  finding.subject = *tag;
  finding.message = fmt::format("{} claims {}, and its libraries are made for {}", file_name(wheel.path), *tag,
                                musl ? "musl" : "glibc");
  finding.consequence = "pip installs it on systems whose loader refuses it.";
  finding.fixes.push_back({"maintainer fix: claim what it fits", tagging(wheel.fitting_tag(), wheel), ""});
  report.findings.push_back(std::move(finding));
}

/// Installers go by the tags, so they put the libraries only where no loader accepts them.
bool add_other_machine(const WheelReport& wheel, Report& report) {
  if (!wheel.is_for_other_machine()) return false;
  const auto& claimed = wheel.platform_tags.front();
  const bool windows = claimed.starts_with("win") && !wheel.windows_module_tags.empty();
  auto finding = make_finding("CUD503");
  finding.level = Level::error;
  finding.subject = claimed;
  finding.message =
      fmt::format("{} claims {}, and its {} are made for {}", file_name(wheel.path), claimed,
                  windows ? "modules" : "libraries", windows ? wheel.windows_module_tags.front() : wheel.machine);
  finding.consequence = windows ? "pip installs it for a Python that refuses its modules: DLL load failed (error 193)."
                                : "pip installs it on machines whose loader refuses its libraries.";
  finding.fixes.push_back({"for its publisher: claim what it fits",
                           tagging(windows ? wheel.windows_module_tags.front() : wheel.fitting_tag(), wheel), ""});
  report.findings.push_back(std::move(finding));
  return true;
}

/// Installers put a wheel of the tag `any` on every machine, and its modules are made for one alone. Where it carries
/// files for others as well, it may choose among them.
bool add_one_machine(const WheelReport& wheel, Report& report) {
  const auto& tags = wheel.platform_tags;
  const bool any = !tags.empty() && std::all_of(tags.begin(), tags.end(), [](const auto& tag) { return tag == "any"; });
  const auto module =
      std::find_if(wheel.files.begin(), wheel.files.end(), [](const WheelFile& file) { return file.extension_module; });
  const bool alone = wheel.windows_files.empty() && !wheel.other_systems && wheel.unread.empty() &&
                     std::all_of(wheel.files.begin(), wheel.files.end(), [&](const WheelFile& file) {
                       return file.image->machine == wheel.files.front().image->machine;
                     });
  if (!any || !alone || module == wheel.files.end() || wheel.machine.empty()) return false;
  auto finding = make_finding("CUD503");
  finding.subject = "any";
  finding.message = fmt::format("{} claims any machine and system, and its modules are made for Linux on {}",
                                file_name(wheel.path), wheel.machine);
  finding.consequence = "pip installs it where its modules cannot be loaded.";
  finding.evidence.push_back({fmt::format("{} is an extension module for {}", module->member, wheel.machine),
                              fmt::format("{}!/{}", file_name(wheel.path), module->member), Basis::proven, ""});
  if (const auto tag = wheel.fitting_tag(); !tag.empty())
    finding.fixes.push_back({"maintainer fix: claim what it fits", tagging(tag, wheel), ""});
  report.findings.push_back(std::move(finding));
  return true;
}

}  // namespace

void check_policy(const Case& given) {
  auto& report = given.report;
  auto& state = given.store;
  const auto& targets = report.query.targets;
  for (const auto& package : state.packages.packages()) {
    const bool asked = std::any_of(targets.begin(), targets.end(), [&](const std::string& target) {
      return absolute_path(target, package_folder(report.query)) == package.archive;
    });
    if (!asked) continue;
    const auto wheel = audit_wheel(package, state.packages, state.images, *state.knowledge);
    if (add_other_machine(wheel, report) || add_one_machine(wheel, report) || !wheel.fit || !wheel.complete) continue;
    if (!wheel.fit->claimed) {
      add_other_libc(wheel, report);
      continue;
    }
    std::vector<const PolicyObstacle*> newer, libraries;
    for (const auto& obstacle : wheel.fit->obstacles) {
      if (obstacle.since <= *wheel.fit->claimed) continue;
      if (obstacle.kind != ObstacleKind::library) {
        newer.push_back(&obstacle);
        continue;
      }
      // What a required package brings is there wherever pip put this wheel.
      const auto external = std::find_if(wheel.external.begin(), wheel.external.end(),
                                         [&](const ExternalLibrary& each) { return each.name == obstacle.library; });
      if (external != wheel.external.end() && external->packages.empty()) libraries.push_back(&obstacle);
    }
    if (!newer.empty()) add_finding(wheel, newer, false, report);
    // In the world of the tag that is told by who asks (CUD501).
    if (!libraries.empty() && report.resolution.world.kind != WorldKind::tag)
      add_finding(wheel, libraries, true, report);
  }
}

}  // namespace cudald
