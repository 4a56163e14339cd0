#include "report/text/repair_hint.h"

#include <algorithm>

#include <cudald/report.h>

#include "base/shell_word.h"

namespace cudald {
namespace {

bool is_applied_by_repair(const Fix& fix) { return !fix.requirements.empty() || !fix.edits.empty(); }

}  // namespace

std::string repair_command(const Report& report) {
  const auto& targets = report.query.targets;
  if (report.resolution.world.kind != WorldKind::tag || targets.size() != 1 || !targets.front().ends_with(".whl"))
    return "";
  bool any = false;
  for (const Finding& finding : report.findings) {
    if (finding.level != Level::error) continue;
    any = true;
    if (std::none_of(finding.fixes.begin(), finding.fixes.end(), is_applied_by_repair)) return "";
  }
  return any ? "cudald repair " + shell_word(targets.front()) + " -w wheelhouse/" : "";
}

}  // namespace cudald
