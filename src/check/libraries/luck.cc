#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/path.h"
#include "check/findings/checks.h"
#include "check/fixes/flatpak.h"

namespace cudald {
namespace {

bool found_by_environment(const Edge& edge) {
  return edge.status == EdgeStatus::loaded && edge.kind != EdgeKind::preload &&
         edge.rule == SearchRule::ld_library_path;
}

/// A library that every loader finds by itself need not be asked about.
bool is_found_everywhere(SearchRule rule) { return rule == SearchRule::cache || rule == SearchRule::default_folder; }

void tell_environment(Report& report) {
  std::string names;
  std::size_t count = 0;
  std::set<std::string_view> seen;  // requests that fail and are made again search each time
  std::optional<ObjectId> first;
  for (ObjectId id = 0; id < report.resolution.objects.size(); ++id)
    for (const auto& edge : report.resolution.objects[id].edges)
      if (found_by_environment(edge) && seen.insert(edge.name).second) {
        if (++count <= 4) names += (names.empty() ? "" : ", ") + edge.name;
        if (!first) first = id;
      }
  if (count == 0) return;
  auto finding = make_finding("CUD104");
  finding.object = first;
  finding.subject = names.substr(0, names.find(','));
  finding.message =
      fmt::format("{} {} found through LD_LIBRARY_PATH",
                  count > 4 ? names + fmt::format(" and {} more", count - 4) : names, count == 1 ? "is" : "are");
  finding.consequence =
      "In a shell, service or container without that variable the search continues with the next rules.";
  report.findings.push_back(std::move(finding));
}

/// What a program of Flatpak gets from the system here, and does not get in its sandbox.
void tell_sandbox(const Case& given) {
  auto& report = given.report;
  const auto& objects = report.resolution.objects;
  const auto& files = given.store.images.files();
  constexpr std::string_view of_flatpak = "/flatpak/";
  for (ObjectId id = 0; id < objects.size(); ++id) {
    if (objects[id].path.find(of_flatpak) == std::string::npos) continue;
    for (const auto& edge : objects[id].edges) {
      if (edge.kind != EdgeKind::needed || !edge.object) continue;
      const auto& answer = objects[*edge.object];
      if (answer.path.find(of_flatpak) != std::string::npos || !lacks_in_flatpak(objects[id].path, edge.name, files))
        continue;
      auto finding = make_finding("CUD101");
      finding.object = id;
      finding.subject = edge.name;
      finding.message =
          fmt::format("{} needs {}, and {} is not in its sandbox", short_name(objects[id]), edge.name, answer.path);
      finding.consequence = fmt::format(
          "Started by Flatpak it ends with: error while loading shared libraries: {}: cannot open shared object file: "
          "No such file or directory",
          edge.name);
      finding.evidence.push_back({fmt::format("{} is of the system", edge.name), answer.path, Basis::proven, ""});
      add_flatpak(objects[id].path, edge.name, files, finding);
      report.findings.push_back(std::move(finding));
    }
  }
}

}  // namespace

void check_luck(const Case& given) {
  auto& report = given.report;
  tell_sandbox(given);
  tell_environment(report);
  // An object that answered by its name or soname although the requester has no path to it: only the order of loading
  // made that work.
  const auto& objects = report.resolution.objects;
  std::vector<SearchRule> brought_by(objects.size(), SearchRule::path);
  for (const auto& object : objects)
    for (const auto& edge : object.edges)
      if (edge.status == EdgeStatus::loaded && edge.object) brought_by[*edge.object] = edge.rule;
  for (ObjectId id = 0; id < objects.size(); ++id)
    for (const auto& edge : objects[id].edges) {
      if (edge.status != EdgeStatus::already_loaded || !edge.object || edge.matched != MatchedBy::soname) continue;
      const auto& answer = objects[*edge.object];
      if (answer.dynamic_loader || answer.main_program || is_found_everywhere(brought_by[*edge.object])) continue;
      if (file_name(answer.path) == edge.name) continue;
      auto finding = make_finding("CUD110");
      finding.object = id;
      finding.subject = edge.name;
      finding.message = fmt::format("{} gets {} only because {} was loaded before and has that soname",
                                    short_name(objects[id]), edge.name, short_name(answer));
      finding.consequence = "Loaded first, or by itself, it would search for the file and may find another or none.";
      finding.evidence.push_back(
          {fmt::format("{} has the soname {}", answer.path, edge.name), answer.path, Basis::proven, ""});
      report.findings.push_back(std::move(finding));
    }
}

}  // namespace cudald
