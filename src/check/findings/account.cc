#include "check/findings/account.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "audit/requirements.h"
#include "base/path.h"
#include "base/windows_path.h"
#include "check/findings/cuda_objects.h"
#include "knowledge/known_packages.h"
#include "knowledge/providers.h"

namespace cudald {
namespace {

/// The folder of site-packages in which a search looked: "pyarrow"; empty if it is none.
std::string_view looked_into(std::string_view path) {
  const std::string site = std::string(PackageTree::site_packages) + "/";
  if (!path.starts_with(site)) return "";
  path.remove_prefix(site.size());
  const auto slash = path.find('/');
  return slash == std::string_view::npos ? "" : path.substr(0, slash);
}

/// The normal name of the distribution that is likely to have a folder of site-packages.
std::string likely_distribution(std::string_view folder) {
  auto name = folded(folder);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// Whether others may count on a library of a package: not if it has a copy for itself of what NVIDIA's own packages
/// provide, as triton has of libcupti.
bool is_for_others(const Package& package, std::string_view library, const Knowledge& knowledge) {
  if (!package.archive.empty()) return true;
  const auto providers = providers_of(library, knowledge);
  const auto name = normal_distribution_name(package.name);
  return providers.empty() || std::any_of(providers.begin(), providers.end(), [&](const Provider& provider) {
           return normal_distribution_name(provider.distribution) == name;
         });
}

}  // namespace

Accounts::Accounts(const Report& report, const PackageTree& tree) : report_(report) {
  for (const auto& target : report.resolution.targets) {
    if (target.kind != TargetKind::dlopen || target.object) continue;
    auto& known = failed_dlopens_[target.error];
    if (known == nullptr || known->traits.optional) known = &target;
  }
  if (report.resolution.world.kind != WorldKind::tag) return;
  for (const auto& package : tree.packages())
    for (const auto& library : package.libraries)
      if (const auto name = file_name(library); is_for_others(package, name, knowledge_of(report)))
        carriers_.try_emplace(library_key(name), &package);
  for (const auto& required : report.resolution.world.requirements) {
    if (required.at_hand) continue;
    absent_.insert(required.name);
    if (!required.known) unknown_.push_back(required.name);
  }
}

const Account& Accounts::of(const Edge& edge) const {
  const std::string name(report_.resolution.windows ? windows_file_name(edge.name) : file_name(edge.name));
  const auto [place, is_new] = known_.try_emplace(name);
  if (is_new) place->second = find(name, edge);
  return place->second;
}

Account Accounts::find(const std::string& name, const Edge& edge) const {
  if (const auto carrier = carriers_.find(library_key(name)); carrier != carriers_.end())
    return {carrier->second->archive.empty() ? Standing::declared : Standing::own, {carrier->second->name}};
  auto by = may_bring(edge);
  const auto standing = standing_of_unbrought(name, !by.empty());
  if (standing != Standing::possible) by.clear();
  return {standing, std::move(by)};
}

std::vector<std::string> Accounts::may_bring(const Edge& edge) const {
  std::vector<std::string> names;
  for (const auto& probe : edge.search.probes) {
    const auto path = normal_path(probe.path);
    const auto folder = looked_into(path);
    const auto distribution = folder.empty() ? "" : likely_distribution(folder);
    if (absent_.contains(distribution) && names.size() < most_named &&
        std::find(names.begin(), names.end(), distribution) == names.end())
      names.push_back(distribution);
  }
  if (!names.empty()) return names;
  const auto& knowledge = knowledge_of(report_);
  const auto library = file_name(edge.name);
  const bool of_nvidia = !providers_of(library, knowledge).empty() || !other_versions_of(library, knowledge).empty();
  for (const auto& distribution : unknown_)
    if (names.size() < most_named && cudald::may_bring(distribution, library, of_nvidia)) names.push_back(distribution);
  return names;
}

const Target* Accounts::failing_request(ObjectId requester, const Edge& edge) const {
  const auto& resolution = report_.resolution;
  if (edge.object || edge.status == EdgeStatus::not_loaded) return nullptr;
  if (edge.hard) return &resolution.targets[resolution.objects[requester].target];
  return edge.kind == EdgeKind::dlopen ? failed_dlopen(edge) : nullptr;
}

const Target* Accounts::failed_dlopen(const Edge& edge) const {
  const auto found = failed_dlopens_.find(edge.error);
  return found == failed_dlopens_.end() ? nullptr : found->second;
}

bool Accounts::tells(const Edge& edge) const {
  // A check of its own tells the DLLs, as what helps on Windows is another matter.
  if (report_.resolution.world.kind != WorldKind::tag || report_.resolution.windows || edge.object) return false;
  // A path that code puts together is the package's own affair, and so is a file that is there and unfit.
  if (edge.name.find_first_of("/\\") != std::string::npos) return false;
  const auto& probes = edge.search.probes;
  if (!std::all_of(probes.begin(), probes.end(),
                   [](const Probe& probe) { return probe.result == ProbeResult::absent; }))
    return false;
  const auto standing = of(edge).standing;
  return standing != Standing::own && standing != Standing::declared;
}

void add_requirements_source(const World& world, Finding& finding) {
  const auto count = std::count_if(world.requirements.begin(), world.requirements.end(),
                                   [](const RequiredPackage& required) { return !required.at_hand; });
  if (count == 0) return;
  finding.evidence.push_back(
      {fmt::format("{} required package{} not available locally: what {} is known as of that day", count,
                   count == 1 ? " is" : "s are", count == 1 ? "it provides" : "they provide"),
       "", Basis::table, requirements_source()});
}

}  // namespace cudald
