// What pip and uv do with an environment, as far as it decides whether an import works: the newest release that all
// requirements allow takes the place of the one that is there; what it requires and the environment has stays; the rest
// is installed with it. What else requires the replaced package is not asked, as pip does not ask it either, unless the
// command names it: then it comes in the newest release that allows the others.
// Sources: pip documentation, "pip install", "Satisfying Requirements" and "Dependency resolution"; PEP 427; PEP 376.

#include "session/tried_installation.h"

#include <algorithm>

#include "base/path.h"
#include "binary/elf/rehearsal.h"
#include "lock/wheel_choice.h"
#include "package/dist_info.h"
#include "package/version.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

/// So many packages one command may install, and so many names of files have their wheels together.
constexpr std::size_t most_packages = 60, most_files = 200'000;
/// Releases of one package of which the requirements are read.
constexpr std::size_t most_tries = 20;

std::optional<DistributionVersion> version_of(const LockedFile& wheel) {
  const auto name = parse_wheel_file_name(wheel.name);
  return name ? parse_version(name->version) : std::nullopt;
}

/// The files below a directory of the wheels, relative to it.
void collect_files(const FileSystem& files, const std::string& folder, const std::string& below,
                   std::vector<std::string>& paths) {
  const auto names = files.list(folder);
  for (const auto& name : names ? *names : std::vector<std::string>()) {
    if (paths.size() >= most_files) return;
    const auto path = folder + "/" + name, relative = below.empty() ? name : below + "/" + name;
    const auto status = files.status(path);
    if (status && status->kind == FileKind::folder)
      collect_files(files, path, relative, paths);
    else if (status)
      paths.push_back(relative);
  }
}

}  // namespace

TriedInstallation::TriedInstallation(const FileSystem& files, WheelIndex& index, InstallPlace place)
    : files_(files), index_(index), place_(std::move(place)), wheels_(files, read_all_tables) {}

bool TriedInstallation::uninstall(const std::string& distribution, ChangedTree& tree) {
  const auto listed = files_of_distribution(tree, place_.site, distribution);
  if (listed.empty()) return false;
  std::set<std::string> folders;
  for (const auto& file : listed) {
    const auto path = normal_path(place_.site + "/" + file);
    tree.take_away(path);
    for (auto folder = std::string(parent_path(path)); folder.starts_with(place_.site + "/");
         folder = parent_path(folder))
      folders.insert(folder);
  }
  // Directories that are empty then go as well, the inner ones first; compiled code alone is no reason to stay.
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    const auto names = tree.list(*folder);
    if (names && std::all_of(names->begin(), names->end(), [](const auto& name) { return name == "__pycache__"; }))
      tree.take_away(*folder);
  }
  return true;
}

/// The files of one wheel alone: among all wheels there may be another release of it, which a command before has taken.
void TriedInstallation::lay_out(const std::string& archive, ChangedTree& tree) const {
  PackageTree wheel(files_);
  if (!wheel.install(archive)) return;
  std::vector<std::string> paths;
  const std::string site(PackageTree::site_packages);
  collect_files(wheel, site, "", paths);
  for (const auto& path : paths) tree.put(place_.site + "/" + path, site + "/" + path);
}

bool TriedInstallation::allows_python(const Package& package) const {
  const auto& python = place_.wheels.python_version;
  return package.requires_python.empty() || python.empty() || allows(package.requires_python, python + ".99");
}

bool TriedInstallation::follow(const std::string& distribution, std::size_t package, const Wanted& wanted) {
  for (const auto& line : wheels_.packages()[package].requires_dist) {
    const auto requirement = parse_requirement(line);
    if (!requirement) return false;
    if (requirement->name == distribution || !holds(requirement->marker, place_.markers, wanted.extras)) continue;
    auto& known = wanted_[requirement->name];
    if (!requirement->specifiers.empty()) known.specifiers.push_back(requirement->specifiers);
    known.extras.insert(requirement->extras.begin(), requirement->extras.end());
    queue_.push_back(requirement->name);
  }
  return true;
}

/// Whether a release allows what the command asks for beside it.
bool TriedInstallation::allow_the_others(const std::vector<std::string>& requires_dist,
                                         const InstallRequest& request) const {
  return std::all_of(requires_dist.begin(), requires_dist.end(), [&](const std::string& line) {
    const auto required = parse_requirement(line);
    if (!required || !holds(required->marker, place_.markers, {})) return true;
    return std::none_of(request.wanted.begin(), request.wanted.end(), [&](const Requirement& each) {
      return each.name == required->name && !each.specifiers.empty() && !required->specifiers.empty() &&
             exclude_each_other(each.specifiers, required->specifiers);
    });
  });
}

