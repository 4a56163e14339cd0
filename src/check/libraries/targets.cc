#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/refusals.h"
#include "check/findings/checks.h"

namespace cudald {

void tell_refusals(Report& report, const std::vector<Error>& refused) {
  constexpr std::size_t most_told = 5;
  report.findings.clear();
  for (std::size_t i = 0; i < std::min(most_told, refused.size()); ++i) {
    const auto& error = refused[i];
    auto finding = make_finding("CUD904");
    finding.subject = error.path;
    finding.message = text_of_refusal(error);
    finding.consequence = "The answer depends on it, so nothing is claimed.";
    finding.evidence.push_back({error.message, error.path, Basis::proven, ""});
    if (error.system_error == EMFILE) finding.fixes.push_back({"allow more open files", "ulimit -n 1024", ""});
    report.findings.push_back(std::move(finding));
  }
  report.verdict = Verdict::unknown;
  report.headline = report.findings.front().message + "; nothing is claimed";
}

void check_targets(const Case& given) {
  auto& report = given.report;
  for (const auto& target : report.resolution.targets) {
    if (!target.unreadable) continue;
    const auto code = target.unreadable->code;
    auto finding = make_finding(code == ErrorCode::malformed ? "CUD901"
                                : code == ErrorCode::limit   ? "CUD902"
                                                             : "CUD904");
    finding.level = Level::error;
    finding.subject = target.given;
    finding.message = fmt::format("{}: {}", target.given, target.unreadable->message);
    finding.consequence = "Nothing is claimed about it.";
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace cudald
