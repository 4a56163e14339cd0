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
  CHECK(report.headline == "x.so loads; verified: real load matches");
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
  CHECK(report.headline == "x.so loads; verified: real load matches; kernel not run: no driver");
}

TEST_CASE("of several kernels the worst is told") {
  auto run = healthy_run();
  run.checks = {{"/libcudart.so.12", "kernel on device 0", CheckResult::ok, "right"}};
  CHECK(report_with(run).headline == "x.so loads; verified: real load matches; kernel right");
  run.checks.push_back({"/libcudart.so.12", "kernel on device 1", CheckResult::failed, "wrong"});
  CHECK(report_with(run).headline == "x.so loads; verified: real load matches; a kernel fails");
}

TEST_CASE("a difference goes first of all") {
  auto run = healthy_run();
  run.differences = {"/y.so is mapped, but was not predicted"};
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

TEST_CASE("signals have their names, others their number") {
  for (const auto& [number, name] :
       {std::pair(SIGSEGV, "SIGSEGV"), std::pair(SIGABRT, "SIGABRT"), std::pair(SIGBUS, "SIGBUS"),
        std::pair(SIGFPE, "SIGFPE"), std::pair(SIGILL, "SIGILL"), std::pair(SIGTRAP, "SIGTRAP"),
        std::pair(SIGSYS, "SIGSYS"), std::pair(SIGTERM, "SIGTERM"), std::pair(SIGKILL, "SIGKILL"),
        std::pair(SIGUSR1, "signal 10")}) {
    auto run = healthy_run();
    run.end = ProbeEnd::crashed;
    run.status = number;
    CHECK(report_with(run).findings.at(0).message ==
          std::string("the process is ended by ") + name + " while ending the process");
  }
}

TEST_CASE("what the targets wrote is evidence, without empty lines") {
  auto run = healthy_run();
  run.end = ProbeEnd::exited;
  run.status = 7;
  run.output = "one\n\ntwo\n";
  auto report = report_with(run);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].subject == "/x.so");
  CHECK(report.findings[0].consequence == "A program that does the same ends in the same way.");
  REQUIRE(report.findings[0].evidence.size() == 1);
  CHECK(report.findings[0].evidence[0].text == "it wrote: one two");
  CHECK(report.findings[0].evidence[0].basis == Basis::proven);
  run.output.clear();
  CHECK(report_with(run).findings[0].evidence.empty());
  run.end = ProbeEnd::finished;
  run.output = "words";
  run.differences = {"first", "second"};
  report = report_with(run);
  CHECK(report.findings[0].message == "the real loader differs from the simulation in 2 points");
  CHECK(report.findings[0].consequence ==
        "What cudald says of this target is wrong on this machine, or the files changed in between.");
  REQUIRE(report.findings[0].evidence.size() == 3);
  CHECK(report.findings[0].evidence[1].text == "second");
  CHECK(report.findings[0].evidence[2].text == "it wrote: words");
}

TEST_CASE("where a probe was in the way of what works, that is no fault of the target") {
  auto run = healthy_run();
  run.end = ProbeEnd::exited;
  run.status = 3;
  run.mapped_all = false;
  run.plain_works = true;
  const auto report = report_with(run);
  CHECK(codes(report) == "CUD601");
  CHECK(report.findings[0].subject == "/x.so");
  CHECK(report.findings[0].message ==
        "the files were not compared: the process ends itself with exit status 3 while ending the process; without "
        "the probe in it, it ends well");
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.headline == "x.so loads; it really loads, and its files could not be compared");
}