bool TriedInstallation::put(const std::string& distribution, const Wanted& wanted, const InstallRequest& request,
                            ChangedTree& tree) {
  const auto allowed = [&](const std::string& version) {
    return std::all_of(wanted.specifiers.begin(), wanted.specifiers.end(),
                       [&](const std::string& each) { return allows(each, version); });
  };
  if (const auto done = decided_.find(distribution); done != decided_.end()) return allowed(done->second);
  const auto there = installed_metadata(tree, place_.site, distribution);
  const auto fits = [&](const std::vector<std::string>& requires_dist) {
    return !wanted.asked || allow_the_others(requires_dist, request);
  };
  const bool stays = !there || fits(there->requires_dist);
  const bool of_a_time = !request.time.empty() && (wanted.asked || request.upgrade);
  if (there && stays && allowed(there->version) && !of_a_time && !(wanted.asked && (request.upgrade || request.again)))
    return true;
  if (decided_.size() == most_packages) return false;
  const auto wheels = index_.wheels_of(distribution);
  auto specifiers = wanted.specifiers;
  if (there && request.again && !request.upgrade && allowed(there->version) && specifiers.empty())
    specifiers.push_back("==" + there->version);
  std::optional<std::size_t> number;
  for (std::size_t tries = 0; tries < most_tries && !number; ++tries) {
    const auto* wheel = !wheels                 ? nullptr
                        : !request.time.empty() ? choose_wheel_at(request.time, *wheels, specifiers, place_.wheels)
                                                : choose_wheel(*wheels, specifiers, place_.wheels);
    if (wheel == nullptr) return false;
    // A newer release than the index has is not replaced by an upgrade.
    if (there && stays && allowed(there->version) && !of_a_time && parse_version(there->version) > version_of(*wheel))
      return true;
    const auto chosen = wheels_.install(index_.reach(*wheel));
    if (!chosen || !allows_python(wheels_.packages()[*chosen])) return false;
    if (fits(wheels_.packages()[*chosen].requires_dist))
      number = *chosen;
    else
      specifiers.push_back("<" + wheels_.packages()[*chosen].version);
  }
  if (!number) return false;
  const auto& version = wheels_.packages()[*number].version;
  decided_[distribution] = version;
  if (there && there->version == version && of_a_time)
    return !request.requirements || follow(distribution, *number, wanted);
  installed_[distribution] = version;
  if (there && there->version == version && !request.again) return true;
  uninstall(distribution, tree);
  lay_out(wheels_.packages()[*number].archive, tree);
  return !request.requirements || follow(distribution, *number, wanted);
}

bool TriedInstallation::install(const InstallRequest& request, ChangedTree& tree) {
  // Each command decides anew, of what the one before has left.
  wanted_.clear();
  queue_.clear();
  decided_.clear();
  for (const auto& requirement : request.wanted) {
    auto& wanted = wanted_[requirement.name];
    if (!requirement.specifiers.empty()) wanted.specifiers.push_back(requirement.specifiers);
    wanted.extras.insert(requirement.extras.begin(), requirement.extras.end());
    wanted.asked = true;
    queue_.push_back(requirement.name);
  }
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const auto name = queue_[next];
    if (!put(name, wanted_[name], request, tree)) return false;
  }
  return true;
}

std::optional<InstallRequest> install_request(const std::vector<std::string>& words) {
  InstallRequest request;
  for (const auto& word : words) {
    if (word == "--upgrade" || word == "-U") {
      request.upgrade = true;
    } else if (word == "--force-reinstall") {
      request.again = true;
    } else if (word == "--no-deps") {
      request.requirements = false;
    } else if (word == "--no-cache-dir" || word == "-y") {
      continue;
    } else {
      auto requirement = word.starts_with('-') ? std::nullopt : parse_requirement(word);
      if (!requirement || word.find('/') != std::string::npos) return std::nullopt;
      request.wanted.push_back(*std::move(requirement));
    }
  }
  return request.wanted.empty() ? std::nullopt : std::optional(std::move(request));
}

}  // namespace cudald
