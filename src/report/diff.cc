#include "report/diff.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/json_text.h"
#include "report/text.h"

namespace cudald {
namespace {

/// Long lists are cut for people; JSON has them whole.
constexpr std::size_t most_values = 12;

void tell_values(char mark, Tone tone, const std::vector<std::string>& values, TextWriter& text) {
  const auto shown = text.style().verbosity > 0 ? values.size() : std::min(values.size(), most_values);
  for (std::size_t i = 0; i < shown; ++i) text.paragraph(fmt::format("{} {}", mark, escaped(values[i])), 4, tone);
  if (shown < values.size()) text.paragraph(fmt::format("{} and {} more (-v)", mark, values.size() - shown), 4, tone);
}

}  // namespace

void write_diff(const std::string& a, const std::string& b, const std::vector<Change>& changes, const TextStyle& style,
                std::ostream& out) {
  TextWriter text(style, out);
  const auto what = changes.empty() ? "the same for the loader" : counted(changes.size(), "difference");
  text.line(text.painted(Tone::strong, fmt::format("{}: {} and {}", what, escaped(a), escaped(b))));
  if (style.verbosity < 0) return;
  std::string subject;
  for (const auto& change : changes) {
    if (change.what == "part") {
      tell_values('-', Tone::bad, change.removed, text);
      tell_values('+', Tone::good, change.added, text);
      continue;
    }
    if (change.subject != subject) text.line(escaped(change.subject));
    subject = change.subject;
    text.line("  " + change.what);
    tell_values('-', Tone::bad, change.removed, text);
    tell_values('+', Tone::good, change.added, text);
  }
}

void write_diff_json(const std::string& a, const std::string& b, const std::vector<Change>& changes, bool compact,
                     std::ostream& out) {
  const auto change_json = [](const Change& change) {
    return JsonObject(4)
        .add("subject", json_text_or_null(change.subject))
        .add("what", json_text(change.what))
        .add("removed", json_texts(change.removed))
        .add("added", json_texts(change.added))
        .take();
  };
  write_document(JsonObject(6)
                     .add("schema", "cudald/diff")
                     .add("schema_version", "1.0")
                     .add("a", json_text(a))
                     .add("b", json_text(b))
                     .add("same", changes.empty())
                     .add("changes", json_array(changes, change_json))
                     .take(),
                 compact, out);
}

}  // namespace cudald
