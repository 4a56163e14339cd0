#include "check/fixes/cuda_build.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "knowledge/framework_builds.h"
#include "knowledge/knowledge.h"
#include "knowledge/providers.h"

namespace cudald {
namespace {

/// "cupy-cuda12x" of cupy-cuda11x: how a project that names its builds after CUDA calls that for another major.
std::vector<std::string> names_for_major(const std::string& name, int major) {
  const auto begin = name.find_first_of("0123456789");
  if (begin == std::string::npos) return {};
  const auto end = std::min(name.find_first_not_of("0123456789x", begin), name.size());
  std::vector<std::string> names;
  for (const auto* mark : {"x", ""})
    names.push_back(name.substr(0, begin) + std::to_string(major) + mark + name.substr(end));
  return names;
}

/// The builds of a project for a major of CUDA: of its releases, or under another name.
struct BuildsForMajor {
  std::string name, cuda, source;
  std::string first, last;  ///< releases; last empty: no end is known
};

/// Whether an installer finds a wheel of these releases for a Python; one that is not known takes any.
bool has_wheel_for(const FrameworkBuild& build, const std::string& python) {
  return python.empty() || ((build.python_first.empty() || !version_less(python, build.python_first)) &&
                            (build.python_last.empty() || !version_less(build.python_last, python)));
}

std::optional<BuildsForMajor> builds_for_major(const std::string& name, int major, const Report& report) {
  std::optional<BuildsForMajor> found;
  const auto python = python_release(report);
  for (const auto& build : knowledge_of(report).framework(name, platform_of(report)))
    if (std::atoi(build.cuda.c_str()) == major && has_wheel_for(build, python)) {
      if (!found) found = BuildsForMajor{name, "", "", build.first, ""};
      found->cuda = build.cuda, found->source = build.source(), found->last = build.last;
    }
  if (found) return found;
  for (const auto& other : names_for_major(name, major))
    for (const auto& build : knowledge_of(report).framework(other, platform_of(report)))
      if (other != name && std::atoi(build.cuda.c_str()) == major && has_wheel_for(build, python))
        return BuildsForMajor{other, build.cuda, build.source(), "", ""};
  return std::nullopt;
}

/// What keeps an installer from the builds for a major of CUDA; empty if there are none.
std::string other_pythons_of(const std::string& name, int major, const Report& report) {
  for (const auto& build : knowledge_of(report).framework(name, platform_of(report)))
    if (std::atoi(build.cuda.c_str()) == major)
      return fmt::format("{} {} to {}, built for CUDA {}, has no wheels for Python {}", name, build.first, build.last,
                         major, python_release(report));
  return "";
}

}  // namespace

void add_build_for_installed_cuda(const MissingLibrary& missing) {
  if (!missing.requester.package || missing.report.resolution.world.kind == WorldKind::tag) return;
  const auto wanted = missing.cuda_major();
  const auto name = normal_distribution_name(missing.requester.package->name);
  for (const auto& where : missing.found) {
    const auto majors = cuda_majors_of(file_name(where.path), knowledge_of(missing.report));
    if (where.exact_name || !where.fits || majors.size() != 1 || std::to_string(majors.front()) == wanted) continue;
    const auto builds = builds_for_major(name, majors.front(), missing.report);
    if (!builds) {
      if (auto others = other_pythons_of(name, majors.front(), missing.report); !others.empty())
        missing.finding.evidence.push_back({std::move(others), "", Basis::table, "data/cuda.json"});
      continue;
    }
    // What the requester's own package requires comes before another release of it.
    if (!missing.finding.fixes.empty() && missing.finding.fixes.front().command.find("==") != std::string::npos) return;
    const auto& installer = missing.installer();
    const bool renamed = builds->name != name;
    missing.finding.evidence.push_back(
        {renamed ? fmt::format("{} is built for CUDA {}", builds->name, builds->cuda)
                 : fmt::format("{} {} to {} is built for CUDA {}", name, builds->first, builds->last, majors.front()),
         "", Basis::table, builds->source});
    Fix fix{fmt::format("the {} for CUDA {}, which is what is installed here ({})", builds->name, majors.front(),
                        where.path),
            renamed ? installer.uninstall() + shell_word(missing.requester.package->name) + "\n" + installer.install() +
                          shell_word(builds->name)
                    : installer.install() + shell_word(fmt::format("{}>={},<={}", name, builds->first, builds->last)),
            fmt::format("another build of {}; {} is for CUDA {}", name, missing.requester.package->version, wanted),
            true};
    fix.reason = fmt::format("{} {} is built for CUDA {}, and CUDA {} is installed", missing.requester.package->name,
                             missing.requester.package->version, wanted, majors.front());
    missing.finding.message += "; " + fix.reason;
    missing.finding.fixes.insert(missing.finding.fixes.begin(), std::move(fix));
    return;
  }
}

}  // namespace cudald
