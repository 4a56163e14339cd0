#include "scan/totals.h"

#include <doctest/doctest.h>

#include "common/example_report.h"

namespace cudald {
namespace {

RecordHead head(const std::string& target, Outcome outcome = Outcome::judged) { return {{target, 10, ""}, outcome}; }

TEST_CASE("a package is known by the names of its files") {
  CHECK(package_of("x/Foo_Bar-1.0-cp311-cp311-linux_x86_64.whl") == "foo-bar");
  CHECK(package_of("x/cuda-cudart-12.4.1-h1_0.conda") == "cuda-cudart");
  CHECK(package_of("numpy-1.0-py311_0.tar.bz2") == "numpy");
  CHECK(package_of("lib/libx.so.1") == "libx.so.1");
  CHECK(package_of("-.conda") == "-.conda");
}

TEST_CASE("a finding about the scan as a whole is of no target") {
  Totals totals;
  Finding finding;
  finding.code = "CUD903";
  finding.level = Level::warning;
  finding.message = "of no use";
  totals.add(finding);
  CHECK(totals.targets == 0);
  CHECK(totals.kinds.at("CUD903").findings == 1);
  CHECK(totals.kinds.at("CUD903").targets == 0);
  CHECK(totals.kinds.at("CUD903").examples == std::vector<std::string>{"of no use"});
}

TEST_CASE("findings, packages and what was not judged are counted") {
  Totals totals;
  totals.add(head("a-1-py3-none-any.whl"), failing_report(), "");
  totals.add(head("a-2-py3-none-any.whl"), healthy_report(), "");
  totals.add(head("b-1-py3-none-any.whl"), failing_report(), "");
  totals.add(head("c-1-py3-none-any.whl", Outcome::crashed), std::nullopt, "signal 11");
  CHECK(totals.targets == 4);
  CHECK(totals.bytes == 40);
  CHECK(totals.verdicts.at(Verdict::fails) == 2);
  const auto& kind = totals.kinds.at("CUD101");
  CHECK(kind.level == Level::error);
  CHECK(kind.targets == 2);
  CHECK(kind.packages.size() == 2);
  CHECK(kind.examples.size() == 2);
  CHECK(kind.examples[0].find("a-1-py3-none-any.whl: ") == 0);
  CHECK(totals.packages.at("a").targets == 2);
  CHECK(worst_of(totals.packages.at("a").verdicts) == Verdict::fails);
  CHECK(worst_of(totals.packages.at("c").verdicts) == Verdict::unknown);
  REQUIRE(totals.not_judged.size() == 1);
  CHECK(totals.not_judged[0].message == "signal 11");
}

TEST_CASE("the worst verdict is that of what fails") {
  CHECK(worst_of({}) == Verdict::loads);
  CHECK(worst_of({{Verdict::loads, 9}, {Verdict::cpu_only, 1}}) == Verdict::cpu_only);
  CHECK(worst_of({{Verdict::risk, 1}, {Verdict::unknown, 1}}) == Verdict::unknown);
}

TEST_CASE("a kind of finding has its worst level, its first examples, and each target once") {
  Totals totals;
  for (int i = 0; i < 7; ++i) {
    auto report = failing_report();
    report.findings.push_back(report.findings[0]);
    for (auto& finding : report.findings) finding.level = i == 3 ? Level::warning : Level::note;
    totals.add(head("a" + std::to_string(i) + "-1-py3-none-any.whl"), report, "");
  }
  const auto& kind = totals.kinds.at("CUD101");
  CHECK(kind.level == Level::warning);
  CHECK(kind.name == "library-not-found");
  CHECK(kind.findings == 14);
  CHECK(kind.targets == 7);
  CHECK(kind.packages.size() == 7);
  REQUIRE(kind.examples.size() == 5);
  CHECK(kind.examples[4].starts_with("a4-1-py3-none-any.whl: "));
  CHECK(totals.packages.at("a0").codes == std::set<std::string_view>{"CUD101"});
  CHECK(totals.packages.at("a0").bytes == 10);
}

}  // namespace
}  // namespace cudald
