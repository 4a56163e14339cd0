#include "repair/gate.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

Report report(Verdict verdict, std::vector<std::pair<Level, std::string>> findings = {}) {
  Report report;
  report.verdict = verdict;
  report.headline = "headline";
  for (auto& [level, subject] : findings) {
    Finding finding;
    finding.code = "CUD101";
    finding.level = level;
    finding.subject = subject;
    finding.message = subject + " is not found";
    report.findings.push_back(std::move(finding));
  }
  return report;
}

TEST_CASE("a result may not have a worse verdict") {
  const Verdict order[] = {Verdict::loads, Verdict::cpu_only, Verdict::risk, Verdict::unknown, Verdict::fails};
  for (std::size_t before = 0; before < 5; ++before)
    for (std::size_t after = 0; after < 5; ++after) {
      const auto why = worse_than_before(report(order[before]), report(order[after]));
      CHECK(why.empty() == (after <= before));
    }
  CHECK(worse_than_before(report(Verdict::loads), report(Verdict::fails)) == "the verdict becomes fails: headline");
}

TEST_CASE("a result may have no error or warning that the file does not have") {
  const auto before = report(Verdict::fails, {{Level::error, "a"}, {Level::error, "b"}});
  CHECK(worse_than_before(before, report(Verdict::fails, {{Level::error, "b"}})).empty());
  CHECK(worse_than_before(before, report(Verdict::fails, {{Level::warning, "b"}, {Level::note, "c"}})).empty());
  CHECK(worse_than_before(before, report(Verdict::risk, {{Level::warning, "c"}})) ==
        "a new finding, CUD101: c is not found");
  const auto warned = report(Verdict::risk, {{Level::warning, "a"}});
  CHECK_FALSE(worse_than_before(warned, report(Verdict::risk, {{Level::error, "a"}})).empty());
}

TEST_CASE("an answer for which something could not be read proves nothing") {
  auto answer = report(Verdict::unknown, {{Level::error, "a"}});
  CHECK_FALSE(unread(answer));
  answer.findings[0].code = "CUD904";
  REQUIRE(unread(answer));
  CHECK(unread(answer)->message == "headline");
}

}  // namespace
}  // namespace cudald
