// What a repair has to prove before anything is written.
#include "repair/gate.h"

#include <algorithm>

#include <fmt/format.h>

namespace cudald {
namespace {

const std::string& path_of(const Report& report, const Finding& finding) {
  static const std::string none;
  return finding.object ? report.resolution.objects[*finding.object].path : none;
}

}  // namespace

std::string worse_than_before(const Report& before, const Report& after) {
  if (rank_of(after.verdict) < rank_of(before.verdict))
    return fmt::format("the verdict becomes {}: {}", to_string(after.verdict), after.headline);
  for (const auto& finding : after.findings) {
    if (finding.level == Level::note) continue;
    const auto same = [&](const Finding& old) {
      return old.code == finding.code && old.subject == finding.subject && old.level <= finding.level &&
             path_of(before, old) == path_of(after, finding);
    };
    if (std::none_of(before.findings.begin(), before.findings.end(), same)) {
      const auto& path = path_of(after, finding);
      return fmt::format("a new finding, {}{}: {}", finding.code, path.empty() ? "" : " of " + path, finding.message);
    }
  }
  return "";
}

std::optional<Error> unread(const Report& report) {
  const auto& found = report.findings;
  if (std::none_of(found.begin(), found.end(), [](const Finding& finding) { return finding.code == "CUD904"; }))
    return std::nullopt;
  return Error{ErrorCode::unreadable, report.headline, ""};
}

}  // namespace cudald
