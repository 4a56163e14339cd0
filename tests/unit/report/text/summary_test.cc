// The first lines of an answer and its last one.

#include "report/text/summary.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <cudald/report.h>

#include "common/example_report.h"

namespace cudald {
namespace {

template <typename Write>
std::string lines_of(Write write, const TextStyle& style = plain_style()) {
  return written([&](std::ostream& out) {
    TextWriter text(style, out);
    write(text);
  });
}

std::string short_answer(const Report& report) {
  return lines_of([&](TextWriter& text) { write_short_answer(report, text); });
}

Finding finding_about(std::string_view code, const std::string& subject, Level level = Level::error) {
  Finding finding = failing_report().findings[0];
  finding.code = code;
  finding.subject = subject;
  finding.level = level;
  finding.message = subject + " is wrong";
  finding.fixes.clear();
  return finding;
}

TEST_CASE("what is missing is named once, by the findings of the worst level that are about missing libraries") {
  auto report = failing_report();
  report.findings.clear();
  for (const auto* code : {"CUD101", "CUD102", "CUD103", "CUD106", "CUD111", "CUD501", "CUD104", "CUD107"})
    report.findings.push_back(finding_about(code, std::string("lib") + code + ".so"));
  report.findings.push_back(finding_about("CUD101", "libCUD101.so"));
  report.findings.push_back(finding_about("CUD101", ""));
  report.findings.push_back(finding_about("CUD101", "libwarned.so", Level::warning));
  report.findings.push_back(finding_about("CUD101", "libno-edge.so"));
  report.findings.back().edge.reset();
  CHECK(short_answer(report) ==
        "missing       libCUD101.so, libCUD102.so, libCUD103.so, libCUD106.so, libCUD111.so, libCUD501.so\n");
  report.verdict = Verdict::loads;
  CHECK(short_answer(report).empty());
}

TEST_CASE("of many that are missing twelve are named") {
  auto report = failing_report();
  report.findings.clear();
  for (int i = 1; i <= 12; ++i) report.findings.push_back(finding_about("CUD101", "l" + std::to_string(i)));
  CHECK(short_answer(report) == "missing       l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12\n");
  report.findings.push_back(finding_about("CUD101", "l13"));
  CHECK(short_answer(report) == "missing       l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12 and 1 more\n");
}

TEST_CASE("the fix is the first that can be pasted, of the worst findings, and none of a note") {
  auto report = failing_report();
  auto& findings = report.findings;
  findings = {finding_about("CUD109", "a"), finding_about("CUD109", "b"), finding_about("CUD109", "c", Level::warning)};
  findings[2].fixes = {{"of a warning", "warn", ""}};
  CHECK(short_answer(report).empty());
  findings[1].fixes = {{"in words alone", "", ""}, {"second", "one\ntwo", ""}, {"third", "three", ""}};
  CHECK(short_answer(report) == "fix           one\n              two\n");
  // What can be pasted only under a condition comes after what stands before it.
  findings[1].fixes = {{"in words alone", "", "if that is meant"}, {"second", "two", "if not"}};
  CHECK(short_answer(report) == "fix           in words alone; if that is meant\n");
  findings[1].fixes.erase(findings[1].fixes.begin());
  CHECK(short_answer(report) == "fix           two\n");
  for (auto& finding : findings) finding.level = Level::note;
  CHECK(short_answer(report).empty());
}

TEST_CASE("whose Python it is stands before the fix, unless it is nobody's") {
  auto report = failing_report();
  Import import;
  import.python_version = "3.11";
  report.resolution.imports = {import};
  CHECK(short_answer(report) == "missing       libcudart.so.12\nfix           pip install nvidia-cuda-runtime-cu12\n");
  report.resolution.imports[0].python = "/venv/bin/python";
  CHECK(short_answer(report) ==
        "missing       libcudart.so.12\nPython        3.11, /venv/bin/python\n"
        "fix           pip install nvidia-cuda-runtime-cu12\n");
}

TEST_CASE("asked about one library, the headline is the sentence of its finding") {
  auto report = failing_report();
  report.findings.push_back(finding_about("CUD109", "libother.so"));
  auto style = plain_style();
  const auto verdict = [&](const std::string& library) {
    style.library = library;
    return lines_of([&](TextWriter& text) { write_verdict(report, text); }, style);
  };
  CHECK(verdict("libother.so") == "FAILS  app does not load: libother.so is wrong\n");
  const auto usual = "FAILS  " + report.headline + "\n";
  CHECK(verdict("") == usual);
  CHECK(verdict("libcudart.so.12") == usual);
  CHECK(verdict("libthird.so") == usual);
  report.findings[0].message = "not what the headline says";
  CHECK(verdict("libother.so") == usual);
}

TEST_CASE("where objects come from is counted by rule, with the folder, or the one above all") {
  auto report = healthy_report();
  auto& objects = report.resolution.objects;
  const auto line = [&] { return origins_line(report); };
  CHECK(line() ==
        "5 files: app itself, 1 by DT_RPATH in /opt/app/lib, 1 by DT_RUNPATH in /opt/cuda/lib, 1 by "
        "/etc/ld.so.cache in /lib/x86_64-linux-gnu, and the dynamic loader.");
  objects[0].edges[0].rule = SearchRule::runpath;
  CHECK(line().find(", 2 by DT_RUNPATH in 2 directories below /opt, 1 by") != std::string::npos);
  objects[4].path = "/opt/app/lib64/libcudart.so.12";
  CHECK(line().find(", 2 by DT_RUNPATH in 2 directories below /opt/app, 1 by") != std::string::npos);
  objects[4].path = "/srv/libcudart.so.12";
  CHECK(line().find(", 2 by DT_RUNPATH in 2 directories, 1 by") != std::string::npos);
  objects[4].path = "/opt/app/lib/below/libcudart.so.12";
  CHECK(line().find(", 2 by DT_RUNPATH in 2 directories below /opt/app/lib, 1 by") != std::string::npos);
  objects[3].dynamic_loader = false;
  objects[4].unmapped = true;
  CHECK(line().ends_with("/lib/x86_64-linux-gnu."));
  CHECK(line().starts_with("4 files: "));
  report.resolution.objects.clear();
  CHECK(line() == "0 files.");
}

TEST_CASE("the command to type next has what the question said besides its targets") {
  Report report;
  CHECK(next_command(report, "tree") == "cudald tree");
  report.query.sysroot = "/a b";
  report.query.prefix = "/venv";
  report.query.python = "3.11";
  report.query.packages = {"a.whl", "b.whl"};
  report.query.targets = {"py:torch", "b.whl"};
  CHECK(next_command(report, "why") ==
        "cudald why --sysroot '/a b' --prefix /venv --python 3.11 --with a.whl py:torch b.whl");
}

TEST_CASE("findings are counted by their level, targets by whether they load") {
  auto report = failing_report();
  report.findings = {};
  CHECK(counts_line(report) == "no findings (4 files).");
  for (const auto level : {Level::warning, Level::note, Level::note})
    report.findings.push_back(finding_about("CUD109", "a", level));
  CHECK(counts_line(report) == "1 warning, 2 notes (4 files).");
  CHECK(verdicts_line({1, 0, 0, 0, 0}) == "1 target: 1 LOADS");
  CHECK(verdicts_line({1, 2, 3, 4, 5}) == "15 targets: 4 FAILS, 5 UNKNOWN, 3 RISK, 2 CPU ONLY, 1 LOADS");
}

TEST_CASE("the last line leads to the page of the first finding, or to what was folded") {
  const auto closing = [](std::size_t folded) {
    return lines_of([&](TextWriter& text) { write_closing_line(failing_report(), folded, text); });
  };
  CHECK(closing(0) == "1 error (4 files).  Next: cudald rule CUD101\n");
  CHECK(closing(1) == "1 error (4 files).  Next: cudald explain -v ./app\n");
}

TEST_CASE("of a failed import whose fix installs something, the next question tries the releases") {
  auto report = failing_report();
  report.query.targets = {"py:m"};
  report.releases = TriedReleases::not_yet;
  report.findings[0].fixes = {{"take an earlier one", "pip install 'a<2'", ""}};
  const auto closing = [&] { return lines_of([&](TextWriter& text) { write_closing_line(report, 0, text); }); };
  const std::string tries = "1 error (4 files).  Next: cudald explain --online py:m tries these releases\n";
  CHECK(closing() == tries);
  report.releases = TriedReleases::tried;
  CHECK(closing() == "1 error (4 files).  Next: cudald rule CUD101\n");
  report.releases = TriedReleases::not_yet;
  report.findings[0].fixes[0].command = "export A=1";
  CHECK(closing() != tries);
}

TEST_CASE("a command in the last line is not broken") {
  auto report = failing_report();
  const std::string path = "/a/" + std::string(90, 'b') + "/c d";
  report.query.targets = {path};
  CHECK(lines_of([&](TextWriter& text) { write_closing_line(report, 1, text); }) ==
        "1 error (4 files).  Next: cudald explain -v '" + path + "'\n");
}

TEST_CASE("a finding that only says that a target cannot be read is told by the verdict") {
  auto report = unreadable_report();
  CHECK(is_unreadable_target(report.findings[0], report));
  report.findings[0].message += "!";
  CHECK_FALSE(is_unreadable_target(report.findings[0], report));
  report = unreadable_report();
  report.findings[0].object = 0;
  CHECK_FALSE(is_unreadable_target(report.findings[0], report));
  report = unreadable_report();
  report.resolution.targets[0].unreadable.reset();
  CHECK_FALSE(is_unreadable_target(report.findings[0], report));
}

TEST_CASE("a headline that speaks for all stays, and a finding without a sentence is not in it") {
  auto report = failing_report();
  report.findings.push_back(finding_about("CUD109", "libother.so"));
  auto style = plain_style();
  style.library = "libother.so";
  const auto verdict = [&] { return lines_of([&](TextWriter& text) { write_verdict(report, text); }, style); };
  auto silent = report.findings[0];
  silent.message.clear();
  report.findings.insert(report.findings.begin(), silent);
  CHECK(verdict() == "FAILS  app does not load: libother.so is wrong\n");
  report.findings[0].code = "CUD403";
  CHECK(verdict() == "FAILS  " + report.headline + "\n");
  std::swap(report.findings[0], report.findings[1]);
  CHECK(verdict() == "FAILS  app does not load: libother.so is wrong\n");
}

TEST_CASE("each verdict has its word") {
  auto report = healthy_report();
  for (const auto& [verdict, word] :
       {std::pair(Verdict::loads, "LOADS"), std::pair(Verdict::cpu_only, "CPU ONLY"), std::pair(Verdict::risk, "RISK"),
        std::pair(Verdict::fails, "FAILS"), std::pair(Verdict::unknown, "UNKNOWN")}) {
    report.verdict = verdict;
    CHECK(spoken(verdict) == word);
    CHECK(lines_of([&](TextWriter& text) { write_verdict(report, text); }) ==
          std::string(word) + "  app loads, with 4 other files\n");
  }
}

TEST_CASE("folders of Windows are told as such, and a request that came to nothing is not counted") {
  auto report = healthy_report();
  auto& objects = report.resolution.objects;
  objects[1].path = R"(C:\app\lib\foo.dll)";
  objects[0].edges[1].object.reset();
  CHECK(origins_line(report) ==
        R"(5 files: app itself, 1 by DT_RPATH in C:\app\lib, 1 by DT_RUNPATH in /opt/cuda/lib, )"
        "and the dynamic loader.");
  objects[0].edges[0].status = EdgeStatus::already_loaded;
  CHECK(origins_line(report) == "5 files: app itself, 1 by DT_RUNPATH in /opt/cuda/lib, and the dynamic loader.");
}

TEST_CASE("a question about a folder that is its root has no option, and packages that are targets stand once") {
  Report report;
  report.query.sysroot = "/";
  report.query.packages = {"a b.whl"};
  report.query.targets = {"c d"};
  CHECK(next_command(report, "tree") == "cudald tree --with 'a b.whl' 'c d'");
}

}  // namespace
}  // namespace cudald
