#include "lock/choose.h"

#include <algorithm>
#include <deque>
#include <map>

#include <fmt/format.h>

#include "base/budget.h"
#include "lock/readers.h"
#include "package/version.h"

namespace cudald {
namespace {

/// "\ncuda12\ntest\n", as holds() wants a set.
std::string as_set(const std::set<std::string>& names) {
  std::string text = "\n";
  for (const auto& name : names) text += normal_distribution_name(name) + "\n";
  return text;
}

bool is_conda(LockKind kind) { return kind == LockKind::conda_explicit || kind == LockKind::conda_lock; }

/// Of the newest version, where a pin leaves the local one open, and then of the best tags.
std::optional<LockedFile> best_wheel(const LockedPackage& package, const WheelEnvironment& environment) {
  const LockedFile* best = nullptr;
  std::pair<std::optional<DistributionVersion>, WheelPreference> most;
  for (const auto& file : package.wheels) {
    const auto name = parse_wheel_file_name(file.name);
    if (!name || !fits(*name, environment)) continue;
    std::pair worth(parse_version(name->version), preference_of(*name, environment));
    if (best == nullptr || worth > most) best = &file, most = std::move(worth);
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

class Chooser {
 public:
  Chooser(const LockFile& lock, const LockEnvironment& environment) : lock_(lock), environment_(environment) {
    for (std::size_t i = 0; i < lock.packages.size(); ++i) by_name_[lock.packages[i].name].push_back(i);
  }

  Result<ChosenPackages> run() {
    auto markers = environment_.markers;
    markers["extras"] = as_set(environment_.extras);
    auto groups = environment_.groups;
    groups.insert(lock_.default_groups.begin(), lock_.default_groups.end());
    markers["dependency_groups"] = as_set(groups);
    if (lock_.is_graph)
      follow_roots();
    else
      for (std::size_t i = 0; i < lock_.packages.size(); ++i)
        if (is_for_platform(lock_.packages[i]) && holds(lock_.packages[i].marker, markers, environment_.extras))
          taken_.insert(i);
    if (budget_.exhausted()) return budget_.error();
    std::map<std::string, std::string> versions;
    for (const auto index : taken_) {
      const auto& package = lock_.packages[index];
      if (package.is_root) continue;
      const auto [seen, is_new] = versions.try_emplace(package.name, package.version);
      if (!is_new && seen->second != package.version)
        return lock_error(ErrorCode::usage, package.line,
                          fmt::format("{} is pinned to {} and to {}; an installer refuses that", package.name,
                                      seen->second, package.version));
      if (is_new) add(package);
    }
    add_needs();
    result_.left_out = lock_.packages.size() - taken_.size();
    return std::move(result_);
  }

 private:
  bool is_for_platform(const LockedPackage& package) const {
    return package.platform.empty() || package.platform == "noarch" || package.platform == environment_.conda_platform;
  }

  void add(const LockedPackage& package) {
    ChosenPackage chosen;
    chosen.name = package.name;
    chosen.version = package.version;
    chosen.requested = package.requested;
    chosen.needs_known = package.needs_known;
    chosen.hashes = package.hashes;
    chosen.wheels_named = !package.wheels.empty();
    if (is_conda(lock_.kind)) {
      if (!package.wheels.empty()) chosen.file = package.wheels.front();
    } else if (auto wheel = best_wheel(package, environment_.wheels)) {
      chosen.file = std::move(*wheel);
      const bool open = package.version.find('+') == std::string::npos;
      if (const auto name = parse_wheel_file_name(chosen.file.name);
          name && open && name->version.find('+') != name->version.npos)
        chosen.version = name->version;
    } else if (package.from_source) {
      chosen.from_source = true;
    } else if (chosen.wheels_named) {
      result_.misfits.push_back(package.name);
    }
    result_.packages.push_back(std::move(chosen));
  }

  /// The packages that the roots need, with their extras and groups, and what these need in turn.
  void follow_roots() {
    struct Wanted {
      std::size_t index;
      std::string extra;  ///< empty: the package itself
    };
    std::deque<Wanted> queue;
    std::set<std::pair<std::size_t, std::string>> seen;
    const auto want = [&](std::size_t index, const std::string& extra) {
      if (seen.emplace(index, extra).second) queue.push_back({index, extra});
    };
    const bool has_root = std::any_of(lock_.packages.begin(), lock_.packages.end(),
                                      [](const LockedPackage& package) { return package.is_root; });
    for (std::size_t i = 0; i < lock_.packages.size(); ++i)
      if (lock_.packages[i].is_root || !has_root) {
        want(i, "");
        for (const auto& extra : environment_.extras) want(i, normal_distribution_name(extra));
      }
    while (!queue.empty()) {
      const auto next = std::move(queue.front());
      queue.pop_front();
      taken_.insert(next.index);
      const auto& package = lock_.packages[next.index];
      for (const auto& need : package.needs) {
        if (normal_distribution_name(need.for_extra) != next.extra) continue;
        if (!need.for_group.empty() && !(package.is_root && environment_.groups.contains(need.for_group))) continue;
        if (!holds(need.marker, environment_.markers, {})) continue;
        for (const auto index : by_name_[need.name]) {
          if (!need.version.empty() && lock_.packages[index].version != need.version) continue;
          if (!budget_.step()) return;
          want(index, "");
          for (const auto& extra : need.extras) want(index, normal_distribution_name(extra));
        }
      }
    }
  }

  /// Who needs whom among what was chosen. What a root asks for was requested.
  void add_needs() {
    std::map<std::string, ChosenPackage*> chosen;
    for (auto& package : result_.packages) chosen[package.name] = &package;
    for (const auto index : taken_) {
      const auto& package = lock_.packages[index];
      for (const auto& need : package.needs) {
        const auto found = chosen.find(need.name);
        if (found == chosen.end() || need.name == package.name || !holds(need.marker, environment_.markers, {}))
          continue;
        auto& by = found->second->required_by;
        if (package.is_root)
          found->second->requested = true;
        else if (std::find(by.begin(), by.end(), package.name) == by.end())
          by.push_back(package.name);
      }
    }
  }

  const LockFile& lock_;
  const LockEnvironment& environment_;
  std::map<std::string, std::vector<std::size_t>> by_name_;
  std::set<std::size_t> taken_;
  ChosenPackages result_;
  Budget budget_{CostLimits{.steps = 2'000'000}};  ///< a hundred times what large projects take
};

}  // namespace

LockEnvironment make_lock_environment(const WheelEnvironment& wheels, std::set<std::string> extras,
                                      std::set<std::string> groups) {
  LockEnvironment environment{wheels, {}, "", std::move(extras), std::move(groups)};
  const bool arm = wheels.machine == "aarch64";
  if (wheels.windows_tag.empty()) {
    environment.markers = linux_marker_values(wheels.python_version, wheels.machine);
    environment.conda_platform = arm ? "linux-aarch64" : wheels.machine == "x86_64" ? "linux-64" : wheels.machine;
  } else {
    const auto* machine = wheels.windows_tag == "win32" ? "x86" : arm ? "ARM64" : "AMD64";
    environment.markers = windows_marker_values(wheels.python_version, machine);
    environment.conda_platform = wheels.windows_tag == "win32" ? "win-32" : arm ? "win-arm64" : "win-64";
  }
  return environment;
}

Result<ChosenPackages> choose_packages(const LockFile& lock, const LockEnvironment& environment) {
  return Chooser(lock, environment).run();
}

}  // namespace cudald
