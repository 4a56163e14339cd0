#include <doctest/doctest.h>

#include "unit/report/documents.h"

namespace cudald {
namespace {

TEST_CASE("each kind of finding has a case, and kinds without findings have none") {
  const auto text = document(make_junit_writer(Level::error), {failing_report()});
  CHECK(text.find("<testcase classname=\"./app\" name=\"CUD101 library-not-found\" time=\"0\">\n      <failure "
                  "type=\"CUD101\" message=\"libcudart.so.12 is not found in any directory the loader searches\">") !=
        std::string::npos);
  CHECK(text.find("CUD102") == std::string::npos);
  CHECK(text.find("failures=\"1\" errors=\"0\"") != std::string::npos);
}

TEST_CASE("what is below --fail-on is told and does not fail") {
  for (const auto fail_on : {std::optional<Level>(), std::optional(Level::error)}) {
    auto report = failing_report();
    if (fail_on) report.findings[0].level = Level::warning;
    const auto text = document(make_junit_writer(fail_on), {report});
    CHECK(text.find("<failure") == std::string::npos);
    CHECK(text.find("is not found in any directory the loader searches\nin: libfoo") != std::string::npos);
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

TEST_CASE("a suite for each target has its verdict, and of each kind of finding a case with all that is said of it") {
  const auto text = document(make_junit_writer(Level::error), {varied_report(), healthy_report()});
  CHECK(text ==
        R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="cudald" tests="5" failures="1" errors="0" time="0">
  <testsuite name="./app" tests="4" failures="1" errors="0" skipped="0" time="0">
    <testcase classname="./app" name="verdict" time="0">
      <system-out>FAILS  app does not load: libcudart.so.12 is not found in any directory the loader )"
        R"(searches</system-out>
    </testcase>
    <testcase classname="./app" name="CUD101 library-not-found" time="0">
      <failure type="CUD101" message="libcudart.so.12 is not found in any directory the loader )"
        R"(searches">error[CUD101] )"
        R"(libcudart.so.12 is not found in any directory the loader searches
in: libfoo.so.1.2
result: The program does not start.
because: a DT_RUNPATH switches DT_RPATH off
because: lies beside it
fix: install the runtime
  command: pip install nvidia-cuda-runtime-cu12
fix: for one shell
  command: export LD_LIBRARY_PATH=/opt/cuda
  command: ./app</failure>
    </testcase>
    <testcase classname="./app" name="CUD109 shadowed" time="0">
      <system-out>warning[CUD109] one hides the other
in: libc.so.6</system-out>
    </testcase>
    <testcase classname="./app" name="CUD904 unreadable" time="0">
      <system-out>note[CUD904] nothing of it is known
in: a.whl!/b.so</system-out>
    </testcase>
  </testsuite>
  <testsuite name="./app" tests="1" failures="0" errors="0" skipped="0" time="0">
    <testcase classname="./app" name="verdict" time="0">
      <system-out>LOADS  app loads, with 4 other files</system-out>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST_CASE("findings of one kind are one case: the first gives the failure its name, and each its text") {
  auto report = failing_report();
  auto& findings = report.findings;
  findings[0].level = Level::warning;
  findings[0].message = "the first";
  findings[0].evidence.clear();
  findings[0].fixes.clear();
  findings[0].consequence.clear();
  findings.push_back(findings[0]);
  findings[1].message = "the second";
  findings[1].level = Level::error;
  const auto text = document(make_junit_writer(Level::error), {report});
  CHECK(text.find("<failure type=\"CUD101\" message=\"the first\">warning[CUD101] the first\nin: libfoo.so.1.2\n\n"
                  "error[CUD101] the second\nin: libfoo.so.1.2</failure>\n") != std::string::npos);
  CHECK(text.find(" failures=\"1\" errors=\"0\" skipped") != std::string::npos);
  std::swap(findings[0], findings[1]);
  CHECK(document(make_junit_writer(Level::error), {report}).find("<failure ") != std::string::npos);
  findings.erase(findings.begin());
  CHECK(document(make_junit_writer(Level::error), {report}).find("<failure ") == std::string::npos);
  CHECK(document(make_junit_writer(Level::warning), {report}).find("<failure ") != std::string::npos);
  findings[0].level = Level::note;
  CHECK(document(make_junit_writer(Level::warning), {report}).find("<failure ") == std::string::npos);
  CHECK(document(make_junit_writer(Level::note), {report}).find("<failure ") != std::string::npos);
}

TEST_CASE("what is wrong with each target is summed up") {
  const auto text = document(make_junit_writer(Level::error), {failing_report(), failing_report(), unreadable_report(),
                                                               unreadable_report(), unreadable_report()});
  CHECK(text.find("<testsuites name=\"cudald\" tests=\"10\" failures=\"5\" errors=\"3\" time=\"0\">\n") !=
        std::string::npos);
}

}  // namespace
}  // namespace cudald
