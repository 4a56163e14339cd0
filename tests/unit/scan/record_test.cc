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

TEST_CASE("a head has each of its fields, and none is made of what is damaged") {
  const ScanRecord record{{"a.whl", 12, ""}, Outcome::out_of_memory, 7, "m", "", {"x", "y"}};
  const auto line = line_of(record);
  CHECK(line == R"({"schema":"cudald/scan-record","schema_version":"1.0","target":"a.whl","bytes":12,"sha256":null,)"
                R"("outcome":"out-of-memory","status":7,"ignored_by":["x","y"],"message":"m","report":null})"
                "\n");
  const auto head = head_of(line);
  REQUIRE(head);
  CHECK(head->item == WorkItem{"a.whl", 12, ""});
  CHECK(head->outcome == Outcome::out_of_memory);
  CHECK(head->ignored_by == std::vector<std::string>{"x", "y"});
  const auto of = [](const std::string& fields) {
    return head_of(R"({"schema":"cudald/scan-record",)" + fields + R"(,"message":null,"report":null})");
  };
  CHECK(of(R"("target":"a","bytes":1,"outcome":"failed")"));
  for (const auto* fields :
       {R"("target":1,"bytes":1,"outcome":"failed")", R"("target":"a","bytes":1,"outcome":1)",
        R"("target":"a","bytes":-1,"outcome":"failed")", R"("target":"a","bytes":"1","outcome":"failed")",
        R"("target":"a","outcome":"failed")", R"("target":"a","bytes":1)", R"("bytes":1,"outcome":"failed")",
        R"("target":"a","bytes":1,"outcome":"unheard-of")"}) {
    CAPTURE(fields);
    CHECK_FALSE(of(fields));
  }
  const auto mixed = of(R"("target":"a","bytes":1,"outcome":"failed","ignored_by":[1,"x",null])");
  REQUIRE(mixed);
  CHECK(mixed->ignored_by == std::vector<std::string>{"x"});
  CHECK_FALSE(head_of(R"(["schema","cudald/scan-record","message":null])"));
}

TEST_CASE("report and message of a line that lacks them are empty, and of one without its end as they stand") {
  CHECK(report_in("{}").empty());
  CHECK(report_in(R"({"a":1,"message":"m"})").empty());
  CHECK(report_in(R"({"a":1,"message":"m","report":{"x":1}})") == R"({"x":1})");
  CHECK(report_in("{\"a\":1,\"report\":{\"x\":1}}\n") == R"({"x":1})");
  CHECK(report_in("{\"a\":1,\"report\":7\n") == "7");
  for (const auto* line : {"{}", R"({"a":1,"report":null})", R"({"a":1,"message":"m"})",
                           R"({"a":1,"report":null,"message":"m"})", R"({"a":1,"message":7,"report":null})"}) {
    CAPTURE(line);
    CHECK(message_in(line).empty());
  }
  CHECK(message_in(R"({"a":1,"message":"m","report":null})") == "m");
}

TEST_CASE("outcomes are spelt as JSON has them") {
  CHECK(to_string(Outcome::judged) == "judged");
  CHECK(to_string(Outcome::timed_out) == "timed-out");
  CHECK(to_string(Outcome::out_of_memory) == "out-of-memory");
  CHECK(to_string(Outcome::crashed) == "crashed");
  CHECK(to_string(Outcome::failed) == "failed");
}

}  // namespace
}  // namespace cudald
