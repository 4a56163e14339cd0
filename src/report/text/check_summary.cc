#include "report/text/check_summary.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include <cudald/report.h>

#include "base/size_words.h"
#include "report/text/place.h"
#include "report/text/summary.h"
#include "report/text/text.h"

namespace cudald {

void CheckSummary::add(const Report& report, double seconds, std::uint64_t bytes) {
  const auto name = name_of_question(report);
  if (answers_ == 0 || seconds > slowest_.seconds) slowest_ = {name, seconds, bytes};
  if (answers_ == 0 || bytes > largest_.bytes) largest_ = {name, seconds, bytes};
  ++answers_;
  ++verdicts_[report.verdict];
  std::set<std::string_view> here;
  for (const Finding& finding : report.findings) {
    auto& kind = kinds_[std::string(finding.code)];
    kind.level = std::min(kind.level, finding.level);
    kind.name = finding.name;
    ++kind.findings;
    if (here.insert(finding.code).second) ++kind.targets;
  }
}

void CheckSummary::write_below_answers(const TextStyle& style, std::ostream& out) const {
  if (answers_ < 2) return;
  out << '\n';
  write(style, out);
}

void CheckSummary::write(const TextStyle& style, std::ostream& out) const {
  if (answers_ == 0) return;
  TextWriter text(style, out);
  std::string line = counted(answers_, "target") + ":";
  for (const auto verdict : {Verdict::fails, Verdict::unknown, Verdict::risk, Verdict::cpu_only, Verdict::loads})
    if (const auto found = verdicts_.find(verdict); found != verdicts_.end())
      line += fmt::format("{} {} {}", line.ends_with(':') ? "" : ",", found->second,
                          text.painted(tone_of(verdict), spoken(verdict)));
  text.line(line + ".");
  if (style.verbosity < 0) return;
  std::vector<std::pair<std::string, Kind>> kinds(kinds_.begin(), kinds_.end());
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.second.level < b.second.level; });
  for (const auto& [code, kind] : kinds)
    text.line(fmt::format("  {} {}: {} in {}",
                          text.painted(tone_of(kind.level), fmt::format("{}[{}]", to_string(kind.level), code)),
                          kind.name, kind.findings, counted(kind.targets, "target")));
  if (style.verbosity < 1) return;
  text.line(fmt::format("  slowest: {} ({:.2f} s)", escaped(slowest_.target), slowest_.seconds));
  text.line(fmt::format("  largest: {} ({})", escaped(largest_.target), size_words(largest_.bytes)));
}

}  // namespace cudald
