#include "session/deployment.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "audit/conda_depends.h"
#include "audit/requirements.h"
#include "base/parallel.h"
#include "base/path.h"
#include "base/trimmed.h"
#include "base/windows_path.h"
#include "check/findings/checks.h"
#include "knowledge/conda_packages.h"
#include "knowledge/frameworks.h"
#include "knowledge/knowledge.h"
#include "package/package_tree.h"
#include "package/version.h"
#include "session/usual_pythons.h"

namespace cudald {
namespace {

struct Selection {
  LockEnvironment environment;
  ChosenPackages chosen;
  std::size_t faults = 0, at_hand = 0;
};

std::size_t faults_of(const ChosenPackages& chosen) {
  return chosen.misfits.size() +
         static_cast<std::size_t>(std::count_if(chosen.packages.begin(), chosen.packages.end(),
                                                [](const ChosenPackage& package) { return package.from_source; }));
}

/// The names of packages in folders, by the normal name of what they hold.
class AtHand {
 public:
  AtHand(const std::vector<std::string>& folders, const FileSystem& files) {
    for (const auto& folder : folders)
      if (const auto names = files.list(folder))
        for (const auto& name : *names) {
          by_file_.try_emplace(name, folder + "/" + name);
          if (auto parsed = name.ends_with(".whl") ? parse_wheel_file_name(name) : std::nullopt)
            wheels_[normal_distribution_name(parsed->distribution)].push_back(
                {folder + "/" + name, std::move(*parsed)});
        }
  }

  /// The file of that name, else the best wheel of this version; empty if there is none.
  std::string find(const ChosenPackage& package, const WheelEnvironment& environment) const {
    if (const auto same = by_file_.find(package.file.name); !package.file.name.empty() && same != by_file_.end())
      return same->second;
    const auto found = wheels_.find(package.name);
    if (found == wheels_.end()) return "";
    const Wheel* best = nullptr;
    for (const auto& wheel : found->second) {
      if (!is_pinned(wheel.name.version, package.version) || !fits(wheel.name, environment)) continue;
      if (best == nullptr || worth_of(wheel, environment) > worth_of(*best, environment)) best = &wheel;
    }
    return best == nullptr ? "" : best->path;
  }

 private:
  struct Wheel {
    std::string path;
    WheelFileName name;
  };
  static std::pair<std::optional<DistributionVersion>, WheelPreference> worth_of(const Wheel& wheel,
                                                                                 const WheelEnvironment& environment) {
    return {parse_version(wheel.name.version), preference_of(wheel.name, environment)};
  }

  std::map<std::string, std::string> by_file_;
  std::map<std::string, std::vector<Wheel>> wheels_;
};

/// For the Python that is wanted; else for the first that the lock allows, that the fewest wheels do not fit, and for
/// which most are at hand.
Result<Selection> select(const LockFile& lock, const DeploymentWish& wish, const AtHand& at_hand) {
  std::vector<std::string> pythons;
  if (!wish.wheels.python_version.empty())
    pythons.push_back(wish.wheels.python_version);
  else if (!lock.python.empty())
    pythons.push_back(lock.python);
  else
    for (const auto usual : usual_pythons)
      if (allows(lock.requires_python, usual)) pythons.emplace_back(usual);
  if (pythons.empty()) pythons.emplace_back(usual_pythons[0]);
  std::optional<Selection> best;
  for (const auto& python : pythons) {
    Selection next;
    auto wheels = wish.wheels;
    wheels.python_version = python;
    next.environment = make_lock_environment(wheels, wish.extras, wish.groups);
    auto chosen = choose_packages(lock, next.environment);
    if (!chosen) return chosen.error();
    next.chosen = std::move(*chosen);
    next.faults = faults_of(next.chosen);
    for (const auto& package : next.chosen.packages) next.at_hand += at_hand.find(package, wheels).empty() ? 0 : 1;
    const bool better =
        !best || next.faults < best->faults || (next.faults == best->faults && next.at_hand > best->at_hand);
    if (better) best = std::move(next);
  }
  return std::move(*best);
}

/// "12.8" of "12.8.90".
std::string first_two(const std::string& version) {
  const auto dot = version.find('.');
  return dot == std::string::npos ? version : version.substr(0, version.find('.', dot + 1));
}

/// "12.6" of 2.7.1+cu126, "12" of 2.7.4+cu12torch2.6: builds of PyTorch and for it are called by their CUDA; empty if
/// the version has no such label. Source: pytorch.org/get-started/previous-versions.
std::string cuda_of_label(const std::string& version) {
  const auto plus = version.find('+'), at = plus == std::string::npos ? plus : version.find("cu", plus);
  if (at == std::string::npos) return "";
  const auto digits = version.substr(at + 2, version.find_first_not_of("0123456789", at + 2) - at - 2);
  if (digits.size() == 2) return digits;
  return digits.size() == 3 ? digits.substr(0, 2) + "." + digits.substr(2) : "";
}

void know_framework(DeployedPackage& package, const Deployment& plan) {
  const auto platform = plan.windows ? CudaPlatform::windows : CudaPlatform::linux;
  const auto build = plan.knowledge->framework(package.name, package.version, platform);
  auto& cuda = package.cuda;
  if (const auto label = cuda_of_label(package.version); !build && !label.empty()) {
    cuda.release = label;
    cuda.source = "the label of its version";
    cuda.needs_gpu = true;
  }
  if (!build) return;
  cuda.release = build->cuda;
  cuda.cudnn = build->cudnn;
  cuda.source = build->source();
  cuda.needs_gpu = !build->cuda.empty();
}

class Planner {
 public:
  Planner(const LockFile& lock, const DeploymentWish& wish, const FileSystem& files,
          std::shared_ptr<const Knowledge> knowledge)
      : lock_(lock), wish_(wish), files_(files) {
    plan_.knowledge = knowledge ? std::move(knowledge) : built_in_knowledge();
    plan_.kind = name_of(lock.kind);
    plan_.windows = !wish.wheels.windows_tag.empty();
    plan_.platform = (plan_.windows ? "windows-" : "linux-") + wish.wheels.machine;
  }