TEST_CASE("the first line says what the real load adds, in each case") {
  auto run = healthy_run();
  const auto headline = [&] { return report_with(run).headline; };
  run.way = ProbeWay::list;
  CHECK(headline() == "x.so loads; verified: real mapping matches");
  run.targets[0] = {"/x.so", false, "no"};
  CHECK(headline() == "x.so loads; the real loader says the same");
  run.targets[0].loaded = true;
  run.differences = {"one"};
  CHECK(headline() == "x.so loads; the real loader differs from this simulation");
  run.only_order = true;
  CHECK(headline() == "x.so loads; the real loader differs from this simulation");
  run.way = ProbeWay::import;
  CHECK(headline() == "x.so loads; verified: real load matches, except for the order");
  run.only_order = false;
  CHECK(headline() == "x.so loads; the real loader differs from this simulation");
  run = healthy_run();
  run.end = ProbeEnd::not_started;
  CHECK(headline() == "x.so loads; it could not be loaded for real");
  run.end = ProbeEnd::timed_out;
  CHECK(headline() == "x.so loads; verified: real load matches");
  run.mapped_all = false;
  CHECK(headline() ==
        "x.so does not survive being loaded: the process comes to no end within the time limit while ending the "
        "process; it was killed");
}

TEST_CASE("where nothing was run the reasons are notes, and the verdict stays") {
  Report report;
  report.verdict = Verdict::loads;
  report.headline = "x.so loads";
  report.probe.emplace().not_run = {"one", "two"};
  judge_probe(report);
  CHECK(codes(report) == "CUD601 CUD601");
  CHECK(report.findings[0].message == "probe not run: one");
  CHECK(report.findings[1].message == "probe not run: two");
  CHECK(report.findings[0].subject.empty());
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.headline == "x.so loads; it was not loaded for real");
  report.findings.clear();
  report.query.targets = {"a", "b"};
  judge_probe(report);
  CHECK(report.findings[0].subject == "a");
}

Report judged(Verdict verdict, ProbeRun run) {
  Report report;
  report.verdict = verdict;
  report.headline = "it";
  report.probe.emplace().runs.push_back(std::move(run));
  judge_probe(report);
  return report;
}

TEST_CASE("a verdict becomes no better, and none is made of what is unknown") {
  auto run = healthy_run();
  run.checks = {{"/lib/libcudart.so.12", "kernel on device 0", CheckResult::failed, "wrong"}};
  CHECK(judged(Verdict::loads, run).verdict == Verdict::risk);
  CHECK(judged(Verdict::cpu_only, run).verdict == Verdict::risk);
  CHECK(judged(Verdict::fails, run).verdict == Verdict::fails);
  CHECK(judged(Verdict::unknown, run).verdict == Verdict::unknown);
  run.end = ProbeEnd::crashed;
  run.mapped_all = false;
  CHECK(judged(Verdict::loads, run).verdict == Verdict::fails);
  CHECK(judged(Verdict::unknown, run).verdict == Verdict::unknown);
  // That a target is refused as predicted changes nothing.
  run = healthy_run();
  run.targets[0].loaded = false;
  CHECK(judged(Verdict::loads, run).verdict == Verdict::loads);
  // Without a question's name the target is named.
  run.differences = {"one"};
  run.targets[0].error = "why";
  const auto refused = judged(Verdict::loads, run);
  CHECK(refused.verdict == Verdict::fails);
  CHECK(refused.headline == "x.so does not load, and the simulation differs: why");
}

TEST_CASE("what is told of a check that fails, and where findings stand among others") {
  auto run = healthy_run();
  run.checks = {{"/lib/libcudart.so.12", "kernel on device 0", CheckResult::failed, "wrong"},
                {"/lib/libcudart.so.12", "devices", CheckResult::ok, "one"},
                {"/lib/libcudart.so.12", "devices", CheckResult::failed, "none"},
                {"/lib/libcublas.so.12", "SGEMM", CheckResult::not_run, "why"},
                {"/lib/libcublas.so.12", "SGEMM", CheckResult::not_run, "why"}};
  run.differences = {"the order differs"};
  run.only_order = true;
  run.way = ProbeWay::import;
  Report report;
  report.verdict = Verdict::loads;
  Finding error, note;
  error.code = "CUD101";
  note.code = "CUD108";
  note.level = Level::note;
  report.findings = {error, note};
  report.probe.emplace().runs.push_back(run);
  judge_probe(report);
  CHECK(codes(report) == "CUD101 CUD604 CUD604 CUD108 CUD602 CUD601");
  CHECK(report.findings[1].subject == "/lib/libcudart.so.12");
  CHECK(report.findings[1].message == "kernel on device 0 of libcudart.so.12 fails: wrong");
  CHECK(report.findings[1].consequence == "The library loads, and cannot be relied on to use the GPU.");
  CHECK(report.findings[2].message == "devices of libcudart.so.12 fails: none");
  CHECK(report.findings[4].consequence == "Where two files define the same name, the other one may count.");
  CHECK(report.findings[5].message == "SGEMM not run: why");
  CHECK(report.findings[5].subject == "SGEMM");
  report.findings = {error, note};
  report.probe->runs[0].way = ProbeWay::open;
  judge_probe(report);
  CHECK(codes(report) == "CUD602 CUD101 CUD604 CUD604 CUD108 CUD601");
}

