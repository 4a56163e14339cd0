#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/listed.h"
#include "base/path.h"
#include "base/windows_path.h"
#include "check/account.h"
#include "check/checks.h"
#include "check/windows_fixes.h"
#include "env/windows_names.h"
#include "env/windows_tree.h"
#include "loader/windows_errors.h"

namespace cudald {
namespace {

/// All requests for one name that found nothing usable.
struct MissingDll {
  ObjectId requester{};
  std::size_t edge{};
  std::vector<ObjectId> also;
  const Target* request{};  ///< the one that fails worst
  Level level{};
};

/// "cudart64" for "cudart64_110.dll": the name without the version at its end.
std::string stem_of(const std::string& name) {
  auto stem = folded(name);
  if (stem.ends_with(".dll")) stem.resize(stem.size() - 4);
  for (;;) {
    const auto end = stem.find_last_not_of("0123456789");
    if (end == std::string::npos || end + 1 == stem.size() || stem[end] != '_') return stem;
    stem.resize(end);
  }
}

class WindowsCheck {
 public:
  WindowsCheck(const Case& given)
      : report_(given.report),
        images_(given.store.images),
        packages_(given.store.packages),
        host_(given.windows),
        accounts_(given.report, given.store.packages),
        fixes_(given.report, shown_folder(std::string(PackageTree::site_packages) + "/x")) {}

  void run() {
    std::vector<std::string> order;
    std::map<std::string, MissingDll> misses;
    for (ObjectId id = 0; id < objects().size(); ++id)
      for (std::size_t index = 0; index < objects()[id].edges.size(); ++index) {
        const auto& edge = objects()[id].edges[index];
        const auto* request = request_of(id, edge);
        if (edge.object || edge.status == EdgeStatus::not_loaded || request == nullptr) continue;
        const auto [place, is_new] = misses.try_emplace(
            folded(edge.name), MissingDll{id, index, {}, request, level_of_failure(report_, *request)});
        if (is_new) order.push_back(folded(edge.name));
        auto& miss = place->second;
        if (miss.requester != id) miss.also.push_back(id);
        if (const auto level = level_of_failure(report_, *request); level < miss.level) {
          miss.level = level;
          miss.request = request;
        }
      }
    for (const auto& name : order) tell(misses.at(name));
    fixes_.add_common_fixes();
    tell_assemblies();
    tell_functions();
  }

 private:
  const std::vector<Object>& objects() const { return report_.resolution.objects; }

  /// What fails if this edge does: nullptr if nothing.
  const Target* request_of(ObjectId id, const Edge& edge) const {
    if (edge.hard) return &report_.resolution.targets[objects()[id].target];
    if (edge.kind != EdgeKind::dlopen) return nullptr;
    for (const auto& target : report_.resolution.targets)
      if (target.kind == TargetKind::dlopen && !target.object && target.error == edge.error) return &target;
    return nullptr;
  }

  static const Probe* refused(const Edge& edge) {
    for (const auto& probe : edge.search.probes)
      if (probe.result != ProbeResult::absent && probe.result != ProbeResult::found) return &probe;
    return nullptr;
  }

  std::vector<NearDll> candidates_for(const Edge& edge) {
    std::vector<NearDll> found;
    const auto name = folded(windows_file_name(edge.name));
    const auto stem = stem_of(name);
    const bool versioned = stem + ".dll" != name;
    const auto consider = [&](const std::string& path) {
      const auto base = folded(file_name(path));
      const bool exact = base == name;
      if (!exact && (!versioned || stem_of(base) != stem)) return;
      const auto& opened = images_.open(path);
      const auto& program = *objects().front().image;
      if (opened.error || machine_of(*opened.image) != machine_of(program) ||
          format_of(*opened.image) != format_of(program))
        return;
      const bool known = std::any_of(found.begin(), found.end(), [&](const NearDll& one) { return one.path == path; });
      if (!known) found.push_back({path, shown_folder(path), exact});
    };
    for (const auto& package : packages_.packages())
      for (const auto& path : package.libraries) consider(path);
    std::vector<std::string> folders = report_.query.environment.dll_path;
    for (const auto& object : objects())
      if (!object.known_by_name) folders.emplace_back(parent_path(object.path));
    for (const auto& folder : folders) {
      const auto place = normal_path(absolute_path(folder, report_.query.environment.cwd));
      if (is_full_windows_path(folder)) continue;
      for (const auto& entry : images_.list(place)) consider(place + "/" + entry);
    }
    std::stable_partition(found.begin(), found.end(), [](const NearDll& one) { return one.exact; });
    return found;
  }