  Result<Deployment> run() {
    auto folders = wish_.folders;
    for (const auto& folder : lock_.find_links) folders.push_back(absolute_path(folder, wish_.lock_folder));
    const AtHand at_hand(folders, files_);
    auto selection = select(lock_, wish_, at_hand);
    if (!selection) return selection.error();
    environment_ = std::move(selection->environment);
    const auto& chosen = selection->chosen;
    plan_.python = environment_.wheels.python_version;
    plan_.left_out = chosen.left_out;
    for (const auto& package : chosen.packages) add(package, at_hand);
    if (wish_.reached) wish_.reached();
    opened_.resize(plan_.packages.size());
    ThreadLimit threads(wish_.jobs);
    for_each_index(threads, opened_.size(), [&](std::size_t i) {
      opened_[i] = open(plan_.packages[i].archive);
      if (opened_[i].error) ask_metadata(chosen.packages[i].file, opened_[i]);
    });
    for (std::size_t i = 0; i < plan_.packages.size(); ++i) read(i);
    for (const auto& name : chosen.misfits)
      for (auto& package : plan_.packages)
        if (package.name == name && package.state != LockedState::read) package.state = LockedState::misfit;
    for (std::size_t i = 0; i < chosen.packages.size(); ++i) find_needs(i, chosen.packages[i]);
    for (auto& package : plan_.packages) is_conda() ? know_conda(package) : know_cuda(package, plan_);
    std::vector<bool> requested;
    for (const auto& package : chosen.packages) requested.push_back(package.requested);
    find_top_level(plan_, requested);
    return std::move(plan_);
  }

 private:
  void add(const ChosenPackage& chosen, const AtHand& at_hand) {
    DeployedPackage package;
    package.name = chosen.name;
    package.version = chosen.version;
    package.file = chosen.file.name;
    package.url = chosen.file.url;
    package.sha256 = chosen.file.sha256;
    package.size = chosen.file.size;
    package.required_by = chosen.required_by;
    package.archive = at_hand.find(chosen, environment_.wheels);
    if (package.archive.empty() && !chosen.file.path.empty())
      package.archive = absolute_path(chosen.file.path, wish_.lock_folder);
    if (package.archive.empty() && chosen.file.url.starts_with("file:///"))
      package.archive = chosen.file.url.substr(sizeof("file://") - 1);
    if (package.archive.empty() && wish_.reach && chosen.file.url.starts_with("http"))
      package.archive = wish_.reach(chosen.file);
    package.state = chosen.from_source ? LockedState::source : LockedState::unknown;
    package.without_index = lock_.kind == LockKind::requirements && lock_.indexes.urls.empty() &&
                            lock_.find_links.empty() && package.url.empty() && package.archive.empty() &&
                            package.version.find('+') != std::string::npos;
    plan_.packages.push_back(std::move(package));
  }

