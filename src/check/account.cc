#include "check/account.h"

#include <algorithm>

#include "base/path.h"
#include "base/windows_path.h"

namespace cudald {
namespace {

bool is_same_library(std::string_view a, std::string_view b) {
  return a == b || (folded(a).ends_with(".dll") && folded(a) == folded(b));
}

/// Source: the names that CPython's Makefile gives it, LDLIBRARY and INSTSONAME.
bool is_library_of_python(std::string_view name) { return name.starts_with("libpython3"); }

/// The folder of site-packages in which a search looked: "pyarrow"; empty if it is none.
std::string_view looked_into(std::string_view path) {
  const std::string site = std::string(PackageTree::site_packages) + "/";
  if (!path.starts_with(site)) return "";
  path.remove_prefix(site.size());
  const auto slash = path.find('/');
  return slash == std::string_view::npos ? "" : path.substr(0, slash);
}

/// Whether a search looked into the folder that a distribution is likely to have.
bool looked_into(const Edge& edge, const std::string& distribution) {
  return std::any_of(edge.search.probes.begin(), edge.search.probes.end(), [&](const Probe& probe) {
    auto folder = std::string(looked_into(normal_path(probe.path)));
    std::replace(folder.begin(), folder.end(), '_', '-');
    return !folder.empty() && folded(folder) == distribution;
  });
}

}  // namespace

Account account_of(const World& world, const PackageTree& tree, const Edge& edge) {
  const auto name = std::string(world.name.starts_with("win") ? windows_file_name(edge.name) : file_name(edge.name));
  for (const auto& package : tree.packages())
    for (const auto& library : package.libraries)
      if (is_same_library(file_name(library), name))
        return {package.archive.empty() ? Standing::declared : Standing::own, {package.name}};
  if (is_library_of_python(name)) return {Standing::python, {}};
  Account account;
  for (const auto& required : world.requirements)
    if (!required.at_hand && looked_into(edge, required.name)) account.by.push_back(required.name);
  for (const auto& required : world.requirements)
    if (account.by.empty() && !required.at_hand && !required.known) account.by.push_back(required.name);
  if (!account.by.empty()) account.standing = Standing::possible;
  return account;
}

const Target* failing_request(const Report& report, ObjectId requester, const Edge& edge) {
  const auto& targets = report.resolution.targets;
  if (edge.object || edge.status == EdgeStatus::not_loaded) return nullptr;
  if (edge.hard) return &targets[report.resolution.objects[requester].target];
  if (edge.kind != EdgeKind::dlopen) return nullptr;
  const Target* found = nullptr;
  for (const auto& target : targets)
    if (target.kind == TargetKind::dlopen && !target.object && target.error == edge.error &&
        (found == nullptr || found->traits.optional))
      found = &target;
  return found;
}

bool is_told_as_requirement(const Report& report, const PackageTree& tree, const Edge& edge) {
  const auto& world = report.resolution.world;
  // A check of its own tells the DLLs, as what helps on Windows is another matter.
  if (world.kind != WorldKind::tag || report.resolution.windows || edge.object) return false;
  // A path that code puts together is the package's own affair, and so is a file that is there and unfit.
  if (edge.name.find_first_of("/\\") != std::string::npos) return false;
  const auto& probes = edge.search.probes;
  if (!std::all_of(probes.begin(), probes.end(),
                   [](const Probe& probe) { return probe.result == ProbeResult::absent; }))
    return false;
  const auto standing = account_of(world, tree, edge).standing;
  return standing != Standing::own && standing != Standing::declared;
}

}  // namespace cudald