  /// How Windows spells the folder of a file.
  std::string shown_folder(const std::string& path) const {
    const std::string folder(parent_path(path));
    return host_ != nullptr ? WindowsTree(images_, *host_).spelled(folder) : folder;
  }

  void tell(const MissingDll& miss) {
    const auto& requester = objects()[miss.requester];
    const auto& edge = requester.edges[miss.edge];
    const auto* probe = refused(edge);
    const auto found = candidates_for(edge);
    const bool exact = !found.empty() && found.front().exact;
    const bool other_machine =
        probe != nullptr && (probe->result == ProbeResult::wrong_machine || probe->result == ProbeResult::wrong_class);
    const auto& world = report_.resolution.world;
    const bool in_tag = world.kind == WorldKind::tag && edge.name.find_first_of("/\\") == std::string::npos;
    const auto account = in_tag ? accounts_.of(edge) : Account();
    const bool may_come = found.empty() && probe == nullptr && account.standing == Standing::possible;
    auto finding = make_finding(other_machine      ? "CUD103"
                                : probe != nullptr ? "CUD112"
                                : exact            ? "CUD111"
                                : !found.empty()   ? "CUD102"
                                : in_tag           ? "CUD501"
                                                   : "CUD101");
    finding.level = may_come ? Level::note : miss.level;
    finding.object = miss.requester;
    finding.edge = miss.edge;
    finding.subject = edge.name;
    if (other_machine)
      finding.message =
          fmt::format("{} exists only for another machine ({} is for {})", edge.name, probe->path, probe->detail);
    else if (probe != nullptr)
      finding.message = fmt::format("{} is found at {}, but that is not a loadable file{}{}", edge.name, probe->path,
                                    probe->detail.empty() ? "" : ": ", probe->detail);
    else if (exact)
      finding.message = fmt::format("{} is in {}, which this load does not search", edge.name, found.front().folder);
    else if (!found.empty())
      finding.message =
          fmt::format("{} is not found; {} is, which has a different ABI", edge.name, file_name(found.front().path));
    else if (may_come)
      finding.message = fmt::format(
          "{} is not provided by any known package; {}, which is required and not available locally, may "
          "provide it",
          edge.name, fmt::join(account.by, " or "));
    else if (in_tag)
      finding.message =
          fmt::format("{} is not part of {} and not provided by any declared dependency", edge.name, world.name);
    else
      finding.message = fmt::format("{} is not found in any directory this load searches", edge.name);
    finding.consequence = consequence(miss, edge);
    add_facts(edge, finding);
    if (probe != nullptr && !edge.error.empty())
      finding.evidence.push_back({edge.error, "", Basis::rule, "Microsoft, System Error Codes"});
    if (auto text = also_asked(miss); !text.empty())
      finding.evidence.push_back({std::move(text), "", Basis::proven, ""});
    for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 4); ++i) {
      const auto& [path, folder, same_name] = found[i];
      finding.evidence.push_back(
          {fmt::format("{} {}", same_name ? "is in" : "found instead:", path), path, Basis::proven, ""});
      const auto releases = same_name ? std::nullopt : releases_of(folded(file_name(path)));
      if (releases)
        finding.evidence.push_back({fmt::format("{} serves {}", file_name(path), *releases), "", Basis::table,
                                    releases_source(folded(file_name(path)))});
    }
    fixes_.add_fixes(edge, probe, found, finding);
    report_.findings.push_back(std::move(finding));
  }

  /// What is known of the request and of the name.
  void add_facts(const Edge& edge, Finding& finding) const {
    if (const auto releases = releases_of(folded(windows_file_name(edge.name))))
      finding.evidence.push_back({fmt::format("{} serves {}", edge.name, *releases), "", Basis::table,
                                  releases_source(folded(windows_file_name(edge.name)))});
    for (const auto& fact : edge.known.facts) finding.evidence.push_back({fact.text, "", Basis::table, fact.source});
  }

