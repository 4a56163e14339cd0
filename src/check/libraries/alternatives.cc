// Code that tries one library after another needs one of them: what is missing of the one that lacks least comes first,
// and what a command fixes before what has to be searched for.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/path.h"
#include "check/findings/checks.h"

namespace cudald {
namespace {

struct Alternative {
  std::string library;               ///< that the code opens
  std::vector<std::string> missing;  ///< the names that are not found for it
};

/// The requests of an import of which one was enough: all failed, and the error at its end is that of all.
std::vector<Alternative> alternatives_of(const Report& report, const Import& import) {
  std::vector<Alternative> all;
  const auto& targets = report.resolution.targets;
  const auto& objects = report.resolution.objects;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto& target = targets[i];
    if (target.part_of != import.target || target.traits.optional || target.error.empty() || target.traits.gpu)
      continue;
    Alternative one{std::string(file_name(target.given)), {}};
    for (const auto& object : objects)
      for (const auto& edge : object.edges)
        if (object.target == i && object.unmapped && !edge.object && !edge.error.empty())
          one.missing.push_back(edge.name);
    if (one.missing.empty()) one.missing.push_back(target.given);
    all.push_back(std::move(one));
  }
  return all;
}

bool is_of_another_system(const std::string& name, bool windows) {
  constexpr std::array<std::string_view, 3> ends_of_windows{".dll", ".dylib", ".pyd"},
      ends_of_linux{".so", ".dylib", ".a"};
  const auto& ends = windows ? ends_of_linux : ends_of_windows;
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

/// What comes first: of the candidate that lacks least, with a command that fixes it, and with a name of Linux.
std::array<std::size_t, 4> rank_of(const std::vector<Alternative>& all, const std::string& name, const Finding& finding,
                                   bool windows) {
  std::size_t least = SIZE_MAX;
  for (const auto& one : all)
    if (std::find(one.missing.begin(), one.missing.end(), name) != one.missing.end())
      least = std::min(least, one.missing.size());
  const bool fixable = std::any_of(finding.fixes.begin(), finding.fixes.end(),
                                   [](const Fix& fix) { return !fix.command.empty() && !fix.only_searches; });
  return {is_of_another_system(name, windows) ? 1U : 0U, least, fixable ? 0U : 1U,
          name.find(windows ? ".dll" : ".so") == std::string::npos ? 1U : 0U};
}

void order(Report& report, const std::vector<Alternative>& all) {
  auto& findings = report.findings;
  std::vector<std::size_t> places;
  std::vector<std::pair<std::array<std::size_t, 4>, Finding>> ranked;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!findings[i].object || !findings[i].edge || findings[i].level != Level::error) continue;
    const auto& name = report.resolution.objects[*findings[i].object].edges[*findings[i].edge].name;
    const auto rank = rank_of(all, name, findings[i], report.resolution.windows);
    if (rank[1] == SIZE_MAX) continue;
    places.push_back(i);
    ranked.emplace_back(rank, findings[i]);
  }
  if (ranked.size() < 2) return;
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  auto& first = ranked.front().second;
  const auto& name = report.resolution.objects[*first.object].edges[*first.edge].name;
  for (const auto& one : all)
    if (one.missing == std::vector{name} && one.library != name) {
      first.evidence.push_back({fmt::format("its code tries {} libraries, and one is enough: {} lacks nothing else",
                                            all.size(), one.library),
                                "", Basis::proven, ""});
      break;
    }
  // One that is there, and is not searched for, is the one that is meant.
  if (first.code == "CUD111")
    for (std::size_t i = 1; i < ranked.size(); ++i) ranked[i].second.level = Level::note;
  for (std::size_t i = 0; i < places.size(); ++i) findings[places[i]] = std::move(ranked[i].second);
}

}  // namespace

void check_alternatives(const Case& given) {
  auto& report = given.report;
  for (const auto& import : report.resolution.imports) {
    if (!import.failed) continue;
    const auto all = alternatives_of(report, import);
    if (all.size() > 1) order(report, all);
  }
}

}  // namespace cudald
