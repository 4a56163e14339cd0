#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/requirements.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/account.h"
#include "check/checks.h"
#include "cuda/providers.h"
#include "package/requirement.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

/// One library that a package needs and may not count on.
struct Lack {
  std::string library;
  ObjectId requester = 0;
  std::size_t edge = 0;
  const Target* request = nullptr;
  Level level = Level::note;
  Account account;
};

/// A line of Requires-Dist that would bring a library if it counted.
struct IdleRequirement {
  std::string line;
  std::string extra;  ///< that it hangs on; empty: another condition
  bool lost = false;  ///< it counts, and the release that pip takes has the library no longer
  Provider provider;
};

class RequirementCheck {
 public:
  explicit RequirementCheck(const Case& given) : report_(given.report), packages_(given.store.packages) {}

  void run() {
    if (world().kind != WorldKind::tag) return;
    collect();
    for (const auto standing : {Standing::undeclared, Standing::python, Standing::possible})
      for (const auto level : {Level::error, Level::warning, Level::note}) {
        std::vector<const Lack*> group;
        for (const auto& name : order_)
          if (const auto& lack = lacks_.at(name); lack.account.standing == standing && level_of(lack) == level)
            group.push_back(&lack);
        if (!group.empty()) tell(group, standing, level);
      }
  }

 private:
  const World& world() const { return report_.resolution.world; }

  /// What may be brought after all is no alarm; what depends on the build of Python is a risk at most.
  static Level level_of(const Lack& lack) {
    if (lack.account.standing == Standing::possible) return Level::note;
    return lack.account.standing == Standing::python ? std::max(lack.level, Level::warning) : lack.level;
  }

  void collect() {
    const auto& objects = report_.resolution.objects;
    for (ObjectId id = 0; id < objects.size(); ++id)
      for (std::size_t index = 0; index < objects[id].edges.size(); ++index) {
        const auto& edge = objects[id].edges[index];
        const auto* request = failing_request(report_, id, edge);
        if (request == nullptr || !is_told_as_requirement(report_, packages_, edge)) continue;
        const auto level = level_of_failure(report_, *request);
        const auto [place, is_new] = lacks_.try_emplace(
            edge.name, Lack{edge.name, id, index, request, level, account_of(world(), packages_, edge)});
        if (is_new) order_.push_back(edge.name);
        if (level < place->second.level) place->second.level = level, place->second.request = request;
      }
  }

  static std::string names_of(const std::vector<const Lack*>& group) {
    constexpr std::size_t most = 3;
    std::vector<std::string> names;
    for (const auto* lack : group) names.push_back(lack->library);
    if (names.size() <= most)
      return names.size() == 1 ? names[0]
                               : fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
    return fmt::format("{} and {} more libraries", fmt::join(names.begin(), names.begin() + 2, ", "), names.size() - 2);
  }

  void tell(const std::vector<const Lack*>& group, Standing standing, Level level) {
    const auto& first = *group.front();
    auto finding = make_finding("CUD501");
    finding.level = level;
    finding.object = first.requester;
    finding.edge = first.edge;
    finding.subject = first.library;
    finding.message = sentence(group, standing);
    finding.consequence = consequence(first, standing);
    constexpr std::size_t most_told = 12;
    for (std::size_t i = 0; i < std::min(group.size(), most_told); ++i) {
      const auto& lack = *group[i];
      const auto& requester = report_.resolution.objects[lack.requester];
      finding.evidence.push_back(
          {fmt::format("{} is asked for by {}", lack.library, short_name(requester)), requester.path, Basis::proven, ""});
      for (const auto& fact : requester.edges[lack.edge].known.facts)
        finding.evidence.push_back({fact.text, "", Basis::table, fact.source});
      if (standing == Standing::undeclared) add_idle_requirements(lack, finding);
    }
    if (standing == Standing::undeclared) add_installs(group, finding);
    report_.findings.push_back(std::move(finding));
  }

  std::string sentence(const std::vector<const Lack*>& group, Standing standing) const {
    const auto names = names_of(group);
    const auto& first = *group.front();
    const bool one = group.size() == 1;
    switch (standing) {
      case Standing::python:
        return fmt::format("{} {} there only where Python was built with a shared library", names, one ? "is" : "are");
      case Standing::possible:
        return fmt::format("{} {} brought by nothing that is known; {}, which is required and not at hand, may bring {}",
                           names, one ? "is" : "are", fmt::join(first.account.by, " or "), one ? "it" : "them");
      default: break;
    }
    return fmt::format("{} {} not promised by {}, and no requirement brings {}", names, one ? "is" : "are",
                       world().name.empty() ? "its tag" : world().name, one ? "it" : "them");
  }

