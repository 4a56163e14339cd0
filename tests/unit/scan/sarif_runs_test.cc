#include "scan/sarif_runs.h"

#include <doctest/doctest.h>

#include <deque>
#include <sstream>

#include "common/example_report.h"

namespace cudald {
namespace {

using nlohmann::json;

struct Files {
  std::deque<std::ostringstream> streams;

  SarifFiles writer(std::size_t most_results, std::size_t most_runs) {
    return SarifFiles([this]() -> std::ostream& { return streams.emplace_back(); }, most_results, most_runs);
  }
};

Report with_findings(std::size_t count) {
  auto report = failing_report();
  const auto finding = report.findings[0];
  report.findings.assign(count, finding);
  return report;
}

TEST_CASE("all results stay, in runs and files of so many") {
  Files files;
  auto writer = files.writer(2, 2);
  writer.add(with_findings(7));
  writer.add(with_findings(2));
  writer.finish();
  REQUIRE(files.streams.size() == 3);
  std::size_t results = 0;
  std::vector<std::string> categories;
  for (const auto& stream : files.streams) {
    const auto document = json::parse(stream.str());
    for (const auto& run : document.at("runs")) {
      results += run.at("results").size();
      categories.push_back(run.at("automationDetails").at("id"));
      CHECK(run.at("results").size() <= 2);
      CHECK(run.at("invocations").at(0).at("executionSuccessful") == true);
    }
  }
  CHECK(results == 9);
  CHECK(categories ==
        std::vector<std::string>{"cudald/scan/1", "cudald/scan/2", "cudald/scan/3", "cudald/scan/4", "cudald/scan/5"});
}

TEST_CASE("one run is written even of nothing, and gaps are told in it") {
  Files nothing, gap;
  auto writer = nothing.writer(2, 2);
  writer.finish();
  CHECK(json::parse(nothing.streams.at(0).str()).at("runs").at(0).at("results").empty());
  auto other = gap.writer(2, 2);
  other.add_gap();
  other.finish();
  CHECK(json::parse(gap.streams.at(0).str()).at("runs").at(0).at("invocations").at(0).at("executionSuccessful") ==
        false);
}

TEST_CASE("where the last file is full nothing is left to write") {
  Files files;
  auto writer = files.writer(2, 1);
  writer.add(with_findings(2));
  writer.add(with_findings(0));
  writer.finish();
  CHECK(files.streams.size() == 1);
}

TEST_CASE("a run that is full when a target without findings comes is the last one") {
  Files files;
  auto writer = files.writer(2, 2);
  writer.add(with_findings(2));
  writer.add(with_findings(0));
  writer.finish();
  REQUIRE(files.streams.size() == 1);
  const auto runs = json::parse(files.streams[0].str()).at("runs");
  REQUIRE(runs.size() == 1);
  CHECK(runs.at(0).at("results").size() == 2);
  CHECK(runs.at(0).at("invocations").at(0).at("executionSuccessful") == true);
}

TEST_CASE("a run has the gaps of its own targets, and a target that is unknown is one") {
  Files files;
  auto writer = files.writer(1, 9);
  writer.add(with_findings(1));
  auto unknown = with_findings(1);
  unknown.verdict = Verdict::unknown;
  writer.add(unknown);
  writer.add(with_findings(1));
  writer.finish();
  std::string complete;
  const auto document = json::parse(files.streams.at(0).str());
  for (const auto& run : document.at("runs"))
    complete += run.at("invocations").at(0).at("executionSuccessful").dump() + " ";
  CHECK(complete == "true false true ");
}

}  // namespace
}  // namespace cudald
