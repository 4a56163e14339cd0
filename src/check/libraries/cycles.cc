#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/load_graph.h>
#include "base/listed.h"
#include "check/findings/checks.h"

namespace cudald {
namespace {

/// Whether some requests lead in a circle, whatever is asked for: in most processes none do, and to see that costs
/// less than a graph. What nobody asks for is taken away, and then what only that asks for, and so on.
bool has_circle(const std::vector<Object>& objects) {
  std::vector<std::size_t> requests(objects.size());
  for (const auto& object : objects)
    for (const auto& edge : object.edges)
      if (edge.object) ++requests[*edge.object];
  std::vector<ObjectId> free;
  for (ObjectId id = 0; id < objects.size(); ++id)
    if (requests[id] == 0) free.push_back(id);
  for (std::size_t i = 0; i < free.size(); ++i)
    for (const auto& edge : objects[free[i]].edges)
      if (edge.object && --requests[*edge.object] == 0) free.push_back(*edge.object);
  return free.size() < objects.size();
}

}  // namespace

void check_cycles(const Case& given) {
  auto& report = given.report;
  const auto& objects = report.resolution.objects;
  if (!has_circle(objects)) return;
  for (const auto& circle : LoadGraph(report.resolution, LoadGraph::Requests::needs).cycles()) {
    if (circle.size() < 2) continue;
    constexpr std::size_t shown = 5;
    std::vector<std::string> names;
    for (const auto id : circle) names.push_back(short_name(objects[id]));
    auto finding = make_finding("CUD113");
    finding.object = circle.front();
    finding.subject = names.front();
    finding.message = listed(names, shown) + " need one another in a circle";
    finding.consequence =
        "Each is mapped once; constructors of one of them run before those of a library that it needs.";
    for (const auto id : circle)
      for (const auto& edge : objects[id].edges)
        if (edge.object == circle.front() && edge.kind == EdgeKind::needed && finding.evidence.size() < shown)
          finding.evidence.push_back(
              {fmt::format("{} needs {}", short_name(objects[id]), edge.name), objects[id].path, Basis::proven, ""});
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace cudald
