#include "report/check_summary.h"

#include <doctest/doctest.h>

#include "common/example_report.h"

namespace cudald {
namespace {

std::string summary(const CheckSummary& given, int verbosity) {
  auto style = plain_style();
  style.verbosity = verbosity;
  return written([&](std::ostream& out) { given.write(style, out); });
}

TEST_CASE("one answer needs no summary") {
  CheckSummary one;
  one.add(failing_report(), 1, 1);
  CHECK(summary(one, 1) == "");
}

TEST_CASE("several are summed up by verdict and by finding, with -v also the slowest and the largest") {
  CheckSummary all;
  auto twice = failing_report();
  twice.findings.push_back(twice.findings[0]);
  all.add(twice, 0.25, 812'345'678);
  all.add(healthy_report(), 1.5, 4000);
  all.add(unreadable_report(), 0, 0);
  const std::string counts = "\n3 targets: 1 FAILS, 1 UNKNOWN, 1 LOADS.\n";
  const std::string kinds =
      "  error[CUD101] library-not-found: 2 in 1 target\n  error[CUD904] unreadable: 1 in 1 target\n";
  CHECK(summary(all, -1) == counts);
  CHECK(summary(all, 0) == counts + kinds);
  CHECK(summary(all, 1) == counts + kinds + "  slowest: ./app (1.50 s)\n  largest: ./app (812 MB)\n");
}

}  // namespace
}  // namespace cudald