  /// What a package at hand says of itself.
  struct Opened {
    std::optional<Error> error;
    std::vector<std::string> requires_dist, libraries;
    std::vector<std::string> depends = {};  ///< of a conda package
    bool needs_known = false;               ///< of what cannot be opened: `requires_dist` is what its METADATA says
    std::string note = {};
  };

  Opened open(const std::string& archive) const {
    if (archive.empty() || !is_package_name(archive)) return {Error{ErrorCode::absent, ""}, {}, {}};
    PackageTree tree(files_);
    const auto number = tree.install(archive);
    if (!number) return {number.error(), {}, {}};
    const auto& package = tree.packages()[*number];
    return {std::nullopt, package.requires_dist, package.libraries, package.depends};
  }

  void ask_metadata(const LockedFile& file, Opened& opened) const {
    if (!wish_.metadata || !file.has_metadata || file.url.empty()) return;
    const auto text = wish_.metadata(file);
    opened.needs_known = text.has_value();
    if (text)
      opened.requires_dist = parse_wheel_metadata(*text).requires_dist;
    else
      opened.note = fmt::format("{}.metadata: {}", file.name, text.error().message);
  }

  /// Takes what a package says, if it is at hand; else what is known of it.
  void read(std::size_t index) {
    auto& package = plan_.packages[index];
    const auto& opened = opened_[index];
    if (!opened.error) {
      package.state = LockedState::read;
      package.file = file_name(package.archive);
      if (const auto status = files_.status(package.archive)) package.size = status->size;
      return;
    }
    if (!package.archive.empty() && !opened.error->message.empty())
      plan_.notes.push_back(package.file + ": " + opened.error->message);
    if (!opened.note.empty()) plan_.notes.push_back(opened.note);
    package.archive.clear();
    if (package.state == LockedState::source) return;
    const auto brought = brought_by(package.name, "==" + package.version, plan_.windows, *plan_.knowledge);
    if (!brought) return;
    package.state = LockedState::declared;
    for (const auto& library : *brought) package.libraries.push_back({library.name, library.folder});
  }

  /// Who requires whom, by the metadata of what is at hand, else by what is known of it.
  void find_needs(std::size_t index, const ChosenPackage& chosen) {
    const auto& name = plan_.packages[index].name;
    std::vector<std::string> lines;
    bool read = false;
    if (const auto& opened = opened_[index]; !opened.error) {
      lines = opened.requires_dist;
      read = true;
      place_libraries(plan_.packages[index], opened.libraries);
      for (const auto& line : opened.depends) find_depend(index, line);
    } else if (opened.needs_known) {
      lines = opened.requires_dist;
      read = true;
    } else if (const auto* known = known_release(name, "==" + chosen.version);
               known != nullptr && !chosen.needs_known) {
      lines = known->requires_dist;
    }
    for (const auto& line : lines) {
      const auto requirement = parse_requirement(line);
      if (!requirement || !holds(requirement->marker, environment_.markers, {})) continue;
      const bool locked = note_need(index, requirement->name);
      if (!locked && read) plan_.packages[index].missing.push_back(requirement->name + requirement->specifiers);
    }
  }

  /// What a conda package asks of its environment; what stands for the machine is no package.
  void find_depend(std::size_t index, const std::string& line) {
    const auto depend = parse_conda_depend(line);
    if (!depend || depend->name.starts_with("__")) return;
    if (!note_need(index, normal_distribution_name(depend->name)))
      plan_.packages[index].missing.emplace_back(trimmed(depend->name + " " + depend->version));
  }

  /// Enters who requires a package; false if the lock does not have it.
  bool note_need(std::size_t index, const std::string& needed) {
    const auto& name = plan_.packages[index].name;
    const auto found = std::find_if(plan_.packages.begin(), plan_.packages.end(),
                                    [&](const DeployedPackage& each) { return each.name == needed; });
    if (found == plan_.packages.end()) return false;
    auto& by = found->required_by;
    if (found->name != name && std::find(by.begin(), by.end(), name) == by.end()) by.push_back(name);
    return true;
  }

  bool is_conda() const { return lock_.kind == LockKind::conda_explicit || lock_.kind == LockKind::conda_lock; }

