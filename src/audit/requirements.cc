#include "audit/requirements.h"

#include <algorithm>
#include <deque>
#include <map>

#include "base/budget.h"
#include "base/windows_path.h"
#include "package/version.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

bool is_older(std::string_view a, std::string_view b) {
  const auto left = parse_version(a), right = parse_version(b);
  return left && right && *left < *right;
}

}  // namespace

/// One walk along the lines.
class RequirementGraph::Follower {
 public:
  explicit Follower(RequirementGraph& graph) : graph_(graph) {}

  std::vector<RequiredPackage> run(const std::set<std::size_t>& asked, const std::set<std::string>& extras) {
    for (const auto& [name, number] : graph_.numbers_) {
      if (asked.contains(number)) extras_[name].insert(extras.begin(), extras.end());
      queue_.push_back(name);
    }
    while (!queue_.empty() && !budget_.exhausted()) {
      const auto name = std::move(queue_.front());
      queue_.pop_front();
      if (const auto number = graph_.numbers_.find(name); number != graph_.numbers_.end()) {
        const auto& package = graph_.tree_.packages()[number->second];
        follow(name, package.name, package.requires_dist);
      } else if (const auto* known = known_release(name, found_[places_.at(name)].specifiers)) {
        follow(name, name, known->requires_dist);
      }
    }
    return std::move(found_);
  }

 private:
  void follow(const std::string& name, const std::string& shown, const std::vector<std::string>& lines) {
    const auto extras = extras_[name];
    for (const auto& line : graph_.read(lines)) {
      if (!budget_.step(1 + extras.size() + line.length)) return;
      const bool decided = !line.asks_for_extras || extras.empty();
      if (decided ? line.holds : holds(line.requirement->marker, graph_.values_, extras))
        require(*line.requirement, shown);
    }
  }

  void require(const Requirement& requirement, const std::string& by) {
    auto& extras = extras_[requirement.name];
    const auto before = extras.size();
    extras.insert(requirement.extras.begin(), requirement.extras.end());
    const auto [place, is_new] = places_.try_emplace(requirement.name, found_.size());
    if (is_new) {
      auto& required = found_.emplace_back(RequiredPackage{.name = requirement.name, .by = by});
      required.at_hand = graph_.numbers_.contains(requirement.name);
    }
    restrict_to(requirement.specifiers, found_[place->second]);
    if (!is_new && extras.size() == before) return;
    queue_.push_back(requirement.name);
  }

  /// All who require it have a say in which release is taken.
  static void restrict_to(const std::string& specifiers, RequiredPackage& required) {
    constexpr std::size_t longest = 400;
    auto& all = required.specifiers;
    if (specifiers.empty() || all.size() > longest ||
        ("," + all + ",").find("," + specifiers + ",") != std::string::npos)
      return;
    auto both = all + (all.empty() ? "" : ",") + specifiers;
    // Where no known release suits both, pip takes an older one of who asks: which that is, is not known.
    if (!all.empty() && known_release(required.name, all) != nullptr && known_release(required.name, both) == nullptr)
      return;
    all = std::move(both);
    required.version = pinned_version(all);
  }

  RequirementGraph& graph_;
  Budget budget_{CostLimits{.steps = 20'000'000}};
  std::map<std::string, std::set<std::string>> extras_;
  std::map<std::string, std::size_t> places_;  ///< in what was found
  std::deque<std::string> queue_;
  std::vector<RequiredPackage> found_;
};

RequirementGraph::RequirementGraph(const PackageTree& tree, const MarkerValues& values) : tree_(tree), values_(values) {
  for (std::size_t i = 0; i < tree.packages().size(); ++i)
    if (!tree.packages()[i].archive.empty()) numbers_.try_emplace(normal_distribution_name(tree.packages()[i].name), i);
}

const std::vector<RequirementGraph::Line>& RequirementGraph::read(const std::vector<std::string>& lines) {
  const auto [place, is_new] = lines_.try_emplace(&lines);
  if (!is_new) return place->second;
  for (const auto& text : lines) {
    auto& line = place->second.emplace_back(Line{text.size(), parse_requirement(text)});
    if (!line.requirement) continue;
    line.holds = holds(line.requirement->marker, values_, {});
    line.asks_for_extras = line.requirement->marker.find("extra") != std::string::npos;
  }
  return place->second;
}

