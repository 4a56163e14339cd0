#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "report/ci/sarif.h"
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
  CHECK(document(make_sarif_writer(), {twice}).starts_with("{\n  \"$schema\""));
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

TEST_CASE("the text of a result has what happens, and each fix with what is to be typed and what it does besides") {
  auto report = failing_report();
  const auto text = [&] { return run_of({report}).at("results").at(0).at("message").at("text"); };
  CHECK(text() ==
        "libcudart.so.12 is not found in any directory the loader searches\nThe program does not start.\n"
        "Fix: install the runtime\n  pip install nvidia-cuda-runtime-cu12\n"
        "Fix: for one shell\n  export LD_LIBRARY_PATH=/opt/cuda\n./app\n  all programs see it");
  report.findings[0].consequence.clear();
  report.findings[0].fixes = {{"in words", "", ""}};
  CHECK(text() == "libcudart.so.12 is not found in any directory the loader searches\nFix: in words");
}

TEST_CASE("a result stands at the first line of its target, and has no member where the target itself is meant") {
  CHECK(run_of({unreadable_report()}).at("results").at(0).at("locations").dump() ==
        R"([{"physicalLocation":{"artifactLocation":{"uri":"nothing.so"},"region":{"startLine":1}}}])");
  CHECK(run_of({failing_report()}).at("results").at(0).at("locations").at(0).at("logicalLocations").dump() ==
        R"([{"fullyQualifiedName":"libfoo.so.1.2","kind":"member"}])");
}

TEST_CASE("the worst results come first, and those of one level as they were found") {
  auto first = failing_report(), second = failing_report();
  first.findings[0].level = Level::note;
  first.findings[0].message = "a note";
  second.findings[0].message = "an error";
  auto warning = second.findings[0];
  warning.level = Level::warning;
  warning.message = "a warning";
  second.findings.insert(second.findings.begin(), warning);
  second.findings.push_back(first.findings[0]);
  second.findings.back().message = "another note";
  std::string told;
  const auto run = run_of({first, second});
  for (const auto& result : run.at("results")) {
    const auto text = result.at("message").at("text").get<std::string>();
    told += result.at("level").get<std::string>() + ": " + text.substr(0, text.find('\n')) + "\n";
  }
  CHECK(told == "error: an error\nwarning: a warning\nnote: a note\nnote: another note\n");
}

TEST_CASE("a run has its rules with their pages, and the verdict of each target") {
  const auto run = run_of({healthy_report(), failing_report()});
  const auto& driver = run.at("tool").at("driver");
  CHECK(driver.at("name") == "cudald");
  CHECK(driver.at("version") == CUDALD_VERSION);
  CHECK(driver.at("semanticVersion") == CUDALD_VERSION);
  REQUIRE(driver.at("rules").size() == finding_catalogue().size());
  for (std::size_t i = 0; i < finding_catalogue().size(); ++i) {
    const auto& rule = finding_catalogue()[i];
    const auto& told = driver.at("rules").at(i);
    CHECK(told.at("id") == rule.code);
    CHECK(told.at("name") == rule.name);
    CHECK(told.at("shortDescription").at("text") == rule.summary);
    CHECK(told.at("fullDescription").at("text") == rule.explanation);
    CHECK(told.at("defaultConfiguration").at("level") == to_string(rule.level));
    const auto text = told.at("help").at("text").get<std::string>();
    CHECK(text.starts_with(rule.summary));
    CHECK(text.ends_with("What helps: " + std::string(rule.remedy)));
    CHECK(text.find("Example:\n\n" + std::string(rule.example)) != std::string::npos);
    const auto markdown = told.at("help").at("markdown").get<std::string>();
    CHECK(markdown.ends_with("```\n" + std::string(rule.example) + "\n```\n\n**What helps.** " +
                             std::string(rule.remedy) + "\n"));
  }
  CHECK(run.at("properties").dump() ==
        R"({"verdicts":[{"headline":"app loads, with 4 other files","target":"./app","verdict":"loads"},)"
        R"({"headline":"app does not load: libcudart.so.12 is not found in any directory the loader searches",)"
        R"("target":"./app","verdict":"fails"}]})");
  CHECK(run.at("invocations").dump() == R"([{"executionSuccessful":true}])");
  CHECK_FALSE(run.contains("automationDetails"));
}

TEST_CASE("a run that GitHub is to tell from others has a category, and one without verdicts no properties") {
  SarifRun given;
  given.category = "part 1";
  given.left_out = 7;
  given.complete = false;
  const auto run = json::parse(sarif_run(given).dump());
  CHECK(sarif_run(SarifRun()).at("invocations").dump() == R"([{"executionSuccessful":true}])");
  CHECK(run.at("automationDetails").dump() == R"({"id":"part 1"})");
  CHECK_FALSE(run.contains("properties"));
  CHECK(run.at("results").empty());
  CHECK(run.at("invocations").dump() ==
        R"([{"executionSuccessful":false,"toolExecutionNotifications":[{"level":"warning",)"
        R"("message":{"text":"7 more results are left out"}}]}])");
  const auto whole = json::parse(sarif_document(Json::array({1})).dump());
  CHECK(whole.at("$schema") == "https://json.schemastore.org/sarif-2.1.0.json");
  CHECK(whole.at("version") == "2.1.0");
  CHECK(whole.at("runs").dump() == "[1]");
}

}  // namespace
}  // namespace cudald
