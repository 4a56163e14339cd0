#include "scan/read_report.h"

#include <doctest/doctest.h>

#include <cudald/writers.h>

#include "common/example_report.h"
#include "report/place.h"

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

}  // namespace
}  // namespace cudald
