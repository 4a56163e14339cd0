// What a repair has to prove before anything is written.
#include "repair/gate.h"

#include <algorithm>

#include <fmt/format.h>

namespace cudald {
namespace {

/// From the best to the worst. UNKNOWN is worse than RISK: nothing can be claimed.
int badness(Verdict verdict) {
  switch (verdict) {
    case Verdict::loads: return 0;
    case Verdict::cpu_only: return 1;
    case Verdict::risk: return 2;
    case Verdict::unknown: return 3;
    case Verdict::fails: return 4;
  }
  return 4;
}

const std::string& path_of(const Report& report, const Finding& finding) {
  static const std::string none;
  return finding.object ? report.resolution.objects[*finding.object].path : none;
}

}  // namespace

std::string worse_than_before(const Report& before, const Report& after) {
  if (badness(after.verdict) > badness(before.verdict))
    return fmt::format("the verdict becomes {}: {}", to_string(after.verdict), after.headline);
  for (const auto& finding : after.findings) {
    if (finding.level == Level::note) continue;
    const auto same = [&](const Finding& old) {
      return old.code == finding.code && old.subject == finding.subject && old.level <= finding.level &&
             path_of(before, old) == path_of(after, finding);
    };
    if (std::none_of(before.findings.begin(), before.findings.end(), same))
      return fmt::format("a new finding, {}: {}", finding.code, finding.message);
  }
  return "";
}

}  // namespace cudald
