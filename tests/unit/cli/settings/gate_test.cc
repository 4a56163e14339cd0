#include "cli/settings/gate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/example_report.h"
#include "common/memory_file_system.h"

namespace cudald {
namespace {

const MemoryFileSystem no_files;

/// Codes and levels of what is left of failing_report(), in which one library is not found.
std::string left(const Options& options, const FileSystem& files = no_files, bool last = true) {
  auto gate = Gate::make(options, files, "/", "2026-11-22");
  if (!gate) return gate.error().message;
  auto report = failing_report();
  gate->apply(report, last);
  CHECK(report.verdict == Verdict::fails);
  std::string text;
  for (const auto& finding : report.findings)
    text += std::string(finding.code) + " " + std::string(to_string(finding.level)) + "\n";
  return text;
}

Suppression entry(const std::string& code, const std::string& object = "", const std::string& until = "") {
  return {code, object, "", "known", until, "/cudald.toml:1"};
}

TEST_CASE("codes are selected and ignored by their beginnings") {
  Options options;
  CHECK(left(options) == "CUD101 error\n");
  options.judgement.select = {"CUD2"};
  CHECK(left(options) == "");
  options.judgement.select = {"CUD1"};
  CHECK(left(options) == "CUD101 error\n");
  options.judgement.ignore = {"CUD101"};
  CHECK(left(options) == "");
}

TEST_CASE("levels change, and the last word counts") {
  Options options;
  options.judgement.levels = {{"CUD1", Level::note}, {"CUD101", Level::warning}};
  CHECK(left(options) == "CUD101 warning\n");
}

TEST_CASE("a suppression that fits is silent; one that does not is told at the end") {
  Options options;
  options.judgement.suppressions = {entry("CUD101", "libfoo*")};
  CHECK(left(options) == "");
  options.judgement.suppressions = {entry("CUD101", "libbar*")};
  CHECK(left(options) == "CUD101 error\nCUD903 note\n");
  CHECK(left(options, no_files, false) == "CUD101 error\n");
  options.judgement.suppressions = {entry("CUD101", "", "2026-11-22")};
  CHECK(left(options) == "");
  options.judgement.suppressions = {entry("CUD101", "", "2026-11-21")};
  CHECK(left(options) == "CUD101 error\nCUD903 warning\n");
  options.judgement.ignore = {"CUD903"};
  CHECK(left(options) == "CUD101 error\n");
  options.judgement.ignore.clear();
  auto gate = Gate::make(options, no_files, "/", "2026-11-22");
  auto report = failing_report();
  gate->apply(report, true);
  const auto& told = report.findings.back();
  CHECK(told.subject == "CUD101");
  CHECK(told.message == "the entry that ignores CUD101 has expired on 2026-11-21");
  REQUIRE(told.evidence.size() == 1);
  CHECK(told.evidence[0].text == "its reason was: known");
  CHECK(told.evidence[0].path == "/cudald.toml:1");
  CHECK(told.evidence[0].basis == Basis::proven);
  REQUIRE(told.fixes.size() == 1);
  CHECK(told.fixes[0].title == "take it out, or give it a new day");
  auto of_subject = entry("CUD101");
  of_subject.subject = "libcudart.so.*";
  options.judgement.suppressions = {of_subject};
  CHECK(left(options) == "");
}

TEST_CASE("what a run wrote as its baseline is not told in the next") {
  Options writing;
  writing.judgement.write_baseline = "b.json";
  auto gate = Gate::make(writing, no_files, "/", "2026-11-22");
  auto report = failing_report();
  gate->apply(report, true);
  CHECK(report.findings.empty());

  MemoryFileSystem files;
  files.add_file("/b.json", gate->baseline());
  files.add_file("/odd.json", "[]");
  Options reading;
  reading.judgement.baseline = "b.json";
  CHECK(left(reading, files) == "");
  reading.judgement.baseline = "odd.json";
  CHECK(left(reading, files) == "--baseline odd.json: it is not a baseline; --write-baseline writes one");
  reading.judgement.baseline = "none.json";
  CHECK(left(reading, files).starts_with("--baseline none.json: "));
}

TEST_CASE("a pattern is about the whole path, the name of the file, or the member of a package") {
  const auto fits = [](const std::string& path, const std::string& pattern) {
    Options options;
    options.judgement.suppressions = {entry("CUD101", pattern)};
    auto gate = Gate::make(options, no_files, "/", "2026-11-22");
    auto report = failing_report();
    report.resolution.objects[1].path = path;
    gate->apply(report, false);
    return report.findings.empty();
  };
  const std::string member = "/d/p.whl!/p/lib/libfoo.so";
  for (const auto* pattern : {"libfoo.so", "p/lib/*", "/d/p.whl!*", "*"}) CHECK(fits(member, pattern));
  for (const auto* pattern : {"lib/*", "libfo", "d/p.whl!*", "/p/lib/*"}) CHECK_FALSE(fits(member, pattern));
}

TEST_CASE("which entries were of use is told by the gate, and one of no use says so") {
  Options options;
  options.judgement.suppressions = {entry("CUD101", "libbar*"), entry("CUD1"), entry("CUD201")};
  auto gate = Gate::make(options, no_files, "/", "2026-11-22");
  auto report = failing_report();
  gate->apply(report, true);
  CHECK(gate->used().size() == 1);
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].message == "the entry that ignores CUD101 in libbar* ignored nothing in this run");
  CHECK(report.findings[0].fixes.at(0).title == "take it out");
  CHECK(report.findings[1].message == "the entry that ignores CUD201 ignored nothing in this run");
  options.judgement.select = {"CUD1"};
  auto selecting = Gate::make(options, no_files, "/", "2026-11-22");
  report = failing_report();
  selecting->apply(report, true);
  CHECK(report.findings.empty());
}

