#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/requirements.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/findings/account.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/wheel_recipe.h"
#include "knowledge/conda_packages.h"
#include "knowledge/providers.h"
#include "package/requirement.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

/// One library that a package needs and may not count on.
struct Lack {
  std::string library;
  ObjectId requester{};
  std::size_t edge{};
  const Target* request{};
  Level level{};
  Account account;
};

/// A line of Requires-Dist that would bring a library if it counted.
struct IdleRequirement {
  std::string line;
  bool by_extra{};  ///< it hangs on one
  bool lost{};      ///< it counts, and the release that pip takes has the library no longer
  Provider provider;
};

class RequirementCheck {
 public:
  explicit RequirementCheck(const Case& given)
      : report_(given.report),
        store_(given.store),
        packages_(given.store.packages),
        accounts_(given.report, given.store.packages) {}

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
        const auto* request = accounts_.failing_request(id, edge);
        if (request == nullptr || !accounts_.tells(edge)) continue;
        const auto level = level_of_failure(report_, *request);
        const auto [place, is_new] =
            lacks_.try_emplace(edge.name, Lack{edge.name, id, index, request, level, accounts_.of(edge)});
        if (is_new) order_.push_back(edge.name);
        if (level < place->second.level) place->second.level = level, place->second.request = request;
      }
  }

  static std::string names_of(const std::vector<const Lack*>& group) {
    constexpr std::size_t most = 3;
    std::vector<std::string> names;
    for (const auto* lack : group) names.push_back(lack->library);
    if (names.size() <= most)
      return names.size() == 1
                 ? names[0]
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
          {fmt::format("{} is needed by {}", lack.library, short_name(requester)), requester.path, Basis::proven, ""});
      for (const auto& fact : requester.edges[lack.edge].known.facts)
        finding.evidence.push_back({fact.text, "", Basis::table, fact.source});
      if (standing == Standing::undeclared) add_idle_requirements(lack, finding);
    }
    if (standing != Standing::python) add_requirements_source(world(), finding);
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
        return fmt::format(
            "{} {} not provided by any known package; {}, which is required and not available locally, may provide {}",
            names, one ? "is" : "are", fmt::join(first.account.by, " or "), one ? "it" : "them");
      default: break;
    }
    return fmt::format("{} {} not part of {} and not provided by any declared dependency", names, one ? "is" : "are",
                       world().name.empty() ? "its tag" : world().name, one ? "it" : "them");
  }

  std::string consequence(const Lack& lack, Standing standing) const {
    if (standing == Standing::possible) return "Provide its dependencies: --with WHEEL, --with DIR.";
    if (lack.level == Level::error && lack.request->part_of)
      if (auto text = raised(report_, report_.resolution.targets[*lack.request->part_of]); !text.empty()) return text;
    const auto& error = lack.request->error;
    if (lack.level == Level::error) return error;
    return lack.request->traits.without.empty()
               ? "Optional: the caller handles its absence, or no caller is known: " + error
               : lack.request->traits.without;
  }

  /// Lines of Requires-Dist that would bring the library by themselves, and do not count or no longer do.
  std::vector<IdleRequirement> idle_requirements(const std::string& library) const {
    std::vector<IdleRequirement> found;
    const auto providers = providers_of(library, knowledge_of(report_));
    for (const auto& package : packages_.packages())
      for (const auto& line : package.archive.empty() ? std::vector<std::string>() : package.requires_dist) {
        const auto requirement = parse_requirement(line);
        for (const auto& provider : providers)
          if (requirement && normal_distribution_name(provider.distribution) == requirement->name)
            found.push_back(
                {line, requirement->marker.find("extra") != std::string::npos, is_active(requirement->name), provider});
      }
    return found;
  }

  bool is_active(const std::string& distribution) const {
    return std::any_of(world().requirements.begin(), world().requirements.end(),
                       [&](const RequiredPackage& one) { return one.name == distribution; });
  }

  /// The extras, as "name[extra]", and the libraries that each would bring, by what is known of what it requires.
  const std::map<std::string, std::set<std::string>>& libraries_by_extra() {
    if (libraries_by_extra_) return *libraries_by_extra_;
    libraries_by_extra_.emplace();
    RequirementGraph graph(packages_, marker_values(world()));
    constexpr std::size_t most_extras = 20;
    for (std::size_t number = 0; number < packages_.packages().size(); ++number) {
      const auto& package = packages_.packages()[number];
      auto extras = extras_of(package);
      extras.resize(std::min(extras.size(), most_extras));
      const auto name = normal_distribution_name(package.name);
      for (const auto& extra : extras)
        for (const auto& required : graph.active({number}, {extra}))
          if (const auto brought = brought_by(required.name, required.specifiers, world().name.starts_with("win"),
                                              knowledge_of(report_)))
            for (const auto& library : *brought) (*libraries_by_extra_)[name + "[" + extra + "]"].insert(library.name);
    }
    return *libraries_by_extra_;
  }

  void add_idle_requirements(const Lack& lack, Finding& finding) const {
    for (const auto& idle : idle_requirements(lack.library)) {
      const auto line = "Requires-Dist: " + idle.line;
      if (idle.lost)
        finding.evidence.push_back({fmt::format("{}: {} had {} up to {}, and pip installs a newer one", line,
                                                idle.provider.distribution, lack.library, idle.provider.version),
                                    "", Basis::table, idle.provider.source});
      else
        finding.evidence.push_back(
            {line + (idle.by_extra ? " counts with that extra alone" : " does not hold here"), "", Basis::proven, ""});
    }
  }

  /// Whether the search for a library looked into a folder of site-packages.
  bool is_searched(const Lack& lack, const std::string& folder) const {
    const auto& probes = report_.resolution.objects[lack.requester].edges[lack.edge].search.probes;
    return std::any_of(probes.begin(), probes.end(),
                       [&](const Probe& probe) { return parent_path(normal_path(probe.path)) == folder; });
  }

  /// "-cu12": what most of the libraries have in the names of those that bring them.
  std::string cuda_suffix(const std::set<std::string>& libraries) const {
    std::map<std::string, std::size_t> counts;
    for (const auto& library : libraries)
      if (const auto providers = providers_of(library, knowledge_of(report_)); providers.size() == 1)
        if (const auto at = providers[0].distribution.find("-cu1"); at != std::string::npos)
          ++counts[providers[0].distribution.substr(at)];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? "" : most->first;
  }

  /// The same of all that the package needs, where the libraries of the group exist for several releases of CUDA.
  std::string cuda_suffix(const std::vector<const Lack*>& group) const {
    std::set<std::string> missing, needed;
    for (const auto* lack : group) missing.insert(lack->library);
    if (auto suffix = cuda_suffix(missing); !suffix.empty()) return suffix;
    for (const auto& object : report_.resolution.objects)
      if (packages_.package_of(object.path) != nullptr)
        for (const auto& edge : object.edges) needed.insert(edge.name);
    return cuda_suffix(needed);
  }

  /// The extras that bring libraries of the group: those with most of them first, of several with the same the one with
  /// the shortest name, and none that brings nothing besides what another does.
  std::vector<std::string> extras_for(const std::vector<const Lack*>& group) {
    std::vector<std::pair<std::string, std::set<std::string>>> all;
    for (const auto& [extra, libraries] : libraries_by_extra()) {
      std::set<std::string> brought;
      for (const auto* lack : group)
        if (libraries.contains(lack->library)) brought.insert(lack->library);
      if (!brought.empty()) all.emplace_back(extra, std::move(brought));
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return std::pair(b.second.size(), a.first.size()) < std::pair(a.second.size(), b.first.size());
    });
    std::set<std::string> covered;
    std::vector<std::string> chosen;
    for (auto& [extra, brought] : all) {
      const auto before = covered.size();
      covered.insert(brought.begin(), brought.end());
      if (covered.size() > before) chosen.push_back(std::move(extra));
    }
    return chosen;
  }

  void add_installs(const std::vector<const Lack*>& group, Finding& finding) {
    for (const auto& extra : extras_for(group))
      finding.fixes.push_back(
          {"install it with the extra that provides " + std::string(group.size() == 1 ? "it" : "them, or most of them"),
           fmt::format("pip install {}", shell_word(extra)), ""});
    if (world().name.starts_with("linux-")) {
      add_conda_installs(group, finding);
      return;
    }
    std::string words;
    std::vector<std::string> folders;
    Recipe recipe;
    const auto suffix = cuda_suffix(group);
    for (const auto* lack : group) {
      const auto providers = providers_of(lack->library, knowledge_of(report_));
      if (providers.empty()) continue;
      const auto best = std::find_if(providers.begin(), providers.end(), [&](const Provider& each) {
        return !suffix.empty() && each.distribution.ends_with(suffix);
      });
      const auto& provider = best == providers.end() ? newest_usual(providers) : *best;
      if (words.find(" " + shell_word(provider.requirement)) == std::string::npos)
        words += " " + shell_word(provider.requirement);
      if (report_.query.fixes) add_to_recipe(*lack, provider, recipe);
      const auto folder = std::string(PackageTree::site_packages) + "/" + provider.folder;
      if (!is_searched(*lack, folder) && std::find(folders.begin(), folders.end(), folder) == folders.end())
        folders.push_back(folder);
    }
    if (words.empty()) {
      finding.fixes.push_back(
          {"maintainer fix: put it into the package, or depend on a package that provides it", "", ""});
      return;
    }
    for (auto& folder : folders) folder = shell_folder(folder);
    const auto command = "pip install" + words;
    finding.fixes.push_back({"install a package that provides it",
                             folders.empty() ? command : command + "\n" + export_search_path(folders), ""});
    if (!recipe.ranges.empty()) finding.fixes.push_back(fix_of(recipe));
  }

  /// What the author of the package has to change, for all libraries of a finding.
  struct Recipe {
    std::vector<RequirementRange> ranges;
    std::vector<FileEdit> edits;      ///< for each file and each directory that it has to search as well
    std::vector<ObjectId> searching;  ///< the files that have to, in the order of their first edit
  };

  Fix fix_of(const Recipe& recipe) const {
    constexpr std::size_t most_commands = 5;
    Fix fix{"maintainer fix: declare it", "", ""};
    const auto add = [&](const std::string& line) { fix.command += (fix.command.empty() ? "" : "\n") + line; };
    for (const auto& range : recipe.ranges) fix.requirements.push_back(range.text());
    for (const auto& requirement : fix.requirements) add("Requires-Dist: " + requirement);
    const auto& files = recipe.searching;
    for (std::size_t i = 0; i < std::min(files.size(), most_commands); ++i) add(command_for(files[i], recipe));
    if (files.size() > most_commands) add(fmt::format("# and {} more files", files.size() - most_commands));
    if (recipe.edits.empty()) return fix;
    fix.title += ", and search its directory";
    fix.side_effect = "$ORIGIN/.. holds only where both packages are in one site-packages";
    fix.edits = recipe.edits;
    return fix;
  }

  /// One command for a file, with all directories that it has to search.
  std::string command_for(ObjectId id, const Recipe& recipe) const {
    const auto& file = report_.resolution.objects[id];
    std::optional<FileEdit> all;
    for (const auto& edit : recipe.edits) {
      if (edit.path != file.path) continue;
      if (all)
        all->value += ":" + edit.value;
      else
        all = edit;
    }
    return patchelf_commands({*all}, file, packages_);
  }

  void add_to_recipe(const Lack& lack, const Provider& provider, Recipe& recipe) const {
    RequirementRange range(provider);
    const auto& objects = report_.resolution.objects;
    for (ObjectId id = 0; id < objects.size(); ++id)
      for (std::size_t index = 0; index < objects[id].edges.size(); ++index) {
        if (objects[id].edges[index].name != lack.library || packages_.package_of(objects[id].path) == nullptr)
          continue;
        range.at_least(oldest_release_for(objects[id], lack.library, store_, knowledge_of(report_)));
        add_search({.library = lack.library, .requester = id, .edge = index}, provider.folder, recipe);
      }
    const auto same = std::find_if(recipe.ranges.begin(), recipe.ranges.end(),
                                   [&](const auto& each) { return each.distribution() == range.distribution(); });
    if (same == recipe.ranges.end())
      recipe.ranges.push_back(std::move(range));
    else
      same->narrow(range);
  }

  void add_search(const Lack& lack, const std::string& folder, Recipe& recipe) const {
    if (is_searched(lack, std::string(PackageTree::site_packages) + "/" + folder)) return;
    const auto& file = report_.resolution.objects[lack.requester];
    auto edit = searched_directory(file, folder);
    if (!edit) return;
    const bool is_new = std::none_of(recipe.edits.begin(), recipe.edits.end(), [&](const FileEdit& other) {
      return other.path == edit->path && other.value == edit->value;
    });
    if (!is_new) return;
    recipe.edits.push_back(std::move(*edit));
    if (std::find(recipe.searching.begin(), recipe.searching.end(), lack.requester) == recipe.searching.end())
      recipe.searching.push_back(lack.requester);
  }

  void add_conda_installs(const std::vector<const Lack*>& group, Finding& finding) const {
    for (const auto* lack : group)
      for (const auto& provider : conda_packages_of(lack->library, knowledge_of(report_))) {
        finding.fixes.push_back(
            {provider.likely ? "install a package that likely provides it" : "install a package that provides it",
             conda_install(provider), ""});
        finding.fixes.push_back({"maintainer fix: depend on it", "run: " + provider.requirement, ""});
        return;
      }
    finding.fixes.push_back({"maintainer fix: depend on a package that provides it", "", ""});
  }

  Report& report_;
  Store& store_;
  const PackageTree& packages_;
  const Accounts accounts_;
  std::map<std::string, Lack> lacks_;
  std::vector<std::string> order_;
  std::optional<std::map<std::string, std::set<std::string>>> libraries_by_extra_;
};

}  // namespace

void check_requirements(const Case& given) { RequirementCheck(given).run(); }

}  // namespace cudald
