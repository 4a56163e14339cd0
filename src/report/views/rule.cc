#include <fmt/format.h>

#include <cudald/writers.h>

#include "base/path.h"
#include "report/json/json_text.h"
#include "report/text/text.h"

namespace cudald {
namespace {

void write_section(std::string_view title, std::string_view body, TextWriter& text) {
  text.line();
  text.line(text.painted(Tone::label, title));
  // Indented lines are examples and stay as they are; the others are running text.
  std::string running;
  const auto flush = [&] {
    if (!running.empty()) text.paragraph(running, 2);
    running.clear();
  };
  for (const std::string_view line : split(body, "\n")) {
    if (line.empty() || line.starts_with(' ')) {
      flush();
      text.line(line.empty() ? std::string() : fmt::format("  {}", line));
    } else {
      if (line.starts_with("Source: ")) flush();
      if (!running.empty()) running += ' ';
      running += line;
    }
  }
  flush();
}

}  // namespace

void write_rule(const FindingRule* rule, const TextStyle& style, std::ostream& out) {
  TextWriter text(style, out);
  if (rule == nullptr) {
    for (const FindingRule& each : finding_catalogue())
      text.line(fmt::format("{}  {}{}{}", text.painted(tone_of(each.level), each.code),
                            text.painted(Tone::strong, each.name),
                            std::string(each.name.size() < 33 ? 33 - each.name.size() : 1, ' '), each.summary));
    return;
  }
  text.line(fmt::format("{} {}",
                        text.painted(tone_of(rule->level), fmt::format("{}[{}]", to_string(rule->level), rule->code)),
                        text.painted(Tone::strong, rule->name)));
  text.paragraph(rule->summary);
  write_section("why", rule->explanation, text);
  write_section("example", rule->example, text);
  write_section("what helps", rule->remedy, text);
}

void write_rules_json(const std::vector<const FindingRule*>& rules, bool compact, std::ostream& out) {
  const auto rule_json = [](const FindingRule* rule) {
    return JsonObject(7)
        .add("code", rule->code)
        .add("name", rule->name)
        .add("level", to_string(rule->level))
        .add("summary", rule->summary)
        .add("explanation", rule->explanation)
        .add("example", rule->example)
        .add("remedy", rule->remedy)
        .take();
  };
  write_document(JsonObject(3)
                     .add("schema", "cudald/rules")
                     .add("schema_version", "1.0")
                     .add("rules", json_array(rules, rule_json))
                     .take(),
                 compact, out);
}

}  // namespace cudald
