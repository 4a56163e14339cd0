#include "check/fixes/build_fixes.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/replace_all.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "knowledge/framework_builds.h"
#include "knowledge/known_packages.h"
#include "package/dist_info.h"
#include "package/version.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

bool fits(const IndexBuild& build, const BuildNeeds& needs) {
  const auto serves = [&](GpuArchitecture gpu) { return build.serves(gpu); };
  return std::all_of(needs.gpus.begin(), needs.gpus.end(), serves) &&
         (needs.newest_cuda.empty() || std::atoi(build.cuda.c_str()) <= std::atoi(needs.newest_cuda.c_str()));
}

/// Where builds lie in the order of releases, seen from one of them.
enum class Place { same, later, earlier };

Place place_of(const IndexBuild& build, const std::string& version) {
  if (is_of_release(build, version)) return Place::same;
  return version_less(version, build.first) ? Place::later : Place::earlier;
}

/// Of two builds in one place, whether the first is the better: of the nearer release, or else for a newer CUDA.
bool is_better(const IndexBuild& one, const IndexBuild& other, Place place) {
  if (place == Place::later && one.first != other.first) return version_less(one.first, other.first);
  if (place == Place::earlier && one.last != other.last) return version_less(other.last, one.last);
  return version_less(other.cuda, one.cuda);
}

std::optional<IndexBuild> best_build(const std::string& distribution, const std::string& version,
                                     const BuildNeeds& needs) {
  const auto builds = index_builds_of(distribution);
  for (const auto place : {Place::same, Place::later, Place::earlier}) {
    std::optional<IndexBuild> best;
    for (const auto& build : builds)
      if (place_of(build, version) == place && fits(build, needs) &&
          (place != Place::same || build.label != build_label(version)) && (!best || is_better(build, *best, place)))
        best = build;
    if (best) return best;
  }
  return std::nullopt;
}

/// "--index-url https://...": that index alone, which has what its builds require.
std::string index_alone(const std::string& distribution, const std::string& label) {
  auto option = index_with_local_version(distribution, "0+" + label);
  replace_all(option, "--extra-index-url", "--index-url");
  return option;
}

/// What stands for one distribution in the command.
std::string word_of(const std::string& distribution, const std::string& version, const IndexBuild& build, Place place,
                    const std::string& framework) {
  if (place == Place::same) return distribution + "==" + without_local(version) + "+" + build.label;
  if (place == Place::later) return distribution;
  const auto release = distribution == framework ? build.last : companion_release(distribution, build.last);
  return shell_word(distribution + "==" + release + ".*");
}

}  // namespace

std::optional<FrameworkHere> framework_with_builds(const Report& report) {
  for (const auto& object : report.resolution.objects) {
    if (!object.package) continue;
    const auto name = normal_distribution_name(object.package->name);
    const auto builds = index_builds_of(name);
    if (builds.empty()) continue;
    FrameworkHere here{name, object.package->version, &object, ""};
    for (const auto& build : builds)
      if (build.label == build_label(here.version)) here.cuda = build.cuda;
    return here;
  }
  return std::nullopt;
}

std::optional<Fix> other_build(const std::string& distribution, const std::string& version, const BuildNeeds& needs,
                               const Installer& installer, const FileSystem& files) {
  const auto build = best_build(distribution, version, needs);
  if (!build) return std::nullopt;
  const auto place = place_of(*build, version);
  auto command = installer.install() + (place == Place::later ? "--upgrade " : "") +
                 word_of(distribution, version, *build, place, distribution);
  for (const auto& companion : companions_of(distribution)) {
    const auto there = installed_metadata(files, installer.site(), companion);
    if (!there ||
        (place == Place::same && !(there->version + ".").starts_with(companion_release(companion, version) + ".")))
      continue;
    command += " " + word_of(companion, there->version, *build, place, distribution);
  }
  command += " " + (place == Place::same ? index_with_local_version(distribution, "0+" + build->label)
                                         : index_alone(distribution, build->label));
  const auto release = place == Place::same    ? without_local(version)
                       : place == Place::later ? build->first + " or newer"
                                               : build->last;
  std::string reason;
  if (!needs.gpus.empty()) reason += ", which has code for " + to_string(needs.gpus.front());
  if (!needs.newest_cuda.empty())
    reason += needs.gpus.empty() ? ", which the driver runs" : " and which the driver runs";
  Fix fix{fmt::format("the build of {} {} for CUDA {}{}", distribution, release, build->cuda, reason), command,
          place == Place::same ? "" : "extensions that were compiled against the other release are installed anew"};
  fix.other_build = true;
  return fix;
}