std::vector<RequiredPackage> RequirementGraph::active(const std::set<std::size_t>& asked,
                                                      const std::set<std::string>& extras) {
  return Follower(*this).run(asked, extras);
}

MarkerValues marker_values(const World& world) {
  if (world.name.starts_with("win"))
    return windows_marker_values(world.python, world.name == "win32"       ? "x86"
                                               : world.name == "win_arm64" ? "ARM64"
                                                                           : "AMD64");
  // "manylinux_2_28_x86_64"; of a world without a name nothing depends on the machine.
  constexpr int bars_before_machine = 3;
  std::size_t at = 0;
  for (int i = 0; i < bars_before_machine && at != std::string::npos; ++i) at = world.name.find('_', at + 1);
  return linux_marker_values(world.python, at == std::string::npos ? "x86_64" : world.name.substr(at + 1));
}

std::vector<std::string> extras_of(const Package& package) {
  std::vector<std::string> extras;
  for (const auto& line : package.requires_dist) {
    const auto marker = std::min(line.find(';'), line.size());
    for (auto at = line.find("extra", marker); at != std::string::npos; at = line.find("extra", at)) {
      at = line.find_first_of("'\"", at);
      const auto end = at == std::string::npos ? at : line.find(line[at], at + 1);
      if (end == std::string::npos) break;
      auto extra = normal_distribution_name(line.substr(at + 1, end - at - 1));
      if (std::find(extras.begin(), extras.end(), extra) == extras.end()) extras.push_back(std::move(extra));
      at = end + 1;
    }
  }
  return extras;
}

bool brings(const Provider& provider, std::string_view specifiers) {
  const bool lost = provider.requirement != provider.distribution;  // by its newest release
  constexpr std::string_view newest_of_all = "99999";
  if (specifiers.empty() || allows(specifiers, newest_of_all)) return !lost;
  if (allows(specifiers, provider.version) || allows(specifiers, provider.oldest)) return true;
  // The table has seen every release; one that is newer than it has what the newest had.
  const auto pinned = pinned_version(specifiers);
  return !pinned.empty() && !is_older(pinned, provider.oldest) && (!lost || !is_older(provider.version, pinned));
}

std::vector<RequiredPackage> active_requirements(const PackageTree& tree, const std::set<std::size_t>& asked,
                                                 const MarkerValues& values, const std::set<std::string>& extras) {
  return RequirementGraph(tree, values).active(asked, extras);
}

std::optional<std::vector<BroughtLibrary>> brought_by(std::string_view distribution, std::string_view specifiers,
                                                      bool windows, const Knowledge& knowledge) {
  std::vector<BroughtLibrary> libraries;
  const auto add = [&](const std::string& name, const std::string& folder) {
    if (std::none_of(libraries.begin(), libraries.end(),
                     [&](const BroughtLibrary& one) { return one.name == name && one.folder == folder; }))
      libraries.push_back({name, folder});
  };
  const auto rows = libraries_of(distribution, windows, knowledge);
  for (const auto& [library, provider] : rows)
    if (brings(provider, specifiers)) add(library, provider.folder);
  const auto* known = known_release(distribution, specifiers);
  if (known != nullptr && !windows)
    for (const auto& library : known->libraries) add(library.name, library.folder);
  if (rows.empty() && (known == nullptr || (windows && !known->libraries.empty()))) return std::nullopt;
  return libraries;
}

Bringers bringers_of(const Package& package, const PackageTree& tree, const MarkerValues& values, bool windows,
                     const Knowledge& knowledge) {
  const auto number = static_cast<std::size_t>(&package - tree.packages().data());
  Bringers found;
  for (const auto& required : active_requirements(tree, {number}, values, {})) {
    const auto brought = brought_by(required.name, required.specifiers, windows, knowledge);
    found.complete = found.complete && brought;
    for (const auto& library : brought ? *brought : std::vector<BroughtLibrary>()) {
      auto& packages = found.by_library[windows ? folded(library.name) : library.name];
      if (std::find(packages.begin(), packages.end(), required.name) == packages.end())
        packages.push_back(required.name);
    }
  }
  return found;
}

Standing standing_of_unbrought(std::string_view name, bool may_be_brought) {
  // Source: the names that CPython's Makefile gives its library, LDLIBRARY and INSTSONAME.
  if (name.starts_with("libpython3")) return Standing::python;
  return may_be_brought ? Standing::possible : Standing::undeclared;
}

}  // namespace cudald
