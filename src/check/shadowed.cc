#include <fmt/format.h>

#include "base/path.h"
#include "check/checks.h"

namespace cudald {
namespace {

/// Where the search would have gone on to, had the variable not been set: the first other file that the loader takes.
std::string next_in_search(const Report& report, SessionState& state, ObjectId requester, const Edge& edge) {
  const auto& loader = *state.last_loader();
  const Request request{edge.name, edge.kind, requester, edge.kind == EdgeKind::dlopen};
  const auto& winner = report.resolution.objects[*edge.object];
  bool passed = false;
  for (const auto& candidate : loader.candidates(request, report.resolution).candidates) {
    passed |= candidate.rule == SearchRule::ld_library_path;
    if (!passed || candidate.rule == SearchRule::ld_library_path || !candidate.refusal.empty()) continue;
    const auto& opened = state.images.open(absolute_path(candidate.path, report.query.environment.cwd));
    if (loader.judge(opened, request).action != Judgement::Action::take) continue;
    return opened.status.id == winner.id ? "" : opened.real_path;
  }
  return "";
}

}  // namespace

void check_shadowed(Report& report, SessionState& state) {
  if (state.last_loader() == nullptr) return;
  for (ObjectId id = 0; id < report.resolution.objects.size(); ++id)
    for (const auto& edge : report.resolution.objects[id].edges) {
      if (edge.status != EdgeStatus::loaded || edge.rule != SearchRule::ld_library_path || !edge.object) continue;
      const auto other = next_in_search(report, state, id, edge);
      if (other.empty()) continue;
      const auto& winner = report.resolution.objects[*edge.object];
      auto finding = make_finding("CUD109");
      finding.object = id;
      finding.subject = edge.name;
      finding.message = fmt::format("{} comes from LD_LIBRARY_PATH; without it {} would load", edge.name, other);
      finding.consequence = fmt::format("{} is used, here only; the two may be of different releases.", winner.path);
      finding.evidence.push_back({fmt::format("loads: {}", winner.path), winner.path, Basis::proven, ""});
      finding.evidence.push_back({fmt::format("next in the search: {}", other), other, Basis::proven, ""});
      finding.fixes.push_back({"if the other copy is the wanted one", "unset LD_LIBRARY_PATH", "for all libraries and programs of this shell"});
      report.findings.push_back(std::move(finding));
    }
}

}  // namespace cudald
