#include <algorithm>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include <cudald/writers.h>

#include "base/path.h"
#include "check/findings/checks.h"
#include "report/text/finding_text.h"
#include "report/text/place.h"
#include "report/text/repair_hint.h"
#include "report/text/summary.h"
#include "report/text/text.h"

namespace cudald {

namespace {

/// The path of an object; below the only wheel of the question, which the verdict names.
std::string_view place_in_question(const Report& report, const Object& object) {
  const std::string_view path = object.path;
  const auto archive = path.find("!/");
  const bool of_it = archive != std::string_view::npos && own_targets(report).size() == 1 &&
                     file_name(name_of_question(report)) == file_name(path.substr(0, archive));
  return of_it ? path.substr(archive + 2) : path;
}

void write_finding_lines(const Report& report, TextWriter& text) {
  const TextStyle& style = text.style();
  FindingText findings(report, text);
  for (const Finding& finding : report.findings) {
    if (style.verbosity > 0) {
      findings.tell(finding);
      text.line();
      continue;
    }
    const Object* object = finding.object ? &report.resolution.objects[*finding.object] : nullptr;
    const bool names_file = object == nullptr || finding.message.find(object->path) != std::string::npos;
    text.line(findings.brief(finding) +
              (names_file ? "" : fmt::format("  ({})", escaped(place_in_question(report, *object)))));
  }
  if (const auto command = repair_command(report); !command.empty())
    text.line(text.painted(Tone::label, "maintainer fix:") + ' ' + text.painted(Tone::strong, escaped(command)) +
              "  (--dry-run shows the changes)");
}

class CheckWriter final : public DocumentWriter {
 public:
  explicit CheckWriter(const TextStyle& style) : style_(style) {}

  void add(const Report& report) override {
    Part part{rank_of(report.verdict), "", ""};
    std::ostringstream row, findings;
    TextWriter row_text(style_, row), text(style_, findings);
    const std::string verdict(spoken(report.verdict));
    row_text.line(row_text.painted(tone_of(report.verdict), verdict) + std::string(10 - verdict.size(), ' ') +
                  escaped(report.headline));
    part.row = row.str();
    if (style_.verbosity >= 0 && !report.findings.empty()) {
      text.line();
      text.line(text.painted(Tone::strong, escaped(name_of_question(report))) + ": " + counts_line(report));
      write_finding_lines(report, text);
      part.findings = findings.str();
    }
    parts_.push_back(std::move(part));
  }

  void finish(std::ostream& out) override {
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.rank < b.rank; });
    for (const Part& part : parts_) out << part.row;
    for (const Part& part : parts_) out << part.findings;
  }

 private:
  struct Part {
    int rank{};
    std::string row, findings;
  };
  TextStyle style_;
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<DocumentWriter> make_check_writer(const TextStyle& style) {
  return std::make_unique<CheckWriter>(style);
}

void write_findings(const Report& report, const TextStyle& style, std::ostream& out) {
  TextWriter text(style, out);
  if (style.verbosity < 0) {
    write_verdict(report, text);
    return;
  }
  write_finding_lines(report, text);
  write_verdict(report, text);
  text.line(counts_line(report));
}

}  // namespace cudald