TEST_CASE("each part of a finding of what did not run, and of what it is known by") {
  auto run = healthy_run();
  run.targets[0].name = "/target.so";
  run.checks = {{"/lib/libcudart.so.12", "devices", CheckResult::not_run, "no driver"},
                {"/lib/libcublas.so.12", "b", CheckResult::not_run, "second"},
                {"/lib/libcublas.so.12", "a", CheckResult::not_run, "second"},
                {"/lib/libcublas.so.12", "c", CheckResult::not_run, "first"}};
  auto report = report_with(run);
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].message == "c not run: first");
  CHECK(report.findings[0].subject == "c");
  CHECK(report.findings[1].message == "a, b not run: second");
  CHECK(report.findings[1].subject == "a");
  for (const auto& finding : report.findings) {
    CHECK(finding.code == "CUD601");
    CHECK(finding.level == Level::note);
    REQUIRE(finding.evidence.size() == 1);
    CHECK(finding.evidence[0].text == "libcudart.so.12: no driver");
    CHECK(finding.evidence[0].path == "/lib/libcudart.so.12");
    CHECK(finding.evidence[0].basis == Basis::proven);
    CHECK(finding.evidence[0].source == "");
  }
  // Without other checks nothing is told of devices.
  run.checks.resize(1);
  CHECK(report_with(run).findings.empty());
  run.differences = {"one"};
  run.output = "words";
  report = report_with(run);
  CHECK(report.findings.at(0).subject == "/target.so");
  CHECK(report.findings[0].message == "the real loader differs from the simulation: one");
  for (const auto& evidence : report.findings[0].evidence) {
    CHECK(evidence.path == "");
    CHECK(evidence.basis == Basis::proven);
    CHECK(evidence.source == "");
  }
}

TEST_CASE("of the kernels of all processes the worst is told, and of what is refused the first") {
  Report report;
  report.query.targets = {"/x.so"};
  report.headline = "it";
  auto first = healthy_run(), second = healthy_run();
  second.checks = {{"/libcudart.so.12", "kernel on device 0", CheckResult::not_run, "why"},
                   {"/libcudart.so.12", "kernel on device 1", CheckResult::ok, ""}};
  report.probe.emplace().runs = {first, second};
  judge_probe(report);
  CHECK(report.headline == "it; verified: real load matches; kernel not run: why");
  auto run = healthy_run();
  run.differences = {"one"};
  run.targets = {{"a", true, ""}, {"b", false, "why b"}, {"c", false, "why c"}};
  CHECK(report_with(run).headline == "x.so does not load, and the simulation differs: why b");
  // A process that crashes once all is mapped was loaded.
  run = healthy_run();
  run.end = ProbeEnd::crashed;
  run.status = SIGSEGV;
  CHECK(report_with(run).headline == "x.so loads; verified: real load matches");
  run.end = ProbeEnd::exited;
  run.mapped_all = false;
  run.targets.clear();
  Report nameless;
  nameless.headline = "it";
  nameless.probe.emplace().runs = {run};
  judge_probe(nameless);
  CHECK(nameless.findings.at(0).subject == "");
}

}  // namespace
}  // namespace cudald
