#include "report/views/repair.h"

#include <fmt/format.h>

#include "base/path.h"
#include "base/size_words.h"
#include "report/json/json_text.h"
#include "report/text/summary.h"
#include "report/text/text.h"

namespace cudald {
namespace {

void tell_verdict(const char* label, Verdict verdict, const std::string& headline, TextWriter& text) {
  text.labelled(label, fmt::format("{}  {}", text.painted(tone_of(verdict), spoken(verdict)), escaped(headline)));
}

std::string value_or_none(const std::string& value) { return value.empty() ? "(none)" : escaped(value); }

void tell_changes(const RepairedTarget& target, TextWriter& text) {
  const auto* arrow = text.style().ascii ? "->" : "→";
  std::string file;
  for (const auto& change : target.changes) {
    if (change.file != file) text.line("  " + escaped(change.file));
    file = change.file;
    const std::size_t indent = file.empty() ? 2 : 4;
    if (change.what == "Requires-Dist")
      text.line(fmt::format("{:{}}+ {}: {}", "", indent, change.what, escaped(change.after)));
    else
      text.labelled(change.what,
                    fmt::format("{} {} {}", value_or_none(change.before), arrow, value_or_none(change.after)), indent);
  }
  if (target.changes.empty()) text.line("  nothing to change");
}

void tell_result(const RepairedTarget& target, TextWriter& text) {
  if (target.error)
    text.labelled("refused", escaped(target.error->message));
  else if (!target.refusal.empty())
    text.labelled("not written", escaped(target.refusal));
  else
    text.labelled(target.is_written ? "written" : "dry run",
                  escaped(target.made) + (target.growth == 0 ? "" : fmt::format("  (+{})", size_words(target.growth))));
}

void tell(const RepairedTarget& target, TextWriter& text) {
  text.line(text.painted(Tone::strong, "repair  " + escaped(target.given)));
  if (!target.error && text.style().verbosity >= 0) {
    tell_verdict("before", target.before, target.before_headline, text);
    tell_changes(target, text);
    if (!target.changes.empty()) tell_verdict("after", target.after, target.after_headline, text);
    for (const auto& warning : target.warnings) text.labelled("warning", escaped(warning));
    for (const auto& other : target.elsewhere) text.labelled("elsewhere", escaped(other));
  }
  tell_result(target, text);
}

Json change_json(const RepairChange& change) {
  return JsonObject(4)
      .add("file", json_text_or_null(change.file))
      .add("what", json_text(change.what))
      .add("before", json_text_or_null(change.before))
      .add("after", json_text_or_null(change.after))
      .take();
}

Json state_json(Verdict verdict, const std::string& headline) {
  return JsonObject(2).add("verdict", json_text(to_string(verdict))).add("headline", json_text(headline)).take();
}

Json target_json(const RepairedTarget& target) {
  const auto state = [&](Verdict verdict, const std::string& headline) {
    return target.error ? Json() : state_json(verdict, headline);
  };
  return JsonObject(11)
      .add("given", json_text(target.given))
      .add("made", json_text_or_null(target.made))
      .add("written", target.is_written)
      .add("growth", target.growth)
      .add("before", state(target.before, target.before_headline))
      .add("after", state(target.after, target.after_headline))
      .add("changes", json_array(target.changes, change_json))
      .add("warnings", json_texts(target.warnings))
      .add("elsewhere", json_texts(target.elsewhere))
      .add("refusal", json_text_or_null(target.refusal))
      .add("error", json_text_or_null(target.error ? target.error->message : ""))
      .take();
}

}  // namespace

void write_repair(const std::vector<RepairedTarget>& targets, const TextStyle& style, std::ostream& out) {
  TextWriter text(style, out);
  bool first = true;
  for (const auto& target : targets) {
    if (!std::exchange(first, false)) text.line();
    tell(target, text);
  }
}

void write_repair_json(const std::vector<RepairedTarget>& targets, bool compact, std::ostream& out) {
  write_document(JsonObject(3)
                     .add("schema", "cudald/repair")
                     .add("schema_version", "1.0")
                     .add("targets", json_array(targets, target_json))
                     .take(),
                 compact, out);
}

}  // namespace cudald
