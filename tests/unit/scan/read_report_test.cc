#include "scan/read_report.h"

#include <doctest/doctest.h>

#include <cudald/writers.h>

#include "common/example_report.h"
#include "report/text/place.h"

namespace cudald {
namespace {

std::string json_of(const Report& report) {
  return written([&](auto& out) { write_json(report, true, out); });
}

TEST_CASE("what writers of findings need comes back") {
  const auto report = failing_report();
  const auto read = read_report(json_of(report));
  REQUIRE(read);
  CHECK(read->verdict == report.verdict);
  REQUIRE(read->findings.size() == report.findings.size());
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const auto &now = read->findings[i], &before = report.findings[i];
    CHECK(now.code == before.code);
    CHECK(now.name == before.name);
    CHECK(now.level == before.level);
    CHECK(now.message == before.message);
    CHECK(now.consequence == before.consequence);
    CHECK(now.fixes.size() == before.fixes.size());
    CHECK(fingerprint_of(*read, now) == fingerprint_of(report, before));
    CHECK(place_of(*read, now).target == place_of(report, before).target);
    CHECK(place_of(*read, now).object == place_of(report, before).object);
  }
}

TEST_CASE("an unreadable target is told of as such") {
  const auto read = read_report(json_of(unreadable_report()));
  REQUIRE(read);
  CHECK(read->verdict == Verdict::unknown);
  CHECK(read->findings.size() == unreadable_report().findings.size());
}

TEST_CASE("what is no report, or of another version, is none") {
  for (const auto* text :
       {"", "{}", "[]", R"({"schema":"cudald/report","verdict":"perhaps"})",
        R"({"schema":"cudald/report","verdict":"fails","findings":[{"code":"CUD000","level":"error"}]})"})
    CHECK_FALSE(read_report(text));
}

TEST_CASE("each verdict, level and field of a document comes back as what it is") {
  const auto of = [](const std::string& fields) { return read_report(R"({"schema":"cudald/report",)" + fields + "}"); };
  for (const auto verdict : {Verdict::loads, Verdict::cpu_only, Verdict::risk, Verdict::fails, Verdict::unknown}) {
    const auto report = of(R"("verdict":")" + std::string(to_string(verdict)) + "\"");
    REQUIRE(report);
    CHECK(report->verdict == verdict);
    CHECK(report->findings.empty());
    CHECK(report->resolution.targets.empty());
  }
  for (const auto level : {Level::error, Level::warning, Level::note}) {
    const auto report = of(R"("verdict":"loads","targets":[{"given":"g"}],"objects":[{"path":"/p"},{"path":"/q"}],
      "findings":[{"code":"CUD101","level":")" +
                           std::string(to_string(level)) +
                           R"(","object":1,"subject":"s","message":"m","consequence":"c",
                              "fixes":[{"title":"t","command":"d","side_effect":"e"}]}])");
    REQUIRE(report);
    REQUIRE(report->findings.size() == 1);
    const auto& finding = report->findings[0];
    CHECK(finding.code == "CUD101");
    CHECK(finding.name == "library-not-found");
    CHECK(finding.level == level);
    CHECK(finding.object == ObjectId{1});
    CHECK(finding.subject == "s");
    CHECK(finding.message == "m");
    CHECK(finding.consequence == "c");
    REQUIRE(finding.fixes.size() == 1);
    CHECK(finding.fixes[0].title == "t");
    CHECK(finding.fixes[0].command == "d");
    CHECK(finding.fixes[0].side_effect == "e");
    REQUIRE(report->resolution.targets.size() == 1);
    CHECK(report->resolution.targets[0].given == "g");
    REQUIRE(report->resolution.objects.size() == 2);
    CHECK(report->resolution.objects[1].path == "/q");
  }
}

TEST_CASE("what is missing in a document is empty, and a level that is none makes it none") {
  const auto of = [](const std::string& finding) {
    return read_report(R"({"schema":"cudald/report","verdict":"loads","targets":7,"objects":{},"findings":[)" +
                       finding + "]}");
  };
  const auto bare = of(R"({"code":"CUD101","level":"note"})");
  REQUIRE(bare);
  CHECK_FALSE(bare->findings[0].object);
  CHECK(bare->findings[0].fixes.empty());
  CHECK(bare->resolution.targets.empty());
  CHECK(bare->resolution.objects.empty());
  CHECK_FALSE(of(R"({"code":"CUD101","level":"note","object":"1","fixes":7})")->findings[0].object);
  CHECK_FALSE(of(R"({"code":"CUD101","level":"bad"})"));
  CHECK_FALSE(of(R"({"code":"CUD101"})"));
  CHECK_FALSE(of(R"({"level":"note"})"));
  CHECK_FALSE(read_report(R"({"schema":"cudald/other","verdict":"loads"})"));
  CHECK_FALSE(read_report(R"(["cudald/report"])"));
}

}  // namespace
}  // namespace cudald
