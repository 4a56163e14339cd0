#include "report/place.h"

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

}  // namespace
}  // namespace cudald