std::optional<Fix> newest_build(const std::string& distribution, const BuildNeeds& needs) {
  const auto is_newer = [](const IndexBuild& one, const IndexBuild& other) {
    if (one.last.empty() != other.last.empty()) return one.last.empty();
    return one.last == other.last ? version_less(other.cuda, one.cuda) : version_less(other.last, one.last);
  };
  std::optional<IndexBuild> best;
  for (const auto& build : index_builds_of(distribution))
    if (fits(build, needs) && (!best || is_newer(build, *best))) best = build;
  if (!best) return std::nullopt;
  std::string words = shell_word(distribution);
  for (const auto& companion : companions_of(distribution))
    if (!companion_release(companion, best->last.empty() ? best->first : best->last).empty())
      words += " " + shell_word(companion);
  // Another build of the same release, or of a later one, would count as installed.
  return Fix{fmt::format("the build of {} for CUDA {}{}, in the place of the one that is installed", distribution,
                         best->cuda, best->last.empty() ? "" : ", which there is up to " + best->last),
             fmt::format("pip uninstall -y {0}\npip install {0} {1}", words, index_alone(distribution, best->label)),
             "extensions that were compiled against the other release are installed anew"};
}

std::optional<Fix> build_in_step(const std::string& companion, const std::string& version,
                                 const std::string& framework_version, const Installer& installer) {
  const auto of = companion_of(companion);
  const auto release = companion_release(companion, framework_version);
  if (!of || release.empty()) return std::nullopt;
  const auto label = build_label(framework_version);
  const bool same = (version + ".").starts_with(release + ".");
  // With a local version the release has to be whole: pip reads "==0.12.*+cu116" as none.
  auto word = companion + "==" + (same ? without_local(version) + (label.empty() ? "" : "+" + label) : release + ".*");
  auto command = installer.install() + (same ? "--force-reinstall --no-deps " : "") + shell_word(word);
  if (!same) command += " " + shell_word(of->framework + "==" + framework_version);
  if (const auto option = index_with_local_version(companion, framework_version); !option.empty())
    command += " " + option;
  return Fix{fmt::format("the {} that belongs to {} {}", companion, of->framework, framework_version), command, ""};
}

std::optional<Fix> framework_in_step(const std::string& companion, const std::string& version,
                                     const std::string& framework_version, const Installer& installer,
                                     const FileSystem& files) {
  const auto of = companion_of(companion);
  const auto release = framework_release(companion, version);
  if (!of || release.empty()) return std::nullopt;
  auto command = installer.install() + shell_word(of->framework + "==" + release + ".*");
  for (const auto& other : companions_of(of->framework))
    if (const auto with = companion_release(other, release);
        other != companion && !with.empty() && installed_metadata(files, installer.site(), other))
      command += " " + shell_word(other + "==" + with + ".*");
  if (const auto option = index_with_local_version(of->framework, framework_version); !option.empty())
    command += " " + option;
  return Fix{fmt::format("the {} that {} {} is made for", of->framework, companion, without_local(version)), command,
             "extensions that were compiled against the other release are installed anew"};
}

std::string build_label(const std::string& version) {
  const auto plus = version.find('+');
  return plus == std::string::npos ? "" : version.substr(plus + 1);
}

Fix made_for_framework(const PackageName& package, const std::string& framework, const std::string& version,
                       const std::string& cuda, const Installer& installer) {
  auto label = build_label(version);
  if (label.empty() && !cuda.empty()) label = "cu" + cuda.substr(0, cuda.find('.')) + cuda.substr(cuda.find('.') + 1);
  const auto against = framework + " " + version;
  const auto index = index_for_release(normal_distribution_name(package.name), framework, version, label);
  if (!index.empty())
    return {fmt::format("the build of {} for {}", package.name, against),
            installer.install_again() + shell_word(package.name) + " " + index,
            "it may be of another release, the newest that was built for that"};
  if (const auto sources = sources_elsewhere(normal_distribution_name(package.name)); !sources.empty())
    return {fmt::format("{} compiled from its source against the {} that is installed", package.name, against),
            fmt::format("{}--no-build-isolation {}", installer.install_again(), shell_word(sources)),
            "it is of the newest release; with GPU code it takes nvcc, and long"};
  const auto release = package.name + "==" + without_local(package.version);
  const auto setting = setting_that_compiles(normal_distribution_name(package.name));
  return {fmt::format("{} compiled from its source against the {} that is installed", package.name, against),
          fmt::format("{}--no-build-isolation --no-binary {} {}", installer.install_again(), shell_word(package.name),
                      shell_word(release)),
          setting.empty() ? "if its source is in the index; with GPU code it takes nvcc, and long"
                          : fmt::format("its setup.py downloads a wheel for that release, if there is one; with {} "
                                        "before the command it is compiled, which takes nvcc, and long",
                                        setting)};
}

}  // namespace cudald
