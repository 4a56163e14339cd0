#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "base/path.h"
#include "report/ci/markup.h"
#include "report/text/place.h"
#include "report/text/summary.h"

namespace cudald {
namespace {

/// All that is said of a finding, as plain text in several lines.
std::string body_of(const Report& report, const Finding& finding) {
  const auto place = place_of(report, finding);
  std::string text = xml_text(finding.message);
  const auto add = [&text](std::string_view label, const std::string& words) {
    if (!words.empty()) text += fmt::format("\n{}: {}", label, xml_text(words));
  };
  add("in", place.object);
  add("result", finding.consequence);
  for (const auto& evidence : finding.evidence) add("because", evidence.text);
  for (const auto& fix : finding.fixes) {
    add("fix", fix.title);
    for (const auto line : split(fix.command, "\n")) add("  command", std::string(line));
  }
  return text;
}

class JunitWriter final : public DocumentWriter {
 public:
  explicit JunitWriter(std::optional<Level> fail_on) : fail_on_(fail_on) {}

  void add(const Report& report) override {
    std::string cases = verdict_case(report);
    std::size_t tests = 1, failures = 0;
    const std::size_t errors = report.verdict == Verdict::unknown ? 1 : 0;
    // Only rules with a finding: a case for each rule of the catalogue would be noise.
    for (const auto& rule : finding_catalogue()) {
      if (std::none_of(report.findings.begin(), report.findings.end(),
                       [&rule](const Finding& finding) { return finding.code == rule.code; }))
        continue;
      ++tests;
      bool failed = false;
      cases += rule_case(report, rule, failed);
      failures += failed ? 1 : 0;
    }
    suites_ += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"0\">\n{}  "
        "</testsuite>\n",
        xml_text(name_of_question(report)), tests, failures, errors, cases);
    tests_ += tests;
    failures_ += failures;
    errors_ += errors;
  }

  void finish(std::ostream& out) override {
    out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        << fmt::format("<testsuites name=\"cudald\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"0\">\n", tests_,
                       failures_, errors_)
        << suites_ << "</testsuites>\n";
  }

 private:
  static std::string verdict_case(const Report& report) {
    const auto line = fmt::format("{}  {}", spoken(report.verdict), xml_text(report.headline));
    const auto head = fmt::format("    <testcase classname=\"{}\" name=\"verdict\" time=\"0\">\n",
                                  xml_text(name_of_question(report)));
    const auto fault = report.verdict == Verdict::unknown
                           ? fmt::format("      <error type=\"unknown\" message=\"{}\"/>\n", line)
                           : std::string();
    return head + fault + fmt::format("      <system-out>{}</system-out>\n    </testcase>\n", line);
  }

  std::string rule_case(const Report& report, const FindingRule& rule, bool& failed) const {
    std::string text, first;
    for (const auto& finding : report.findings) {
      if (finding.code != rule.code) continue;
      if (first.empty()) first = xml_text(finding.message);
      failed |= fail_on_ && finding.level <= *fail_on_;
      text += fmt::format("{}{}[{}] {}", text.empty() ? "" : "\n\n", to_string(finding.level), finding.code,
                          body_of(report, finding));
    }
    const auto head = fmt::format("    <testcase classname=\"{}\" name=\"{} {}\" time=\"0\"",
                                  xml_text(name_of_question(report)), rule.code, rule.name);
    if (text.empty()) return head + "/>\n";
    const auto body =
        failed ? fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", rule.code, first, text)
               : fmt::format("      <system-out>{}</system-out>\n", text);
    return head + ">\n" + body + "    </testcase>\n";
  }

  std::optional<Level> fail_on_;
  std::string suites_;
  std::size_t tests_ = 0, failures_ = 0, errors_ = 0;
};

}  // namespace

std::unique_ptr<DocumentWriter> make_junit_writer(std::optional<Level> fail_on) {
  return std::make_unique<JunitWriter>(fail_on);
}

}  // namespace cudald
