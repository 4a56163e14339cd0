#include "cli/options/ignored_by.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

using Texts = std::vector<std::string>;

std::string told(const Texts& options, const std::set<std::string>& used, const std::string& today = "2026-11-22") {
  std::string text;
  for (const auto& finding : unused_suppressions(options, used, today))
    text += std::string(finding.code) + " " + std::string(to_string(finding.level)) + " " + finding.message + "\n";
  return text;
}

TEST_CASE("a suppression is stated with what limits it") {
  CHECK(stated({"CUD5", "", "", "why", "", ""}) == "ignored CUD5");
  CHECK(stated({"CUD501", "*.so", "libx", "why", "2027-01-01", ""}) ==
        "ignored CUD501 object=*.so subject=libx until=2027-01-01");
}

TEST_CASE("the line of those that were of use is taken off again, and nothing else is") {
  const Texts used{"ignored CUD1 object=\"\n", "ignored CUD2"};
  auto output = "{\"schema\":\"cudald/report\"}\n" + used_line(used);
  CHECK(take_used_line(output) == used);
  CHECK(output == "{\"schema\":\"cudald/report\"}\n");
  for (const std::string other : {"", "\n", "a", "{}\n", "{}\n{\"ignored\":[]}\n"}) {
    auto same = other;
    CHECK(take_used_line(same).empty());
    CHECK(same == other);
  }
  std::string cut = "{}\n{\"ignored_by\":[";
  CHECK(take_used_line(cut).empty());
  CHECK(cut == "{}\n");
}

TEST_CASE("what no target needed is told, by its day") {
  const Texts options{"driver=535", "ignored CUD1 object=*.so", "ignored CUD2 until=2026-11-21",
                      "ignored CUD3 until=2026-11-22"};
  CHECK(told(options, {"ignored CUD1 object=*.so"}) ==
        "CUD903 warning the entry that ignores CUD2 has expired on 2026-11-21\n"
        "CUD903 note the entry that ignores CUD3 ignored nothing in this scan\n");
  CHECK(told({"ignored CUD1 object=*.so"}, {}) ==
        "CUD903 note the entry that ignores CUD1 object=*.so ignored nothing in this scan\n");
  CHECK(told({}, {"ignored CUD1"}).empty());
}

TEST_CASE("it is told unless the options leave CUD903 out") {
  CHECK(told({"ignore=CUD9", "ignored CUD1"}, {}).empty());
  CHECK(told({"ignore=CUD1,suppression-unused", "ignored CUD1"}, {}).empty());
  CHECK(told({"select=CUD1", "ignored CUD1"}, {}).empty());
  CHECK_FALSE(told({"select=CUD1,CUD903", "ignored CUD1"}, {}).empty());
}

TEST_CASE("of the codes of an option those count that are written, and of the line those that are texts") {
  CHECK_FALSE(told({"ignore=CUD1,", "ignored CUD1"}, {}).empty());
  CHECK(told({"select=CUD1,", "ignored CUD1"}, {}).empty());
  CHECK_FALSE(told({"select=", "ignored CUD1", "select=CUD903"}, {}).empty());
  CHECK(told({"select=", "ignored CUD1"}, {}).empty());
  CHECK(told({"ignore=CUD903", "ignored CUD1"}, {}).empty());
  CHECK_FALSE(told({"ignore=CUD9031", "ignored CUD1"}, {}).empty());
  std::string output = "{}\n{\"ignored_by\":[1,\"a\",null]}\n";
  CHECK(take_used_line(output) == Texts{"a"});
  CHECK(output == "{}\n");
}

TEST_CASE("an entry that was of use before its last day is told as expired") {
  const Texts options{"ignored CUD2 object=a until=2026-11-21"};
  const auto findings = unused_suppressions(options, {options[0]}, "2026-11-22");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].subject == "CUD2");
  CHECK(findings[0].message == "the entry that ignores CUD2 object=a has expired on 2026-11-21");
  CHECK(findings[0].fixes.at(0).title == "take it out, or give it a new day");
  CHECK(findings[0].level == Level::warning);
  CHECK(unused_suppressions(options, {options[0]}, "2026-11-21").empty());
  const auto unused = unused_suppressions({"ignored CUD5"}, {"ignored CUD50"}, "2026-11-22");
  REQUIRE(unused.size() == 1);
  CHECK(unused[0].subject == "CUD5");
  CHECK(unused[0].level == Level::note);
  CHECK(unused[0].fixes.at(0).title == "take it out");
}

}  // namespace
}  // namespace cudald
