#include "report/views/diff.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/json/json_text.h"
#include "report/text/text.h"

namespace cudald {
namespace {

/// Long lists are cut for people; JSON has them whole.
constexpr std::size_t most_values = 12;

void tell_values(char mark, Tone tone, const std::vector<std::string>& values, TextWriter& text) {
  const auto shown = text.style().verbosity > 0 ? values.size() : std::min(values.size(), most_values);
  for (std::size_t i = 0; i < shown; ++i) text.paragraph(fmt::format("{} {}", mark, escaped(values[i])), 4, tone);
  if (shown < values.size()) text.paragraph(fmt::format("{} and {} more (-v)", mark, values.size() - shown), 4, tone);
}

/// Changes that are alike, of several parts.
struct Group {
  const Change* change = nullptr;
  std::vector<std::string> subjects;
};

bool is_alike(const Change& a, const Change& b) {
  return a.what != "part" && a.what == b.what && a.removed == b.removed && a.added == b.added;
}

/// What is alike in three parts or more is one group, where the first of them stands; with -v each part is by itself.
std::vector<Group> groups_of(const std::vector<Change>& changes, bool apart) {
  constexpr std::ptrdiff_t fewest = 3;
  std::vector<Group> groups;
  for (const auto& change : changes) {
    const auto alike = [&change](const Change& other) { return is_alike(change, other); };
    const bool folded = !apart && std::count_if(changes.begin(), changes.end(), alike) >= fewest;
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const Group& group) { return folded && alike(*group.change); });
    if (same == groups.end())
      groups.push_back({&change, {change.subject}});
    else
      same->subjects.push_back(change.subject);
  }
  return groups;
}

/// "a.so", "a.so, b.so", "12 parts: a.so, b.so and 10 more".
std::string heading(const std::vector<std::string>& subjects) {
  constexpr std::size_t most_named = 2;
  std::string names;
  for (std::size_t i = 0; i < std::min(subjects.size(), most_named); ++i)
    names += (i == 0 ? "" : ", ") + (subjects[i].empty() ? std::string("the whole") : escaped(subjects[i]));
  if (subjects.size() <= most_named) return names;
  return fmt::format("{}: {} and {} more (-v)", counted(subjects.size(), "part"), names, subjects.size() - most_named);
}

}  // namespace

void write_diff(const std::string& a, const std::string& b, const std::vector<Change>& changes, const TextStyle& style,
                std::ostream& out) {
  TextWriter text(style, out);
  const auto what = changes.empty() ? "the same for the loader" : counted(changes.size(), "difference");
  text.line(text.painted(Tone::strong, fmt::format("{}: {} and {}", what, escaped(a), escaped(b))));
  if (style.verbosity < 0) return;
  std::string told;
  for (const auto& [group, subjects] : groups_of(changes, style.verbosity > 0)) {
    const auto& change = *group;
    if (change.what == "part") {
      tell_values('-', Tone::bad, change.removed, text);
      tell_values('+', Tone::good, change.added, text);
      continue;
    }
    const auto head = subjects == std::vector<std::string>{""} ? std::string() : heading(subjects);
    if (head != told) text.line(head);
    told = head;
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