  std::string consequence(const Lack& lack, Standing standing) const {
    if (standing == Standing::possible) return "Give what it requires, and it is looked at: --with WHEEL, --with FOLDER.";
    if (lack.request->part_of)
      if (auto text = raised(report_, report_.resolution.targets[*lack.request->part_of]); !text.empty()) return text;
    const auto& error = lack.request->error;
    if (lack.level == Level::error) return error;
    return lack.request->traits.without.empty() ? "Whoever asks goes on without it, or nothing is known to ask: " + error
                                                : lack.request->traits.without;
  }

  /// Lines of Requires-Dist of the packages that are asked about, which would bring the library and do not count.
  std::vector<IdleRequirement> idle_requirements(const std::string& library) const {
    std::vector<IdleRequirement> found;
    const auto providers = providers_of(library);
    for (const auto& package : packages_.packages()) {
      if (package.archive.empty()) continue;
      for (const auto& line : package.requires_dist) {
        const auto requirement = parse_requirement(line);
        if (!requirement) continue;
        for (const auto& provider : providers) {
          if (normal_distribution_name(provider.distribution) != requirement->name) continue;
          const bool counts = std::any_of(world().requirements.begin(), world().requirements.end(),
                                          [&](const RequiredPackage& one) { return one.name == requirement->name; });
          found.push_back({line, extra_of(requirement->marker), counts, provider});
        }
      }
    }
    return found;
  }

  /// "ctk" of `extra == "ctk"`; empty if the marker says nothing of one.
  static std::string extra_of(const std::string& marker) {
    const auto at = marker.find("extra");
    const auto open = at == std::string::npos ? at : marker.find_first_of("'\"", at);
    if (open == std::string::npos) return "";
    const auto close = marker.find(marker[open], open + 1);
    return close == std::string::npos ? "" : marker.substr(open + 1, close - open - 1);
  }

  void add_idle_requirements(const Lack& lack, Finding& finding) const {
    for (const auto& idle : idle_requirements(lack.library)) {
      const auto line = "Requires-Dist: " + idle.line;
      if (idle.lost)
        finding.evidence.push_back({fmt::format("{}: {} had {} up to {}, and pip installs a newer one", line,
                                                idle.provider.distribution, lack.library, idle.provider.version),
                                    "", Basis::table, providers_source()});
      else
        finding.evidence.push_back(
            {line + (idle.extra.empty() ? " does not hold here" : " counts with that extra alone"), "", Basis::proven,
             ""});
    }
  }

  /// Whether the search for a library looked into a folder of site-packages.
  bool is_searched(const Lack& lack, const std::string& folder) const {
    const auto wanted = std::string(PackageTree::site_packages) + "/" + folder;
    const auto& probes = report_.resolution.objects[lack.requester].edges[lack.edge].search.probes;
    return std::any_of(probes.begin(), probes.end(),
                       [&](const Probe& probe) { return parent_path(normal_path(probe.path)) == wanted; });
  }

  void add_installs(const std::vector<const Lack*>& group, Finding& finding) const {
    std::vector<std::string> extras, requirements, folders;
    const auto add = [](std::vector<std::string>& list, const std::string& item) {
      if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
    };
    for (const auto* lack : group) {
      for (const auto& idle : idle_requirements(lack->library))
        if (!idle.extra.empty()) add(extras, idle.extra);
      const auto providers = providers_of(lack->library);
      if (providers.empty()) continue;
      add(requirements, providers.back().requirement);
      if (!is_searched(*lack, providers.back().folder)) add(folders, providers.back().folder);
    }
    if (!extras.empty())
      finding.fixes.push_back({"install it with the extra that brings what it needs",
                               fmt::format("pip install {}", shell_word(asked_name() + "[" + extras.front() + "]")), ""});
    if (!requirements.empty()) {
      std::string words;
      for (const auto& requirement : requirements) words += " " + shell_word(requirement);
      finding.fixes.push_back({"install what brings it beside the package", "pip install" + words,
                               folders.empty() ? "" : fmt::format("it lands in {}, which nothing searches: name the "
                                                                  "folder in LD_LIBRARY_PATH as well",
                                                                  fmt::join(folders, " and "))});
      finding.fixes.push_back({"for its publisher: declare it", fmt::format("Requires-Dist:{}", words), ""});
    } else {
      finding.fixes.push_back({"for its publisher: put it into the package, or require what brings it", "", ""});
    }
  }

  std::string asked_name() const {
    for (const auto& package : packages_.packages())
      if (!package.archive.empty()) return normal_distribution_name(package.name);
    return "";
  }

  Report& report_;
  const PackageTree& packages_;
  std::map<std::string, Lack> lacks_;
  std::vector<std::string> order_;
};

}  // namespace

void check_requirements(const Case& given) { RequirementCheck(given).run(); }

}  // namespace cudald