TEST_CASE("of a baseline the texts count, and what has other fields is none") {
  MemoryFileSystem files;
  Options options;
  options.judgement.baseline = "b.json";
  const std::string none = "--baseline b.json: it is not a baseline; --write-baseline writes one";
  for (const auto* text : {"", "{}", R"({"schema": "cudald/report", "findings": []})",
                           R"({"schema": "cudald/baseline"})", R"({"schema": "cudald/baseline", "findings": {}})"}) {
    CAPTURE(text);
    files.add_file("/b.json", text);
    CHECK(left(options, files) == none);
  }
  files.add_file("/b.json", R"({"schema": "cudald/baseline", "findings": [7, null, "other"]})");
  CHECK(left(options, files) == "CUD101 error\n");
}

TEST_CASE("a suppression of another subject leaves the finding, and one that limits nothing takes it") {
  Options options;
  auto of_other = entry("CUD101");
  of_other.subject = "libcublas*";
  options.judgement.suppressions = {of_other};
  CHECK(left(options) == "CUD101 error\nCUD903 note\n");
  // A later entry is of use as well, though the first one was enough.
  options.judgement.suppressions = {entry("CUD1"), entry("CUD101")};
  auto gate = Gate::make(options, no_files, "/", "2026-11-22");
  auto report = failing_report();
  gate->apply(report, true);
  CHECK(report.findings.empty());
  CHECK(gate->used() == std::vector<std::string>{"ignored CUD1", "ignored CUD101"});
}

TEST_CASE("what is of no use is told where its own code is selected, with the level that is wanted") {
  Options options;
  options.judgement.suppressions = {entry("CUD201")};
  options.judgement.select = {"CUD9"};
  CHECK(left(options) == "CUD903 note\n");
  options.judgement.select = {"CUD2"};
  CHECK(left(options) == "");
  options.judgement.select.clear();
  options.judgement.levels = {{"CUD2", Level::note}, {"CUD903", Level::error}};
  CHECK(left(options) == "CUD101 error\nCUD903 error\n");
  options.judgement.levels = {{"CUD101", Level::note}, {"CUD9", Level::warning}};
  CHECK(left(options) == "CUD903 warning\nCUD101 note\n");
}

TEST_CASE("a baseline has each finding once, in order, whichever report it is of") {
  Options options;
  auto gate = Gate::make(options, no_files, "/", "2026-11-22");
  CHECK(gate->baseline() ==
        "{\n \"schema\": \"cudald/baseline\",\n \"schema_version\": \"1.0\",\n \"findings\": []\n}\n");
  for (int i = 0; i < 2; ++i) {
    auto report = failing_report();
    gate->apply(report, false);
    CHECK(report.findings.size() == 1);
  }
  const auto text = gate->baseline();
  CHECK(
      text.starts_with("{\n \"schema\": \"cudald/baseline\",\n \"schema_version\": \"1.0\",\n \"findings\": [\n  \""));
  CHECK(text.ends_with("\"\n ]\n}\n"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 7);
}

TEST_CASE("a baseline of more than 64 MiB is none that is read") {
  MemoryFileSystem files;
  FileTraits large;
  large.claimed_size = (std::uint64_t{64} << 20) + 1;
  files.add_file("/b.json", "", large);
  Options options;
  options.judgement.baseline = "b.json";
  CHECK(left(options, files) == "--baseline b.json: larger than the 67108864 bytes that are read of it");
}

}  // namespace
}  // namespace cudald
