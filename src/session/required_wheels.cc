#include "session/required_wheels.h"

#include <elf.h>

#include <deque>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include <cudald/format.h>

#include "base/budget.h"
#include "base/path.h"
#include "machine/abi.h"
#include "package/requirement.h"
#include "session/target_python.h"

namespace cudald {
namespace {

/// The distributions whose .dist-info lies in a folder of sys.path.
std::set<std::string> distributions_in(const PythonEnvironment& python, const FileSystem& files) {
  std::set<std::string> distributions;
  for (const auto& folder : python.path)
    if (const auto names = files.list(folder))
      for (const auto& name : *names)
        if (name.ends_with(".dist-info") || name.ends_with(".egg-info"))
          distributions.insert(normal_distribution_name(name.substr(0, name.find('-'))));
  return distributions;
}

/// What choosing may cost: lines that are read, names and versions that are compared. The largest environments come to
/// a hundredth of that.
constexpr CostLimits choosing_limits{.steps = 2'000'000};

/// The musl of the tree, if that is its C library and none is stated.
std::optional<LibcVersion> musl_of(const Query& query, const std::string& machine, const FileSystem& files) {
  const LibcVersion newest{LibcKind::musl, 1, 2};
  if (query.environment.libc) {
    const auto& stated = *query.environment.libc;
    return stated.kind == LibcKind::musl ? std::optional(stated) : std::nullopt;
  }
  const auto loader = "/lib/ld-musl-" + machine + ".so.1";
  const auto* abi = find_abi(query.environment.machine.value_or(EM_X86_64), Format::elf64, ByteOrder::little);
  const bool has_glibc = abi != nullptr && is_file(files, std::string(abi->interpreter));
  return is_file(files, loader) && !has_glibc ? std::optional(newest) : std::nullopt;
}

class Installation {
 public:
  Installation(const WheelPool& pool, const Query& query, PythonEnvironment python, bool windows, PackageTree& tree)
      : pool_(pool), tree_(tree), limits_(query.limits), python_(std::move(python)) {
    const auto& stated = query.environment.machine;
    wanted_.python_version = python_.version.empty() ? pool.newest_python() : python_.version;
    wanted_.machine = stated ? machine_name(*stated) : "x86_64";
    if (windows) {
      const auto& machine = wanted_.machine;
      wanted_.windows_tag = machine == "i386" ? "win32" : machine == "aarch64" ? "win_arm64" : "win_amd64";
      values_ = windows_marker_values(wanted_.python_version, machine == "i386"      ? "x86"
                                                              : machine == "aarch64" ? "ARM64"
                                                                                     : "AMD64");
      return;
    }
    wanted_.musl = musl_of(query, wanted_.machine, tree);
    values_ = linux_marker_values(wanted_.python_version, wanted_.machine);
  }

  RequiredWheels run(const std::vector<std::string>& modules) {
    for (std::size_t number = 0; number < tree_.packages().size(); ++number) {
      const auto name = normal_distribution_name(tree_.packages()[number].name);
      settled_.insert(name);
      numbers_.try_emplace(name, number);
      queue_.push_back({name, number, 0});
    }
    for (const auto& module : modules) {
      last_ = module;
      if (const auto distribution = pool_.distribution_of(module, budget_); !distribution.empty())
        require({distribution, {}, "", ""}, "the command line");
    }
    while (!queue_.empty() && !budget_.exhausted()) {
      const auto next = std::move(queue_.front());
      queue_.pop_front();
      last_ = next.name;
      follow(next);
    }
    if (budget_.exhausted()) {
      auto error = budget_.error();
      error.message = "what it requires was not followed to its end: " + error.message;
      result_.faults.emplace_back(last_, std::move(error));
    }
    if (!missing_.empty()) {
      std::string names;
      for (const auto& name : missing_) names += (names.empty() ? "" : ", ") + name;
      result_.notes.push_back("required, and neither among the wheels nor installed: " + names);
    }
    return std::move(result_);
  }

 private:
  static constexpr std::size_t bytes_of_a_step = 32;

  struct Pending {
    std::string name;
    std::size_t package;
    std::size_t extras;  ///< how many of those that were asked for so far
  };

  void follow(const Pending& next) {
    const auto& asked = extras_[next.name];
    const std::set<std::string> extras(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(next.extras));
    // What is required is installed meanwhile: the packages may move.
    for (std::size_t i = 0; i < tree_.packages()[next.package].requires_dist.size(); ++i) {
      const auto line = tree_.packages()[next.package].requires_dist[i];
      if (!budget_.step(1 + extras.size() + line.size() / bytes_of_a_step)) return;
      if (const auto requirement = parse_requirement(line); requirement && holds(requirement->marker, values_, extras))
        require(*requirement, next.name);
    }
  }

  void require(const Requirement& requirement, const std::string& by) {
    auto& specifiers = specifiers_[requirement.name];
    if (!requirement.specifiers.empty()) specifiers.push_back(requirement.specifiers);
    auto& extras = extras_[requirement.name];
    const auto known = extras.size();
    for (const auto& extra : requirement.extras)
      if (extras_known_.insert({requirement.name, extra}).second) extras.push_back(extra);
    if (!settled_.insert(requirement.name).second) {
      const auto number = numbers_.find(requirement.name);
      if (extras.size() > known && number != numbers_.end())
        queue_.push_back({requirement.name, number->second, extras.size()});
      return;
    }
    const auto wheels = pool_.count(requirement.name);
    if (!budget_.step(wheels * (1 + requirement.specifiers.size() / bytes_of_a_step))) return;
    const auto path = pool_.choose(requirement.name, specifiers, wanted_);
    if (path.empty()) {
      if (is_installed(requirement.name)) return;
      if (pool_.has(requirement.name))
        result_.notes.push_back(fmt::format("{} requires {} {}, which no wheel in the directory fits", by,
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
    numbers_.try_emplace(requirement.name, *number);
    queue_.push_back({requirement.name, *number, extras.size()});
  }

  /// Whether a folder of sys.path has the distribution's .dist-info.
  bool is_installed(const std::string& distribution) {
    if (!installed_) installed_ = distributions_in(python_, tree_);
    return installed_->contains(distribution);
  }

  const WheelPool& pool_;
  PackageTree& tree_;
  const InflateLimits& limits_;
  PythonEnvironment python_;
  WheelEnvironment wanted_;
  Budget budget_{choosing_limits};
  std::string last_;  ///< what was being followed
  MarkerValues values_;
  std::deque<Pending> queue_;
  std::set<std::string> settled_, missing_;
  std::map<std::string, std::size_t> numbers_;  ///< of packages, by distribution
  std::optional<std::set<std::string>> installed_;
  std::map<std::string, std::vector<std::string>> specifiers_;
  std::map<std::string, std::deque<std::string>> extras_;  ///< by distribution, as they were asked for
  std::set<std::pair<std::string, std::string>> extras_known_;
  RequiredWheels result_;
};

}  // namespace

RequiredWheels install_required_wheels(const WheelPool& pool, const std::vector<std::string>& modules,
                                       const Query& query, PythonEnvironment python, bool windows, PackageTree& tree) {
  return Installation(pool, query, std::move(python), windows, tree).run(modules);
}

}  // namespace cudald
