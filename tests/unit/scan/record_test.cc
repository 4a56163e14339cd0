#include "scan/record.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace cudald {
namespace {

// What would end the fields, if a quote in a text did.
const WorkItem tricky{R"(a","message":"x","report":{}.whl)", 12, std::string(64, 'f')};

TEST_CASE("a record is one line of JSON, with the report in it as it was") {
  const ScanRecord record{
      tricky, Outcome::judged, 1, "", R"({"schema":"cudald/report","verdict":"fails"})", {"ignored \",\"message\":\""}};
  const auto line = line_of(record);
  CHECK(line.find('\n') + 1 == line.size());
  const auto json = nlohmann::json::parse(line);
  CHECK(json.at("target") == tricky.target);
  CHECK(json.at("status") == 1);
  CHECK(json.at("report").at("verdict") == "fails");
  CHECK(report_in(line) == record.report);
  REQUIRE(head_of(line));
  CHECK(head_of(line)->ignored_by == record.ignored_by);
  CHECK(message_in(line).empty());
}

TEST_CASE("whose record it is stands in front") {
  const ScanRecord record{tricky, Outcome::timed_out, std::nullopt, "longer than \"1\" s", ""};
  const auto line = line_of(record);
  const auto head = head_of(line);
  REQUIRE(head);
  CHECK(head->item == tricky);
  CHECK(head->outcome == Outcome::timed_out);
  CHECK(report_in(line).empty());
  CHECK(message_in(line) == record.message);
}

TEST_CASE("what is no record has no head") {
  for (const auto* line : {"", "{}", "null", R"({"schema":"cudald/report","message":null,"report":null})",
                           R"({"schema":"cudald/scan-record","target":1,"message":null,"report":null})"})
    CHECK_FALSE(head_of(line));
}

TEST_CASE("each outcome is known by its name") {
  for (const auto outcome :
       {Outcome::judged, Outcome::timed_out, Outcome::out_of_memory, Outcome::crashed, Outcome::failed})
    CHECK(outcome_of(to_string(outcome)) == outcome);
  CHECK_FALSE(outcome_of("unheard-of"));
}

}  // namespace
}  // namespace cudald
