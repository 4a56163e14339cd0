#include "check/fixes/conda_library.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/install_commands.h"
#include "knowledge/conda_packages.h"
#include "knowledge/providers.h"
#include "knowledge/system_releases.h"

namespace cudald {
namespace {

/// In an environment of conda, the package that has the other version may be of a release that the requester's own
/// package does not allow: what was installed since replaced it.
void add_required_release(const MissingLibrary& missing) {
  for (const auto& where : missing.found) {
    const auto* owner = where.fits ? missing.store.installed.package_of(where.path) : nullptr;
    const auto wanted = owner == nullptr
                            ? std::string()
                            : missing.store.installed.conda_requirement(missing.requester.path, owner->name);
    if (wanted.empty()) continue;
    const auto& [name, version] = *missing.requester.package;
    missing.finding.evidence.push_back(
        {fmt::format("{} {} requires {}, and {} {} is installed, which has {}", name, version, wanted, owner->name,
                     owner->version, file_name(where.path)),
         where.path, Basis::proven, ""});
    missing.offer({fmt::format("install the {} that {} {} requires", owner->name, name, version),
                   fmt::format("conda install -p {} {}", shell_word(missing.conda_prefix()), shell_word(wanted)), ""});
    return;
  }
}

/// A program of conda was built for another release of a library than the one that was installed with it. What it was
/// itself installed from has to be asked as well, and conda-forge first, for which other channels are built. Sources:
/// bioconda, Usage; github.com/GooglingTheCancerGenome/sv-callers issue 22; github.com/bioconda/bioconda-recipes issue
/// 12100.
void add_release_of_conda(const MissingLibrary& missing, const std::string& prefix) {
  const auto known = releases_with(missing.edge.name);
  if (!known || known->conda.empty() || !missing.requester.package ||
      !missing.store.installed.is_of_conda(missing.requester.path))
    return;
  const auto channel = missing.store.installed.conda_channel(missing.requester.path);
  const auto& name = missing.requester.package->name;
  const auto channels = std::string("-c conda-forge ") +
                        (channel.empty() || channel == "conda-forge" ? "" : "-c " + shell_word(channel) + " ");
  const auto install = fmt::format("conda install -p {} {}", shell_word(prefix), channels);
  const auto words = shell_word(name) + " " + known->conda;
  missing.finding.evidence.push_back(
      {fmt::format("{} of conda-forge has {}", known->conda, missing.edge.name), "", Basis::table, known->source});
  missing.offer({fmt::format("install the release with which {} was built, {}", name, known->conda), install + words,
                 "conda may change the releases of other packages for it"});
  missing.remedies.try_emplace(missing.edge.name, Remedy{install, words, ""});
}

}  // namespace

void add_newer_release(const MissingLibrary& missing) {
  const auto& installer = missing.installer();
  const bool of_conda = missing.store.installed.is_of_conda(missing.requester.path);
  if (!missing.requester.package || (installer.site().empty() && !of_conda)) return;
  const auto& [name, version] = *missing.requester.package;
  if (of_conda) add_required_release(missing);
  if (of_conda)
    return missing.offer({fmt::format("use a newer {}, which may be built for the version that is installed", name),
                          fmt::format("conda update -p {} {}", shell_word(missing.conda_prefix()), shell_word(name)),
                          fmt::format("if there is one after {}", version)});
  missing.offer({fmt::format("use a newer {}, which may be built for the version that is installed", name),
                 installer.install() + "--upgrade " + shell_word(name),
                 fmt::format("if there is one after {}", version)});
}

void add_conda_fixes(const MissingLibrary& missing) {
  const auto prefix = missing.conda_prefix();
  if (prefix.empty()) return;
  auto packages = conda_packages_of(missing.edge.name, knowledge_of(missing.report));
  const auto major = missing.cuda_major();
  const auto fits = [&](const CondaProvider& package) {
    return !package.cuda || std::to_string(*package.cuda) == major;
  };
  if (std::any_of(packages.begin(), packages.end(), fits))
    std::erase_if(packages, [&](const CondaProvider& package) { return !fits(package); });
  const auto folder = prefix + "/lib";
  const bool searched = missing.is_searched(folder.substr(1));
  for (const auto& package : packages) {
    auto command = conda_install(package, prefix);
    if (!searched) command += "\n" + export_search_path({shell_word(folder)}, missing.installer().python());
    missing.offer({fmt::format("{} of {} {} exactly this file", package.package, package.channel, carries(package)),
                   std::move(command),
                   searched ? fmt::format("it lands in {}, which the loader searches", folder)
                            : fmt::format("it lands in {}, which is not on the search path", folder)});
    missing.finding.fixes.back().sets_search_path = !searched;
    missing.finding.evidence.push_back(
        {fmt::format("{} of {} {} {}", package.package, package.channel, carries(package), missing.edge.name), "",
         Basis::table, package.source});
    missing.remedies.try_emplace(missing.edge.name,
                                 Remedy{fmt::format("conda install -p {} -c {} ", shell_word(prefix), package.channel),
                                        package.requirement, searched ? "" : shell_word(folder)});
  }
  if (packages.empty()) add_release_of_conda(missing, prefix);
}

}  // namespace cudald
