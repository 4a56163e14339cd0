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
  CHECK(package_of("a-.conda") == "a-.conda");
  CHECK(package_of("-a-b.conda") == "-a-b.conda");
  CHECK(package_of("none.conda") == "none.conda");
  CHECK(package_of("a-b-c-d.conda") == "a-b");
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

TEST_CASE("a conda package without a version or build is known by its whole name") {
  CHECK(package_of("x.conda") == "x.conda");
  CHECK(package_of("a-1.conda") == "a-1.conda");
  CHECK(package_of("-1-0.conda") == "-1-0.conda");
  CHECK(package_of("a-1-0.conda") == "a");
  CHECK(package_of("a-b-1-0.tar.bz2") == "a-b");
  CHECK(package_of("a-1-0.zip") == "a-1-0.zip");
}

TEST_CASE("what concerns a whole scan has its worst level and first examples as well") {
  Totals totals;
  for (int i = 0; i < 7; ++i) {
    Finding finding;
    finding.code = "CUD903";
    finding.name = "suppression-unused";
    finding.level = i == 2 ? Level::error : i == 3 ? Level::warning : Level::note;
    finding.message = "m" + std::to_string(i);
    totals.add(finding);
  }
  const auto& kind = totals.kinds.at("CUD903");
  CHECK(kind.level == Level::error);
  CHECK(kind.name == "suppression-unused");
  CHECK(kind.findings == 7);
  CHECK(kind.packages.empty());
  CHECK(kind.examples == std::vector<std::string>{"m0", "m1", "m2", "m3", "m4"});
  CHECK(totals.packages.empty());
}

TEST_CASE("of each two verdicts the worse one counts") {
  const std::vector<Verdict> order = {Verdict::fails, Verdict::unknown, Verdict::risk, Verdict::cpu_only,
                                      Verdict::loads};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i; j < order.size(); ++j) CHECK(worst_of({{order[i], 1}, {order[j], 1}}) == order[i]);
}

}  // namespace
}  // namespace cudald