  /// Of conda's parts of CUDA each is for the release that its runtime has, and named by what it carries.
  void know_conda(DeployedPackage& package) const {
    know_framework(package, plan_);
    auto& cuda = package.cuda;
    const bool is_runtime = states_release(ReleaseOf::cuda, package.name, true);
    cuda.is_part |= is_runtime || !libraries_of_conda(package.name, std::nullopt, *plan_.knowledge).libraries.empty();
    if (is_runtime) cuda.release = first_two(package.version);
    if (states_release(ReleaseOf::cudnn, package.name, true)) cuda.cudnn = package.version;
    if (!cuda.release.empty() || !cuda.cudnn.empty()) cuda.source = "the package's name and version";
  }

  static void place_libraries(DeployedPackage& deployed, const std::vector<std::string>& libraries) {
    const auto site = std::string(PackageTree::site_packages) + "/";
    for (const auto& path : libraries) {
      const std::string below = path.starts_with(site) ? path.substr(site.size()) : path;
      deployed.libraries.push_back({std::string(file_name(below)), std::string(parent_path(below))});
    }
  }

  const LockFile& lock_;
  const DeploymentWish& wish_;
  const FileSystem& files_;
  LockEnvironment environment_;
  std::vector<Opened> opened_;  ///< for each package
  Deployment plan_;
};

}  // namespace

void find_top_level(Deployment& plan, const std::vector<bool>& requested) {
  bool any = false;
  for (std::size_t i = 0; i < plan.packages.size(); ++i) {
    auto& package = plan.packages[i];
    package.top_level = !package.cuda.is_part && (package.required_by.empty() || requested[i]);
    any |= package.top_level;
  }
  for (std::size_t i = 0; i < plan.packages.size(); ++i) {
    auto& package = plan.packages[i];
    package.top_level |= !any;
    if (package.top_level && package.state == LockedState::read) plan.asked.push_back(i);
  }
}

void know_cuda(DeployedPackage& package, const Deployment& plan) {
  know_framework(package, plan);
  if (!package.name.starts_with("nvidia-")) return;
  auto& cuda = package.cuda;
  const auto with_cuda = libraries_of(package.name, plan.windows, *plan.knowledge);
  cuda.is_part = !with_cuda.empty() || !package.libraries.empty();
  if (states_release(ReleaseOf::cuda, package.name, false))
    cuda.release = first_two(package.version);
  else if (const auto suffix = package.name.rfind("-cu"); suffix != std::string::npos)
    cuda.release = package.name.substr(suffix + 3);
  if (cuda.release.find_first_not_of("0123456789.") != std::string::npos) cuda.release.clear();
  if (states_release(ReleaseOf::cudnn, package.name, false)) cuda.cudnn = package.version;
  if (!cuda.release.empty() || !cuda.cudnn.empty()) cuda.source = "the package's name and version";
}

Result<Deployment> plan_deployment(const LockFile& lock, const DeploymentWish& wish, const FileSystem& files,
                                   std::shared_ptr<const Knowledge> knowledge) {
  return Planner(lock, wish, files, std::move(knowledge)).run();
}

std::vector<Query> deployment_queries(const Deployment& plan, const Query& like) {
  std::vector<Query> queries;
  if (plan.asked.empty()) return queries;
  auto base = like;
  base.python = plan.python;
  if (!base.windows) base.windows = plan.windows;
  base.extras.clear();  // of the project, not of its packages
  base.lock.emplace();
  if (!base.world) base.world = WorldKind::tag;
  for (const auto& package : plan.packages)
    if (package.state != LockedState::read) base.lock->push_back({package.name, package.version});
  // All are installed in one order, whatever is asked about: it is one environment, of which files are the same.
  for (const bool asked : {false, true})
    for (std::size_t i = 0; i < plan.packages.size(); ++i)
      if (plan.packages[i].state == LockedState::read &&
          asked == (std::find(plan.asked.begin(), plan.asked.end(), i) != plan.asked.end()))
        base.packages.push_back(plan.packages[i].archive);
  const auto ask = [&](const std::vector<std::size_t>& targets) {
    auto& query = queries.emplace_back(base);
    for (const auto index : targets) query.targets.push_back(plan.packages[index].archive);
  };
  if (plan.asked.size() > 1)
    for (const auto index : plan.asked) ask({index});
  ask(plan.asked);
  return queries;
}

}  // namespace cudald
