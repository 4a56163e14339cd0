// Reports in every format.

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <cudald/report.h>
#include <cudald/writers.h>
#include <nlohmann/json.hpp>

#include "common/example_report.h"
#include "targets.h"

namespace cudald {

void require(bool condition) {
  if (!condition) std::abort();
}

namespace {

/// No byte may move a cursor or end a line of what is quoted.
void require_no_controls(const std::string& text) {
  for (const auto c : text) require(c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
}

}  // namespace

void write_all(const Report& report) {
  std::ostringstream json, text;
  write_json(report, true, json);
  require(nlohmann::json::accept(json.str()));
  TextStyle style;
  style.verbosity = 2;
  write_explanation(report, style, text);
  write_findings(report, {}, text);
  (void)write_tree(report, {}, "", text);
  require_no_controls(text.str());
  std::vector<std::pair<std::unique_ptr<DocumentWriter>, bool>> writers;  // and whether it is JSON
  writers.emplace_back(make_sarif_writer(), true);
  writers.emplace_back(make_cyclonedx_writer(), true);
  writers.emplace_back(make_junit_writer(Level::error), false);
  writers.emplace_back(make_github_writer(), false);
  writers.emplace_back(make_markdown_writer(), false);
  writers.emplace_back(make_html_writer(), false);
  writers.emplace_back(make_dot_writer(), false);
  writers.emplace_back(make_mermaid_writer(), false);
  for (auto& [writer, is_json] : writers) {
    std::ostringstream out;
    writer->add(report);
    writer->finish(out);
    require(is_json ? nlohmann::json::accept(out.str()) : !out.str().empty());
    if (!is_json) require_no_controls(out.str());
  }
}

/// A report with these names.
void fuzz_writers(const std::string& bytes) {
  Report report = bytes.size() % 2 == 0 ? failing_report() : healthy_report();
  const auto half = bytes.size() / 2;
  const auto left = bytes.substr(0, half), right = bytes.substr(half);
  report.query.targets = {left};
  report.headline = right;
  auto& objects = report.resolution.objects;
  objects[0].path = "/" + left;
  objects[1].load_name = right;
  objects[1].edges[0].name = left;
  objects[1].edges[0].error = right;
  report.resolution.targets.front().given = left;
  for (auto& finding : report.findings) {
    finding.subject = left;
    finding.message = right;
    finding.evidence[0].text = left;
    finding.evidence[1].path = right;
    finding.fixes[0].title = left;
    finding.does_not_help = {right};
  }
  write_all(report);
}

}  // namespace cudald
