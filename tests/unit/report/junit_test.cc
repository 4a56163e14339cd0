#include <doctest/doctest.h>

#include "unit/report/documents.h"

namespace cudald {
namespace {

TEST_CASE("a kind of finding that is there fails its case, the others pass") {
  const auto text = document(make_junit_writer(Level::error), {failing_report()});
  CHECK(text.find("<testcase classname=\"./app\" name=\"CUD101 library-not-found\" time=\"0\">\n      <failure "
                  "type=\"CUD101\" message=\"libcudart.so.12 is in no folder that the loader searches\">") !=
        std::string::npos);
  CHECK(text.find("<testcase classname=\"./app\" name=\"CUD102 other-abi-only\" time=\"0\"/>") != std::string::npos);
  CHECK(text.find("failures=\"1\" errors=\"0\"") != std::string::npos);
}

TEST_CASE("what is below --fail-on is told and does not fail") {
  for (const auto fail_on : {std::optional<Level>(), std::optional(Level::error)}) {
    auto report = failing_report();
    if (fail_on) report.findings[0].level = Level::warning;
    const auto text = document(make_junit_writer(fail_on), {report});
    CHECK(text.find("<failure") == std::string::npos);
    CHECK(text.find("is in no folder that the loader searches\nin: libfoo") != std::string::npos);
  }
}

TEST_CASE("what could not be read is an error") {
  const auto text = document(make_junit_writer(Level::error), {unreadable_report(), healthy_report()});
  CHECK(text.find("<error type=\"unknown\" message=\"UNKNOWN  nothing.so: No such file or directory\"/>") !=
        std::string::npos);
  CHECK(text.find("errors=\"1\"") != std::string::npos);
}

TEST_CASE("names that mean harm are text") {
  const auto text = document(make_junit_writer(Level::error), {hostile_report()});
  CHECK(is_harmless(text));
  CHECK(text.find("<script") == std::string::npos);
  CHECK(text.find("]]>") == std::string::npos);
}

}  // namespace
}  // namespace cudald
