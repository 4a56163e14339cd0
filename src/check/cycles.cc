#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/load_graph.h>
#include "base/listed.h"
#include "check/checks.h"

namespace cudald {

void check_cycles(const Case& given) {
  auto& report = given.report;
  const auto& objects = report.resolution.objects;
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
