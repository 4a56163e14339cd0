#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "unit/report/documents.h"

namespace cudald {
namespace {

using nlohmann::json;

json run_of(const std::vector<Report>& reports) {
  return json::parse(document(make_sarif_writer(), reports)).at("runs").at(0);
}

TEST_CASE("a result says which rule, where, and by what it is known again") {
  const auto run = run_of({failing_report()});
  const auto& result = run.at("results").at(0);
  CHECK(result.at("ruleId") == "CUD101");
  CHECK(run.at("tool").at("driver").at("rules").at(result.at("ruleIndex").get<std::size_t>()).at("id") == "CUD101");
  CHECK(result.at("level") == "error");
  const auto& location = result.at("locations").at(0);
  CHECK(location.at("physicalLocation").at("artifactLocation").at("uri") == "./app");
  CHECK(location.at("logicalLocations").at(0).at("fullyQualifiedName") == "libfoo.so.1.2");
  CHECK(result.at("partialFingerprints").at("cudald/v1") == "CUD101:libfoo.so.1.2:libcudart.so.12");
  CHECK(run.at("invocations").at(0).at("executionSuccessful") == true);
}

TEST_CASE("all answers are one run, and fingerprints that are alike are numbered") {
  auto twice = failing_report();
  twice.findings.push_back(twice.findings[0]);
  const auto run = run_of({twice, unreadable_report()});
  CHECK(run.at("results").size() == 3);
  CHECK(run.at("results").at(1).at("partialFingerprints").at("cudald/v1") == "CUD101:libfoo.so.1.2:libcudart.so.12:2");
  CHECK(run.at("invocations").at(0).at("executionSuccessful") == false);
  CHECK(run.at("properties").at("verdicts").at(1).at("verdict") == "unknown");
}

TEST_CASE("of more than 5,000 results the worst stay") {
  auto many = failing_report();
  auto note = many.findings[0];
  note.level = Level::note;
  many.findings.assign(5000, note);
  auto worst = failing_report();
  const auto run = run_of({many, worst});
  CHECK(run.at("results").size() == 5000);
  CHECK(run.at("results").at(0).at("level") == "error");
  CHECK(run.at("invocations").at(0).at("toolExecutionNotifications").at(0).at("message").at("text") ==
        "1 more results are left out");
}

TEST_CASE("names that mean harm are text") {
  const auto text = document(make_sarif_writer(), {hostile_report()});
  CHECK(is_harmless(text));
  CHECK(json::accept(text));
}

}  // namespace
}  // namespace cudald
