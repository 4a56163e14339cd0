#include "report/text/check_summary.h"

#include <doctest/doctest.h>

#include "common/example_report.h"

namespace cudald {
namespace {

std::string summary(const CheckSummary& given, int verbosity) {
  auto style = plain_style();
  style.verbosity = verbosity;
  return written([&](std::ostream& out) { given.write(style, out); });
}

TEST_CASE("below answers one needs no summary, and several are parted from it by an empty line") {
  const auto below = [](const CheckSummary& given) {
    return written([&](std::ostream& out) { given.write_below_answers(plain_style(), out); });
  };
  CheckSummary one;
  CHECK(summary(one, 0) == "");
  one.add(failing_report(), 1, 1);
  CHECK(below(one) == "");
  CHECK(summary(one, 0) == "1 target: 1 FAILS.\n  error[CUD101] library-not-found: 1 in 1 target\n");
  one.add(healthy_report(), 1, 1);
  CHECK(below(one) == '\n' + summary(one, 0));
}

TEST_CASE("several are summed up by verdict and by finding, with -v also the slowest and the largest") {
  CheckSummary all;
  auto twice = failing_report();
  twice.findings.push_back(twice.findings[0]);
  all.add(twice, 0.25, 812'345'678);
  all.add(healthy_report(), 1.5, 4000);
  all.add(unreadable_report(), 0, 0);
  const std::string counts = "3 targets: 1 FAILS, 1 UNKNOWN, 1 LOADS.\n";
  const std::string kinds =
      "  error[CUD101] library-not-found: 2 in 1 target\n  error[CUD904] unreadable: 1 in 1 target\n";
  CHECK(summary(all, -1) == counts);
  CHECK(summary(all, 0) == counts + kinds);
  CHECK(summary(all, 1) == counts + kinds + "  slowest: ./app (1.50 s)\n  largest: ./app (812 MB)\n");
}

TEST_CASE("a kind of finding has the gravest of its levels, and kinds stand in the order of theirs") {
  CheckSummary all;
  auto noted = failing_report();
  noted.findings[0].level = Level::note;
  auto warned = failing_report();
  warned.findings[0].level = Level::warning;
  auto other = failing_report();
  other.findings[0].code = "CUD100";
  other.findings[0].name = "other";
  other.findings[0].level = Level::note;
  all.add(noted, 1, 5);
  all.add(warned, 1, 5);
  all.add(noted, 1, 5);
  all.add(other, 1, 5);
  const std::string counts = "4 targets: 4 FAILS.\n";
  CHECK(summary(all, 0) == counts +
                               "  warning[CUD101] library-not-found: 3 in 3 targets\n"
                               "  note[CUD100] other: 1 in 1 target\n");
}

TEST_CASE("verdicts are told from the worst to the best, and of equal targets the first is slowest and largest") {
  CheckSummary all;
  const auto add = [&](const std::string& name, Verdict verdict, double seconds, std::uint64_t bytes) {
    auto report = healthy_report();
    report.verdict = verdict;
    report.resolution.targets[0].given = name;
    all.add(report, seconds, bytes);
  };
  add("a", Verdict::loads, 0, 0);
  add("b", Verdict::cpu_only, 0.5, 1);
  add("c", Verdict::risk, 0.5, 2000);
  add("d", Verdict::unknown, 0.25, 2000);
  add("e", Verdict::fails, 0.25, 1);
  CHECK(summary(all, 1) ==
        "5 targets: 1 FAILS, 1 UNKNOWN, 1 RISK, 1 CPU ONLY, 1 LOADS.\n"
        "  slowest: b (0.50 s)\n  largest: c (2 kB)\n");
}

}  // namespace
}  // namespace cudald
