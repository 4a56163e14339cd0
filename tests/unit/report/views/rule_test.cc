// The pages of findings, as `cudald rules` shows them.

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "common/example_report.h"

namespace cudald {
namespace {

std::string rule_page(const FindingRule* rule) {
  auto style = plain_style();
  style.width = 40;
  return written([&](std::ostream& out) { write_rule(rule, style, out); });
}

FindingRule made_rule() {
  FindingRule rule = *finding_catalogue().begin();
  rule.code = "CUD999";
  rule.name = "made-up";
  rule.level = Level::warning;
  rule.summary = "A summary of more words than one line has.";
  rule.explanation = "One sentence\nin two lines.\nSource: a manual.";
  rule.example = "It is run:\n    cudald check x\n\nand then again.";
  rule.remedy = "Nothing.";
  return rule;
}

TEST_CASE("a page of a finding wraps what is running text, and leaves examples as they are") {
  const auto rule = made_rule();
  CHECK(rule_page(&rule) ==
        "warning[CUD999] made-up\n"
        "A summary of more words than one line\n"
        "has.\n"
        "\n"
        "why\n"
        "  One sentence in two lines.\n"
        "  Source: a manual.\n"
        "\n"
        "example\n"
        "  It is run:\n"
        "      cudald check x\n"
        "\n"
        "  and then again.\n"
        "\n"
        "what helps\n"
        "  Nothing.\n");
}

TEST_CASE("the list of findings has a line for each, the summaries below one another") {
  const auto list = rule_page(nullptr);
  std::size_t at = 0;
  for (const auto& rule : finding_catalogue()) {
    const auto line = list.substr(at, list.find('\n', at) - at);
    CAPTURE(line);
    const std::string code(rule.code), name(rule.name), summary(rule.summary);
    CHECK(line.starts_with(code + "  " + name + " "));
    CHECK(line.ends_with(" " + summary));
    CHECK(line.size() - summary.size() == code.size() + 2 + 33);
    at += line.size() + 1;
  }
  CHECK(at == list.size());
}

TEST_CASE("the document has all that a page says") {
  const auto rule = made_rule();
  const auto text = written([&](std::ostream& out) { write_rules_json({&rule}, true, out); });
  CHECK(nlohmann::json::parse(text) == nlohmann::json::parse(R"({"schema": "cudald/rules", "schema_version": "1.0",
      "rules": [{"code": "CUD999", "name": "made-up", "level": "warning",
                 "summary": "A summary of more words than one line has.",
                 "explanation": "One sentence\nin two lines.\nSource: a manual.",
                 "example": "It is run:\n    cudald check x\n\nand then again.", "remedy": "Nothing."}]})"));
  CHECK(text.find('\n') == text.size() - 1);
}

}  // namespace
}  // namespace cudald
