#include <signal.h>

#include <doctest/doctest.h>

#include <cudald/report.h>

#include "probe/judge_probe.h"

namespace cudald {
namespace {

Report report_with(ProbeRun run) {
  Report report;
  report.query.targets = {"/x.so"};
  report.verdict = Verdict::loads;
  report.headline = "x.so loads";
  report.probe.emplace().runs.push_back(std::move(run));
  judge_probe(report);
  return report;
}

ProbeRun healthy_run() {
  ProbeRun run;
  run.targets = {{"/x.so", true, ""}};
  run.end = ProbeEnd::finished;
  run.step = "ending the process";
  run.mapped_all = true;
  return run;
}

std::string codes(const Report& report) {
  std::string text;
  for (const auto& finding : report.findings) text += std::string(text.empty() ? "" : " ") + std::string(finding.code);
  return text;
}

TEST_CASE("agreement adds no finding") {
  const auto report = report_with(healthy_run());
  CHECK(codes(report).empty());
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.headline == "x.so loads; really loaded as predicted");
}

TEST_CASE("what did not run is a note for each reason, and the verdict stays") {
  auto run = healthy_run();
  run.checks = {{"/libcudart.so.12", "devices", CheckResult::not_run, "no driver: cudaErrorNoDevice (100)"},
                {"/libcudart.so.12", "kernel", CheckResult::not_run, "no driver"},
                {"/libcublas.so.12", "SGEMM", CheckResult::not_run, "no driver"},
                {"/libcudnn.so.9", "functions", CheckResult::not_run, "it has no function f"}};
  const auto report = report_with(run);
  CHECK(codes(report) == "CUD601 CUD601");
  CHECK(report.findings[1].message == "SGEMM, kernel not run: no driver");
  CHECK(report.findings[1].evidence.size() == 1);
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.headline == "x.so loads; really loaded as predicted; kernel not run: no driver");
}

TEST_CASE("of several kernels the worst is told") {
  auto run = healthy_run();
  run.checks = {{"/libcudart.so.12", "kernel on device 0", CheckResult::ok, "right"}};
  CHECK(report_with(run).headline == "x.so loads; really loaded as predicted; kernel right");
  run.checks.push_back({"/libcudart.so.12", "kernel on device 1", CheckResult::failed, "wrong"});
  CHECK(report_with(run).headline == "x.so loads; really loaded as predicted; a kernel fails");
}

TEST_CASE("a difference goes first of all") {
  auto run = healthy_run();
  run.differences = {"/y.so is mapped, and was not predicted"};
  run.checks = {{"/libcudart.so.12", "kernel on device 0", CheckResult::failed, "wrong"}};
  auto report = report_with(run);
  CHECK(codes(report) == "CUD602 CUD604");
  CHECK(report.verdict == Verdict::risk);
  run.targets[0] = {"/x.so", false, "no"};
  report = report_with(run);
  CHECK(report.verdict == Verdict::fails);
  CHECK(report.headline == "x.so does not load, and the simulation differs: no");
}

TEST_CASE("of an import, the order alone is a note") {
  auto run = healthy_run();
  run.differences = {"the order differs"};
  run.only_order = true;
  CHECK(report_with(run).findings[0].level == Level::error);
  run.way = ProbeWay::import;
  const auto report = report_with(run);
  CHECK(report.findings[0].level == Level::note);
  CHECK(report.verdict == Verdict::loads);
}

TEST_CASE("an end before its time") {
  struct Row {
    ProbeEnd end;
    int status;
    bool mapped;
    const char *code, *message;
    Verdict verdict;
  };
  const Row rows[] = {
      {ProbeEnd::crashed, SIGSEGV, false, "CUD603", "the process is ended by SIGSEGV while loading /x.so",
       Verdict::fails},
      {ProbeEnd::exited, 0, false, "CUD603", "the process ends itself with exit status 0 while loading /x.so",
       Verdict::fails},
      {ProbeEnd::timed_out, 0, false, "CUD603",
       "the process comes to no end within the time limit while loading /x.so; it was killed", Verdict::fails},
      {ProbeEnd::crashed, SIGABRT, true, "CUD604", "the process is ended by SIGABRT while loading /x.so",
       Verdict::risk},
      {ProbeEnd::not_started, 2, false, "CUD601", "the process cannot be started: No such file or directory",
       Verdict::loads},
  };
  for (const Row& row : rows) {
    CAPTURE(row.message);
    auto run = healthy_run();
    run.end = row.end;
    run.status = row.status;
    run.step = "loading /x.so";
    run.mapped_all = row.mapped;
    const auto report = report_with(run);
    CHECK(codes(report) == row.code);
    CHECK(report.findings[0].message == row.message);
    CHECK(report.verdict == row.verdict);
    if (row.verdict == Verdict::fails)
      CHECK(report.headline == "x.so does not survive being loaded: " + std::string(row.message));
  }
}

}  // namespace
}  // namespace cudald