  std::string consequence(const MissingDll& miss, const Edge& edge) const {
    if (miss.level != Level::error)
      return miss.request->traits.without.empty() ? "No caller is known; a caller gets: " + miss.request->error
                                                  : miss.request->traits.without;
    // The system names what was asked for, not the import of it that is missing.
    const bool hidden = miss.request->error.find(edge.name) == std::string::npos;
    return miss.request->error + (hidden ? " (the message does not name " + edge.name + ")" : "");
  }

  std::string also_asked(const MissingDll& miss) const {
    std::vector<std::string> names;
    for (const auto id : miss.also)
      if (auto name = short_name(objects()[id]); std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    constexpr std::size_t shown = 4;
    return names.empty() ? "" : "also needed by " + listed(names, shown);
  }

  /// Side-by-side assemblies that are not there.
  void tell_assemblies() {
    for (const auto& objection : report_.resolution.objections) {
      const auto& object = objects()[objection.object];
      auto finding = make_finding("CUD116");
      finding.level = level_of_failure(report_, report_.resolution.targets[object.target]);
      finding.object = objection.object;
      finding.subject = objection.message;
      finding.message = fmt::format("the manifest of {} needs the side-by-side assembly {}, which is not found",
                                    short_name(object), objection.message);
      finding.consequence = "Error 14001: " + windows_error_text(14001);
      finding.evidence.push_back(
          {"not among the assemblies of a fresh Windows, nor in the directory of the file or of the program", "",
           Basis::table, assemblies_source()});
      const auto command = assembly_installer(objection.message);
      finding.fixes.push_back({command.empty()
                                   ? "install a package that provides the assembly, or a build without that manifest"
                                   : "install it",
                               command, ""});
      report_.findings.push_back(std::move(finding));
    }
  }

  /// A load that fails for a DLL that is missing does not come to the functions.
  static std::string consequence(const MissingSymbol& missing, const std::string& error) {
    using namespace windows_error_number;
    const int code = missing.name.starts_with('#') ? invalid_ordinal : procedure_not_found;
    const auto text = windows_error_text(code);
    const bool told = error.find(text.substr(0, text.size() - 1)) != std::string::npos ||
                      error.find("could not be located") != std::string::npos;
    return told ? error : fmt::format("After fixing the other causes, error {}: {}", code, text);
  }

  /// One finding for each file that lacks functions.
  void tell_functions() {
    if (!report_.symbols) return;
    std::map<std::pair<ObjectId, std::string>, std::vector<const MissingSymbol*>> groups;
    for (const auto& missing : report_.symbols->missing)
      groups[{missing.object, missing.version_file}].push_back(&missing);
    for (const auto& [key, functions] : groups) {
      const auto& object = objects()[key.first];
      const auto& first = *functions.front();
      const bool forwarded = first.message.find("forward") != std::string::npos;
      auto finding = make_finding(forwarded ? "CUD203" : "CUD201");
      finding.level = level_of_failure(report_, report_.resolution.targets[object.target]);
      finding.object = key.first;
      finding.subject = first.name;
      finding.message =
          fmt::format("{} imports {}{} from {}: {}", short_name(object), first.name,
                      functions.size() == 1 ? "" : " and " + counted(functions.size() - 1, "more function"), key.second,
                      first.message);
      finding.consequence = consequence(first, report_.resolution.targets[object.target].error);
      constexpr std::size_t shown = 8;
      for (std::size_t i = 0; i < std::min(shown, functions.size()); ++i)
        finding.evidence.push_back({functions[i]->name, object.path, Basis::proven, ""});
      finding.fixes.push_back(
          {fmt::format("take builds of {} and {} that belong together", short_name(object), key.second), "", ""});
      report_.findings.push_back(std::move(finding));
    }
  }

  Report& report_;
  ImageStore& images_;
  const PackageTree& packages_;
  const WindowsHost* host_;
  const Accounts accounts_;
  WindowsFixes fixes_;
};

}  // namespace

void check_windows(const Case& given) { WindowsCheck(given).run(); }

}  // namespace cudald
