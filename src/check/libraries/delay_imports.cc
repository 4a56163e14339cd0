#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/listed.h"
#include "base/windows_path.h"
#include "check/findings/account.h"
#include "check/findings/near_dlls.h"
#include "check/fixes/windows_fixes.h"
#include "knowledge/windows_names.h"
#include "machine/windows_host.h"

namespace cudald {
namespace {

/// A DLL that delay imports name and do not find, and who imports it.
struct MissingLater {
  ObjectId requester{};
  std::size_t edge{};
  std::vector<std::string> also;
};

class DelayImports {
 public:
  DelayImports(const Case& given)
      : given_(given), report_(given.report), accounts_(given.report, given.store.packages), fixes_(given) {
    // The name of a DLL that is loaded by then answers.
    for (const auto& object : report_.resolution.objects)
      if (!object.unmapped) loaded_.insert(folded(windows_file_name(object.load_name)));
  }

  void run() {
    std::vector<std::string> order;
    std::map<std::string, MissingLater> misses;
    for (ObjectId id = 0; id < report_.resolution.objects.size(); ++id) {
      const auto& object = report_.resolution.objects[id];
      if (object.unmapped || object.known_by_name || is_of_windows(object)) continue;
      for (std::size_t index = 0; index < object.edges.size(); ++index) {
        if (!is_missed(object.edges[index])) continue;
        const auto name = folded(object.edges[index].name);
        const auto [place, is_new] = misses.try_emplace(name, MissingLater{id, index, {}});
        if (is_new)
          order.push_back(name);
        else
          place->second.also.push_back(short_name(object));
      }
    }
    for (const auto& name : order) tell(misses.at(name));
  }

 private:
  /// Windows' own DLLs name many that not each edition has.
  bool is_of_windows(const Object& object) const {
    return given_.windows != nullptr && folded(object.load_name).starts_with(folded(given_.windows->windows) + "\\");
  }

  bool is_missed(const Edge& edge) const {
    if (edge.kind != EdgeKind::delay_import || edge.object || edge.status == EdgeStatus::not_loaded) return false;
    // An API set that is absent is what a delay import of one is for. A hook answers for the program of the process.
    const auto name = folded(windows_file_name(edge.name));
    if (looks_like_api_set(name) || name.ends_with(".exe") || loaded_.contains(name)) return false;
    if (report_.resolution.world.kind != WorldKind::tag) return true;
    const auto standing = accounts_.of(edge).standing;
    return standing == Standing::own || standing == Standing::added_later || standing == Standing::undeclared;
  }

  void tell(const MissingLater& miss) {
    const auto& object = report_.resolution.objects[miss.requester];
    const auto& edge = object.edges[miss.edge];
    const auto refused = std::find_if(edge.search.probes.begin(), edge.search.probes.end(), [](const Probe& probe) {
      return probe.result != ProbeResult::absent && probe.result != ProbeResult::found;
    });
    const auto found = near_dlls(given_, edge.name, &object);
    auto finding = make_finding("CUD404");
    finding.object = miss.requester;
    finding.edge = miss.edge;
    finding.subject = edge.name;
    finding.message = fmt::format("{} imports {} with delay, and {}", short_name(object), edge.name,
                                  refused != edge.search.probes.end()     ? "the file of that name cannot be loaded"
                                  : !found.empty() && found.front().exact ? "its directory would not be searched"
                                                                          : "it would not be found");
    finding.consequence = fmt::format(
        "{} loads. The first call of a function of {} raises the exception 0xC06D007E, which ends a "
        "process that does not handle it.",
        short_name(object), edge.name);
    if (refused != edge.search.probes.end())
      finding.evidence.push_back({refused->path + ": " + refused->detail, refused->path, Basis::proven, ""});
    constexpr std::size_t shown = 4;
    if (!miss.also.empty())
      finding.evidence.push_back({"also imported by " + listed(miss.also, shown), "", Basis::proven, ""});
    if (!found.empty() && found.front().exact)
      finding.evidence.push_back({"is in " + found.front().path, found.front().path, Basis::proven, ""});
    fixes_.add_fixes(edge, refused != edge.search.probes.end() ? &*refused : nullptr, found, finding);
    report_.findings.push_back(std::move(finding));
  }

  const Case& given_;
  Report& report_;
  const Accounts accounts_;
  WindowsFixes fixes_;
  std::set<std::string> loaded_;
};

}  // namespace

void check_delay_imports(const Case& given) { DelayImports(given).run(); }

}  // namespace cudald
