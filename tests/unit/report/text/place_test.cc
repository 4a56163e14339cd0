#include "report/text/place.h"

#include <doctest/doctest.h>

#include "common/example_report.h"

namespace cudald {
namespace {

TEST_CASE("a finding is placed by the target as it was given and the file's own name") {
  const auto report = failing_report();
  const auto place = place_of(report, report.findings[0]);
  CHECK(place.target == "./app");
  CHECK(place.object == "libfoo.so.1.2");
  CHECK(name_of_question(report) == "./app");
}

TEST_CASE("a target that could not be read is the place itself") {
  const auto report = unreadable_report();
  const auto place = place_of(report, report.findings[0]);
  CHECK(place.target == "nothing.so");
  CHECK(place.object.empty());
}

TEST_CASE("a fingerprint stays where files move and packages get new versions") {
  auto report = failing_report();
  const auto before = fingerprint_of(report, report.findings[0]);
  CHECK(before == "CUD101:libfoo.so.1.2:libcudart.so.12");
  report.resolution.objects[1].path = "/elsewhere/libfoo.so.1.2";
  report.resolution.targets[0].given = "/elsewhere/app";
  CHECK(fingerprint_of(report, report.findings[0]) == before);

  report.resolution.objects[1].path = "a-1.0-py3-none-any.whl!/a/lib.so";
  const auto of_member = fingerprint_of(report, report.findings[0]);
  report.resolution.objects[1].path = "a-2.0-py3-none-any.whl!/a/lib.so";
  CHECK(fingerprint_of(report, report.findings[0]) == of_member);
  CHECK(of_member == "CUD101:a/lib.so:libcudart.so.12");
  report.findings[0].subject = "libcudart.so.11.0";
  CHECK(fingerprint_of(report, report.findings[0]) != of_member);
}

TEST_CASE("a question is called by its first target that the user asked for, or as it was put") {
  auto report = failing_report();
  Target part = report.resolution.targets[0];
  part.given = "libpart.so";
  part.part_of = 1;
  report.resolution.targets.insert(report.resolution.targets.begin(), part);
  CHECK(name_of_question(report) == "./app");
  report.resolution.targets.resize(1);
  report.query.targets = {"first", "second"};
  CHECK(name_of_question(report) == "first");
  report.query.targets.clear();
  CHECK(name_of_question(report) == "nothing");
}

std::string place_words(const Report& report) {
  const auto place = place_of(report, report.findings[0]);
  return place.target + " | " + place.object;
}

TEST_CASE("a finding about a file is placed by the target that brought it in, one about none by the question") {
  auto report = failing_report();
  Target other;
  other.given = "libother.so";
  report.resolution.targets.push_back(other);
  report.resolution.objects[1].target = 1;
  CHECK(place_words(report) == "libother.so | libfoo.so.1.2");
  report.resolution.objects[1].target = 2;
  CHECK(place_words(report) == "./app | libfoo.so.1.2");
  report.resolution.objects[1].path = "/dist/a.whl!/b/lib.so";
  CHECK(place_words(report) == "./app | /dist/a.whl!/b/lib.so");
  report.findings[0].object = 4;
  CHECK(place_words(report) == "./app | ");
  report.findings[0].object.reset();
  report.findings[0].subject = "a.whl!/b.so";
  CHECK(place_words(report) == "./app | a.whl!/b.so");
  report.findings[0].subject = "libother.so";
  CHECK(place_words(report) == "libother.so | ");
  report.resolution.targets[1].part_of = 0;
  CHECK(place_words(report) == "./app | ");
}

TEST_CASE("of paths only what stays when they move is in a fingerprint") {
  auto report = failing_report();
  report.findings[0].object.reset();
  for (const auto& [subject, kept] :
       {std::pair("/opt/x/liba.so", "liba.so"), std::pair("C:\\x\\a.dll", "a.dll"), std::pair("liba.so", "liba.so")}) {
    report.findings[0].subject = subject;
    CHECK(fingerprint_of(report, report.findings[0]) == std::string("CUD101::") + kept);
  }
  report.findings[0].subject = "/x/a.whl!/b/c.so";
  CHECK(fingerprint_of(report, report.findings[0]) == "CUD101:b/c.so:b/c.so");
}

}  // namespace
}  // namespace cudald
