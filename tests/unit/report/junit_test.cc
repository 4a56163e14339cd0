#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/path.h"
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

TEST_CASE("a suite for each target has its verdict, and of each kind of finding a case with all that is said of it") {
  const auto text = document(make_junit_writer(Level::error), {varied_report(), healthy_report()});
  std::string told;
  for (const auto line : split(text, "\n"))
    if (!line.ends_with("time=\"0\"/>") && !line.empty()) told += std::string(line) + "\n";
  const auto kinds = finding_catalogue().size() + 1;
  CHECK(told == fmt::format(
                    R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="cudald" tests="{1}" failures="1" errors="0" time="0">
  <testsuite name="./app" tests="{0}" failures="1" errors="0" skipped="0" time="0">
    <testcase classname="./app" name="verdict" time="0">
      <system-out>FAILS  app does not load: libcudart.so.12 is in no folder that the loader searches</system-out>
    </testcase>
    <testcase classname="./app" name="CUD101 library-not-found" time="0">
      <failure type="CUD101" message="libcudart.so.12 is in no folder that the loader searches">error[CUD101] )"
                    R"(libcudart.so.12 is in no folder that the loader searches
in: libfoo.so.1.2
what happens: The program does not start.
because: a DT_RUNPATH switches DT_RPATH off
because: lies beside it
fix: install the runtime
  command: pip install nvidia-cuda-runtime-cu12
fix: for one shell
  command: export LD_LIBRARY_PATH=/opt/cuda\x0a./app</failure>
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
  <testsuite name="./app" tests="{0}" failures="0" errors="0" skipped="0" time="0">
    <testcase classname="./app" name="verdict" time="0">
      <system-out>LOADS  app loads, with 4 other objects</system-out>
    </testcase>
  </testsuite>
</testsuites>
)",
                    kinds, 2 * kinds));
}

}  // namespace
}  // namespace cudald
