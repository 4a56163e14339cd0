#include "session/required_wheels.h"

#include <algorithm>
#include <deque>
#include <set>

#include <fmt/format.h>

#include <cudald/format.h>

#include "base/path.h"
#include "package/requirement.h"
#include "session/target_python.h"

namespace cudald {
namespace {

/// Whether a folder of sys.path has the distribution's .dist-info.
bool is_installed(const std::string& distribution, const PythonEnvironment& python, const FileSystem& files) {
  for (const auto& folder : python.path) {
    const auto names = files.list(folder);
    if (!names) continue;
    for (const auto& name : *names) {
      if (!name.ends_with(".dist-info") && !name.ends_with(".egg-info")) continue;
      if (normal_distribution_name(name.substr(0, name.find('-'))) == distribution) return true;
    }
  }
  return false;
}

class Installation {
 public:
  Installation(const WheelPool& pool, const Query& query, PackageTree& tree)
      : pool_(pool), tree_(tree), limits_(query.limits), python_(find_target_python(query, tree)) {
    version_ = python_.version.empty() ? pool.newest_python() : python_.version;
    const auto& stated = query.environment.machine;
    machine_ = stated ? machine_name(*stated) : "x86_64";
    values_ = linux_marker_values(version_, machine_);
  }

  RequiredWheels run(const std::vector<std::string>& modules) {
    for (const auto& package : tree_.packages()) {
      settled_.insert(normal_distribution_name(package.name));
      queue_.push_back({normal_distribution_name(package.name), package.requires_dist, {}});
    }
    for (const auto& module : modules)
      if (const auto distribution = pool_.distribution_of(module); !distribution.empty())
        require({distribution, {}, "", ""}, "the command line");
    while (!queue_.empty()) {
      const auto next = std::move(queue_.front());
      queue_.pop_front();
      for (const auto& line : next.lines)
        if (const auto requirement = parse_requirement(line);
            requirement && holds(requirement->marker, values_, next.extras))
          require(*requirement, next.name);
    }
    if (!missing_.empty()) {
      std::string names;
      for (const auto& name : missing_) names += (names.empty() ? "" : ", ") + name;
      result_.notes.push_back("required, and neither among the wheels nor installed: " + names);
    }
    return std::move(result_);
  }

 private:
  struct Pending {
    std::string name;
    std::vector<std::string> lines;
    std::set<std::string> extras;
  };

  void require(const Requirement& requirement, const std::string& by) {
    auto& specifiers = specifiers_[requirement.name];
    if (!requirement.specifiers.empty()) specifiers.push_back(requirement.specifiers);
    auto& extras = extras_[requirement.name];
    const auto known = extras.size();
    extras.insert(requirement.extras.begin(), requirement.extras.end());
    if (!settled_.insert(requirement.name).second) {
      if (extras.size() > known) queue_.push_back({requirement.name, requires_of(requirement.name), extras});
      return;
    }
    const auto path = pool_.choose(requirement.name, specifiers, version_, machine_);
    if (path.empty()) {
      if (is_installed(requirement.name, python_, tree_)) return;
      if (pool_.has(requirement.name))
        result_.notes.push_back(fmt::format("{} requires {} {}, which no wheel in the folder fits", by,
                                            requirement.name, requirement.specifiers));
      else
        missing_.insert(requirement.name);
      return;
    }
    const auto number = tree_.install(path, limits_);
    if (!number) {
      result_.faults.emplace_back(path, number.error());
      return;
    }
    queue_.push_back({requirement.name, tree_.packages()[*number].requires_dist, extras});
  }

  std::vector<std::string> requires_of(const std::string& distribution) const {
    for (const auto& package : tree_.packages())
      if (normal_distribution_name(package.name) == distribution) return package.requires_dist;
    return {};
  }

  const WheelPool& pool_;
  PackageTree& tree_;
  const InflateLimits& limits_;
  PythonEnvironment python_;
  std::string version_, machine_;
  MarkerValues values_;
  std::deque<Pending> queue_;
  std::set<std::string> settled_, missing_;
  std::map<std::string, std::vector<std::string>> specifiers_;
  std::map<std::string, std::set<std::string>> extras_;
  RequiredWheels result_;
};

}  // namespace

RequiredWheels install_required_wheels(const WheelPool& pool, const std::vector<std::string>& modules,
                                       const Query& query, PackageTree& tree) {
  return Installation(pool, query, tree).run(modules);
}

}  // namespace cudald
