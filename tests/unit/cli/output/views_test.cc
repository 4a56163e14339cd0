// Which writer a command and a format mean, and the exit status of what it writes.

#include "cli/output/views.h"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/report.h>

#include "cli/options/exit_status.h"
#include "cli/run.h"
#include "common/example_report.h"

namespace cudald {
namespace {

struct Written {
  int status = 0;
  std::string text, complaints;
};

Written view_of(const std::vector<std::string>& words, const Report& report) {
  const auto options = parse_options(words);
  REQUIRE(options);
  auto style = plain_style();
  style.verbosity = options->output.verbosity;
  std::istringstream input;
  std::ostringstream complaints, out;
  const Host host{{}, {}, input, complaints};
  Written written;
  written.status = write_view({*options, style, host, report}, out);
  written.text = out.str();
  written.complaints = complaints.str();
  return written;
}

TEST_CASE("each command writes its own view") {
  const auto report = failing_report();
  const auto explained = view_of({"explain", "x"}, report);
  CHECK(explained.status == exit_findings);
  CHECK(explained.text.find("\nSearched: ") != std::string::npos);
  CHECK(view_of({"probe", "x"}, report).text == explained.text);
  const auto checked = view_of({"check", "x"}, report);
  CHECK(checked.status == exit_findings);
  CHECK(checked.text.find("searched, in this order") == std::string::npos);
  CHECK(checked.text.find("error[CUD101]") != std::string::npos);
  CHECK(view_of({"tree", "x"}, report).text.starts_with("/opt/app/bin/app\n├── "));
  CHECK(view_of({"tree", "x"}, report).status == exit_findings);
  const auto chain = view_of({"why", "x", "libcudart.so.12"}, report);
  CHECK(chain.status == exit_fine);
  CHECK(chain.text.starts_with("/opt/app/bin/app\n└── libfoo.so.1 "));
  // The search itself stands there with -vv.
  CHECK(view_of({"explain", "-vv", "x"}, report).text.size() > view_of({"explain", "-v", "x"}, report).text.size());
  CHECK(view_of({"check", "-vv", "x"}, report).text.size() > view_of({"check", "-v", "x"}, report).text.size());
}

TEST_CASE("each document has its schema, in one line as ndjson") {
  const auto report = healthy_report();
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{"explain", "x"}, "cudald/report"},
      {{"check", "x"}, "cudald/report"},
      {{"probe", "x"}, "cudald/report"},
      {{"tree", "x"}, "cudald/report"},
      {{"tree", "--invert", "libc.so.6", "x"}, "cudald/requesters"},
      {{"why", "x", "libc.so.6"}, "cudald/why"},
  };
  for (const auto& [words, schema] : rows) {
    const auto& seen_words = words;
    CAPTURE(seen_words.front());
    auto with_format = words;
    with_format.insert(with_format.end(), {"-f", "json"});
    const auto json = view_of(with_format, report);
    CHECK(json.status == exit_fine);
    CHECK(json.text.starts_with("{\n  \"schema\": \"" + schema + "\",\n"));
    with_format.back() = "ndjson";
    const auto line = view_of(with_format, report);
    CHECK(line.status == exit_fine);
    CHECK(line.text.starts_with("{\"schema\":\"" + schema + "\","));
    CHECK(line.text.find('\n') == line.text.size() - 1);
  }
}

TEST_CASE("a library that nothing asks for is a finding, or unknown where the target is") {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"why", "x", "libcudart.so.11"},
                                                {"why", "x", "libcudart.so.11", "-f", "json"},
                                                {"tree", "--invert", "libcudart.so.11", "x"},
                                                {"tree", "--invert", "libcudart.so.11", "x", "-f", "json"}}) {
    auto report = failing_report();
    const auto written = view_of(words, report);
    CHECK(written.status == exit_findings);
    CHECK(written.complaints == "cudald: nothing here needs libcudart.so.11; did you mean `libcudart.so.12`?\n");
    report.verdict = Verdict::unknown;
    CHECK(view_of(words, report).status == exit_incomplete);
    auto allowed = words;
    allowed.push_back("--allow-incomplete");
    CHECK(view_of(allowed, report).status == exit_findings);
  }
  auto report = healthy_report();
  report.verdict = Verdict::unknown;
  for (const auto* format : {"text", "json"}) {
    CHECK(view_of({"why", "x", "libc.so.6", "-f", format}, report).status == exit_incomplete);
    CHECK(view_of({"why", "x", "libc.so.6", "-f", format, "--allow-incomplete"}, report).status == exit_fine);
  }
}

TEST_CASE("a format that is one document of all answers has its writer") {
  const auto begin = [](const std::vector<std::string>& words) {
    const auto options = parse_options(words);
    REQUIRE(options);
    const auto writer = make_document_writer(*options);
    if (!writer) return std::string("none");
    writer->add(failing_report());
    return written([&](std::ostream& out) { writer->finish(out); });
  };
  const std::pair<const char*, std::string> rows[] = {
      {"sarif", "{\n  \"$schema\": \"https://j"}, {"junit", "<?xml version=\"1.0\" encod"},
      {"github", "cudald: FAILS  app does "},     {"markdown", "### cudald: 1 target: 1 F"},
      {"html", "<!DOCTYPE html>\n<html la"},      {"dot", "digraph cudald {\n  rankd"},
      {"mermaid", "flowchart LR\n  subgraph"},    {"cyclonedx", "{\n  \"$schema\": \"http://cy"},
  };
  for (const auto& [format, beginning] : rows)
    for (const auto* command : {"explain", "check", "probe"}) {
      const auto& seen_format = format;
      CAPTURE(seen_format);
      CHECK(begin({command, "-f", format, "x"}).starts_with(beginning));
    }
  CHECK(begin({"tree", "-f", "dot", "x"}).starts_with("digraph"));
  CHECK(begin({"tree", "-f", "mermaid", "x"}).starts_with("flowchart"));
  for (const auto* format : {"text", "json", "ndjson"}) CHECK(begin({"check", "-f", format, "x"}) == "none");
  // What fails follows --fail-on.
  auto options = *parse_options({"check", "-f", "junit", "--fail-on", "never", "x"});
  const auto writer = make_document_writer(options);
  writer->add(failing_report());
  CHECK(written([&](std::ostream& out) { writer->finish(out); }).find("<failure") == std::string::npos);
}

}  // namespace
}  // namespace cudald
