#include "check/fixes/python_library.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/lacked_requirement.h"
#include "knowledge/frameworks.h"
#include "knowledge/linux_names.h"
#include "knowledge/providers.h"
#include "package/dist_info.h"
#include "package/requirement.h"
#include "package/version.h"

namespace cudald {
namespace {

/// What a command of the system's table asks pip for: "tensorrt-cu12-libs==10.*"; nullopt if it is none of pip.
std::optional<Requirement> asked_of_pip(const std::string& command) {
  constexpr std::string_view pip = "pip install ";
  if (!command.starts_with(pip)) return std::nullopt;
  auto wanted = command.substr(pip.size());
  std::erase(wanted, '\'');
  return parse_requirement(wanted);
}

/// A provider that is installed in another release has another library of that kind, which others may need: a newer
/// release of the requester may be built for that one.
void add_release_for_installed(const MissingLibrary& missing, const std::vector<Provider>& providers) {
  const auto& installer = missing.installer();
  if (!missing.requester.package || installer.site().empty()) return;
  for (const auto& provider : providers) {
    const auto there = installed_metadata(missing.store.images.files(), installer.site(), provider.distribution);
    if (!there || !version_less(provider.version, there->version) || there->name == missing.requester.package->name)
      continue;
    missing.finding.evidence.push_back(
        {fmt::format("{} {} is installed, a newer release without it", there->name, there->version), "", Basis::proven,
         ""});
    Fix fix{
        fmt::format("use a newer {}, built for {} {}", missing.requester.package->name, there->name, there->version),
        installer.install() + "--upgrade " + shell_word(missing.requester.package->name),
        fmt::format("if there is one after {}", missing.requester.package->version)};
    fix.other_build = true;
    missing.offer(std::move(fix));
    return;
  }
}

}  // namespace

std::string in_environment_of(const MissingLibrary& missing, const std::string& command) {
  const auto& requester = missing.requester;
  const auto& installer = missing.installer();
  const auto wanted = asked_of_pip(command);
  if (!wanted || installer.site().empty()) return command;
  const auto project = [](const std::string& name) { return name.substr(0, name.rfind('-')); };
  const auto own = requester.package ? normal_distribution_name(requester.package->name) : "";
  const bool is_part = own.find('-') != std::string::npos && project(own) == project(wanted->name);
  return installer.install() +
         shell_word(wanted->name + (is_part ? "==" + requester.package->version : wanted->specifiers));
}

bool add_own_part(const MissingLibrary& missing) {
  const auto& installer = missing.installer();
  const auto beside = fmt::format("{}/{}", parent_path(missing.requester.path), missing.edge.name);
  const bool is_own = missing.is_tried([&](const Probe& probe) {
    const bool by_requester = probe.rule == SearchRule::runpath || probe.rule == SearchRule::rpath;
    return by_requester && missing.place_of(probe) == beside;
  });
  if (!is_own || missing.finding.code != "CUD101" || !missing.requester.package || installer.site().empty())
    return false;
  const auto& [name, version] = *missing.requester.package;
  const auto tags = installed_wheel_tags(missing.images.files(), installer.site(), name);
  const bool compiled_here = std::any_of(
      tags.begin(), tags.end(), [](const std::string& tag) { return tag.find("-linux_") != std::string::npos; });
  missing.finding.evidence.push_back(
      {fmt::format("{} looks for it in its own directory, and RECORD of {} {} does not list it there",
                   short_name(missing.requester), name, version),
       beside, Basis::proven, ""});
  if (compiled_here)
    missing.offer({fmt::format("install {} again: what was built here came without it", name),
                   installer.install_again() + "--no-cache-dir " + shell_word(name + "==" + without_local(version)),
                   "without the options that the first build was given"});
  else
    missing.offer({fmt::format("use another release of {}, which has it", name),
                   installer.install() + "--upgrade " + shell_word(name),
                   fmt::format("if one after {} has it", version)});
  return true;
}

bool add_required_package(const MissingLibrary& missing) {
  const auto* package = missing.packages.package_of(missing.requester.path);
  if (package == nullptr) return false;
  for (const auto& provider : providers_of(missing.edge.name, knowledge_of(missing.report)))
    for (const auto& line : package->requires_dist) {
      const auto requirement = parse_requirement(line);
      if (!requirement || requirement->name != normal_distribution_name(provider.distribution)) continue;
      const auto wanted = requirement->name + requirement->specifiers;
      missing.finding.evidence.push_back(
          {fmt::format("{} requires {}, which provides it, and which is not given here", package->name, wanted), "",
           Basis::proven, ""});
      missing.offer({"give the wheels it requires as well; pip install does so by itself",
                     fmt::format("pip download -d wheels {0}\ncudald {0} --with wheels", shell_word(package->archive)),
                     ""});
      return true;
    }
  return false;
}

bool add_lacked_requirement(const MissingLibrary& missing) {
  const auto& installer = missing.installer();
  if (!missing.requester.package || installer.site().empty() ||
      missing.store.installed.is_of_conda(missing.requester.path))
    return false;
  std::vector<std::string> providers;
  for (const auto& provider : providers_of(missing.edge.name, knowledge_of(missing.report)))
    providers.push_back(provider.distribution);
  for (const auto& package : system_packages_of(missing.edge.name, knowledge_of(missing.report)))
    if (const auto asked = asked_of_pip(package.command)) providers.push_back(asked->name);
  const auto lacked =
      lacked_requirement(*missing.requester.package, missing.edge.name, providers, installer, missing.images.files());
  if (!lacked || framework_of_distribution(lacked->word.substr(0, lacked->word.find_first_of("<>=!~"))) != nullptr)
    return false;
  missing.finding.message += "; " + lacked->reason;
  missing.finding.evidence.push_back({lacked->reason, "", Basis::proven, ""});
  missing.offer(
      {fmt::format("what {} {} requires", missing.requester.package->name, missing.requester.package->version),
       installer.install() + shell_word(lacked->word), ""});
  missing.remedies.try_emplace(missing.edge.name, Remedy{installer.install(), shell_word(lacked->word), ""});
  return true;
}

void add_pip_fixes(const MissingLibrary& missing) {
  const auto& name = missing.edge.name;
  const auto providers = providers_of(name, missing.cuda_major(), knowledge_of(missing.report));
  const auto site = site_folder(missing.requester.path);
  const auto& installer = missing.installer();
  add_release_for_installed(missing, providers);
  for (const auto& provider : providers) {
    const bool searched = missing.is_searched(provider.folder);
    const auto word = shell_word(installer.word_for(provider.distribution, provider.requirement));
    auto command = installer.install() + word;
    const auto folder = (site.empty() ? "$site/" : site) + provider.folder;
    if (!searched) command += "\n" + export_search_path({folder}, installer.python());
    const bool brings_more = missing.requester.package && word.starts_with(missing.requester.package->name + "==");
    missing.offer(
        {fmt::format("{} {} exactly this file{}", provider.distribution, carries(provider),
                     brings_more ? fmt::format("; pip installs all that {} requires and that is missing",
                                               missing.requester.package->name)
                                 : ""),
         std::move(command),
         searched ? fmt::format("it lands in site-packages/{}, which the loader searches", provider.folder)
                  : fmt::format("it lands in site-packages/{}, which is not on the search path", provider.folder)});
    missing.finding.fixes.back().sets_search_path = !searched;
    missing.finding.evidence.push_back(
        {fmt::format("{} {} {} {}", provider.distribution, provider.version, carries(provider), name), "", Basis::table,
         provider.source});
    missing.remedies.try_emplace(name, Remedy{installer.install(), word, searched ? "" : folder});
  }
}

}  // namespace cudald
