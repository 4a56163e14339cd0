// Regular expressions that are compiled and matched while code is imported: checks of versions take these apart so.
// A pattern is a Named that has its text, a match one that has the pattern and the text that it was found in.
// Source: CPython 3.11 Doc/library/re.rst.
#include "pyimport/values/pattern.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "pyimport/environment/environment_files.h"
#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

using Place = Pattern::Place;

/// "3:a+bcaab" of a match of "a+b" in "caab"; before the number a letter that tells how it was searched.
Value match_value(Place place, const std::string& pattern, const std::string& text) {
  const char letter = place == Place::begin ? 'm' : place == Place::anywhere ? 's' : 'f';
  return Thing(ThingKind::match, letter + std::to_string(pattern.size()) + ":" + pattern + text);
}

/// The text of a pattern, or of one that is compiled.
const std::string* pattern_text(const KnownCall& call) {
  const auto* given = call.argument(0, "pattern");
  if (given == nullptr) return nullptr;
  const auto* compiled = given->thing(ThingKind::pattern);
  return compiled != nullptr ? compiled : given->get<std::string>();
}

/// Blanks of which texts and bytes disagree count as unknown as well.
bool is_plain(Heap& heap, const std::string& text) {
  return is_ascii(heap, text) && text.find_first_of("\x1c\x1d\x1e\x1f") == std::string::npos;
}

/// Where `(?i)` or its like stands behind the start of a pattern. Nothing is said of patterns that have a `#`, and
/// blanks are no part of one: where the flag x holds, both are skipped. Source: CPython 3.11 Lib/re/_parser.py, _parse.
std::optional<std::size_t> late_flags(std::string_view pattern) {
  constexpr std::string_view flags = "aiLmsux";
  if (pattern.find('#') != std::string_view::npos) return std::nullopt;
  bool at_start = true, in_set = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto end = !in_set && pattern.substr(i).starts_with("(?") ? pattern.find_first_not_of(flags, i + 2) : i;
    const bool sets_flags = end != std::string_view::npos && end > i + 2 && pattern[end] == ')';
    if (sets_flags && !at_start) return i;
    at_start = sets_flags || (at_start && std::isspace(static_cast<unsigned char>(pattern[i])) != 0);
    if (sets_flags) {
      i = end;
    } else if (pattern[i] == '\\') {
      ++i;
    } else if (in_set) {
      in_set = pattern[i] != ']';
    } else if (pattern[i] == '[') {
      // A bracket that comes first in a set is one of its characters.
      in_set = true;
      i += pattern.substr(i + 1).starts_with("^") ? 1 : 0;
      i += pattern.substr(i + 1).starts_with("]") ? 1 : 0;
    }
  }
  return std::nullopt;
}

/// Since Python 3.11 flags of the whole pattern stand at its start. Source: CPython 3.11 Doc/whatsnew, re.
void refuse_late_flags(const KnownCall& call) {
  constexpr int first_that_refuses = 11, first_with_the_new_name = 13;
  const auto& version = call.python.environment.version;
  const auto* pattern = call.argument(0, "pattern");
  const auto* text = pattern == nullptr ? nullptr : pattern->get<std::string>();
  if (text == nullptr || !version.starts_with("3.") || minor_of(version) < first_that_refuses) return;
  const auto place = late_flags(*text);
  if (!place) return;
  PythonError error{minor_of(version) < first_with_the_new_name ? "error" : "PatternError",
                    "global flags not at the start of the expression at position " + std::to_string(*place)};
  if (text->find('\n') != std::string::npos) {
    const auto before = std::string_view(*text).substr(0, *place);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const auto column = before.size() - (before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1) + 1;
    error.message += " (line " + std::to_string(line) + ", column " + std::to_string(column) + ")";
  }
  error.type = "re." + error.kind;
  error.bases = {"error", "PatternError", "Exception"};
  call.python.doubt.raise_if_certain(call.frame, std::move(error));
}

Value compile(const KnownCall& call) {
  refuse_late_flags(call);
  const auto* text = call.arguments.size() == 1 ? pattern_text(call) : nullptr;
  if (text == nullptr || !Pattern::parse(*text, call.python.heap)) return Unknown{};
  return Thing(ThingKind::pattern, *text);
}

Value match_at(const KnownCall& call, Place place) {
  refuse_late_flags(call);
  auto& heap = call.python.heap;
  const auto *pattern = pattern_text(call), *text = call.text(1, "string");
  if (pattern == nullptr || text == nullptr || call.arguments.size() != 2 || !is_plain(heap, *text)) return Unknown{};
  const auto parsed = Pattern::parse(*pattern, heap);
  const auto found = parsed ? parsed->match(*text, 0, place, heap) : std::nullopt;
  if (!found) return Unknown{};
  return found->empty() ? Value(None{}) : match_value(place, *pattern, *text);
}
Value match(const KnownCall& call) { return match_at(call, Place::begin); }
Value search(const KnownCall& call) { return match_at(call, Place::anywhere); }
Value full_match(const KnownCall& call) { return match_at(call, Place::whole); }

/// All matches, one behind the other: the whole ones, those of the only group, or a tuple of groups for each.
Value find_all(const KnownCall& call) {
  refuse_late_flags(call);
  auto& heap = call.python.heap;
  const auto *pattern = pattern_text(call), *text = call.text(1, "string");
  if (pattern == nullptr || text == nullptr || call.arguments.size() != 2 || !is_plain(heap, *text)) return Unknown{};
  const auto parsed = Pattern::parse(*pattern, heap);
  std::vector<Value> all;
  for (std::size_t from = 0; parsed;) {
    const auto found = parsed->match(*text, from, Place::anywhere, heap);
    if (!found || all.size() >= max_length) return Unknown{};
    if (found->empty()) return heap.list(std::move(all));
    if (found->front()->second == found->front()->first) return Unknown{};  // where the next one begins is intricate
    std::vector<Value> groups;
    for (std::size_t i = parsed->groups() == 0 ? 0 : 1; i < found->size(); ++i) {
      const auto& group = (*found)[i];
      groups.emplace_back(group ? text->substr(group->first, group->second - group->first) : std::string());
    }
    all.push_back(groups.size() == 1 ? groups[0] : heap.list(std::move(groups)));
    heap.keep(all.back());
    from = found->front()->second;
  }
  return Unknown{};
}

/// A match, found once more.
struct Match {
  Pattern pattern;
  std::string text;
  Pattern::Groups groups;

  Value value(std::size_t number, const Value& otherwise) const {
    const auto& group = groups[number];
    return group ? Value(text.substr(group->first, group->second - group->first)) : otherwise;
  }
  /// Of a number or a name.
  std::optional<std::size_t> number_of(const Value& given) const {
    if (const auto* number = given.get<long long>())
      return *number >= 0 && *number < static_cast<long long>(groups.size()) ? std::optional<std::size_t>(*number)
                                                                             : std::nullopt;
    const auto* wanted = given.get<std::string>();
    for (const auto& [name, number] : pattern.names())
      if (wanted != nullptr && name == *wanted) return number;
    return std::nullopt;
  }
};

/// The match that a method is of, which comes first.
std::optional<Match> match_of(const KnownCall& call) {
  const auto* given = call.text(0);
  if (given == nullptr || given->empty()) return std::nullopt;
  const std::string_view packed = *given;
  auto& heap = call.python.heap;
  const auto place = packed[0] == 'm' ? Place::begin : packed[0] == 's' ? Place::anywhere : Place::whole;
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(packed.data() + 1, packed.data() + packed.size(), size);
  const auto begin = static_cast<std::size_t>(end - packed.data()) + 1;
  if (error != std::errc() || begin + size > packed.size()) return std::nullopt;
  auto pattern = Pattern::parse(packed.substr(begin, size), heap);
  const auto text = packed.substr(begin + size);
  auto groups = pattern ? pattern->match(text, 0, place, heap) : std::nullopt;
  if (!groups || groups->empty()) return std::nullopt;
  return Match{std::move(*pattern), std::string(text), std::move(*groups)};
}

Value group(const KnownCall& call) {
  const auto found = match_of(call);
  if (!found) return Unknown{};
  std::vector<Value> values;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const auto number = found->number_of(call.arguments[i].value);
    if (!number) return Unknown{};
    values.push_back(found->value(*number, None{}));
  }
  if (values.empty()) return found->value(0, None{});
  return values.size() == 1 ? values[0] : call.python.heap.list(std::move(values));
}

Value groups(const KnownCall& call) {
  const auto found = match_of(call);
  if (!found) return Unknown{};
  const auto* given = call.argument(1, "default");
  std::vector<Value> values;
  for (std::size_t i = 1; i < found->groups.size(); ++i)
    values.push_back(found->value(i, given == nullptr ? Value(None{}) : *given));
  return call.python.heap.list(std::move(values));
}

Value group_dictionary(const KnownCall& call) {
  const auto found = match_of(call);
  if (!found) return Unknown{};
  const auto* given = call.argument(1, "default");
  auto& heap = call.python.heap;
  auto dict = heap.dict();
  for (const auto& [name, number] : found->pattern.names())
    dict.items->put(heap, name, found->value(number, given == nullptr ? Value(None{}) : *given), false);
  return dict;
}

Value border(const KnownCall& call, bool at_end) {
  const auto found = match_of(call);
  const auto* given = call.argument(1);
  const auto number = found ? found->number_of(given == nullptr ? Value(0LL) : *given) : std::nullopt;
  if (!number) return Unknown{};
  const auto& group = found->groups[*number];
  return group ? static_cast<long long>(at_end ? group->second : group->first) : -1LL;
}
Value begin_of(const KnownCall& call) { return border(call, false); }
Value end_of(const KnownCall& call) { return border(call, true); }

/// Source: CPython 3.7 Lib/re.py, _special_chars_map; older releases put a backslash before more.
Value escape_text(const KnownCall& call) {
  constexpr std::string_view special = "()[]{}?*+-|^$\\.&~# \t\n\r\v\f";
  constexpr int first_that_escapes_these = 7;
  const auto& version = call.python.environment.version;
  const auto* text = call.text(0, "pattern");
  if (text == nullptr || !version.starts_with("3.") || minor_of(version) < first_that_escapes_these) return Unknown{};
  std::string escaped;
  for (const char c : *text) {
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// What is made of the matches is not known; that the pattern is refused is.
Value use(const KnownCall& call) {
  refuse_late_flags(call);
  return call.python.escapes.opaque_call(call.arguments);
}

constexpr KnownFunction pattern_rows[] = {{"re.compile", compile},
                                          {"re.escape", escape_text},
                                          {"re.match", match},
                                          {"re.search", search},
                                          {"re.fullmatch", full_match},
                                          {"re.findall", find_all},
                                          {"re.Pattern.findall", find_all},
                                          {"re.sub", use},
                                          {"re.subn", use},
                                          {"re.split", use},
                                          {"re.finditer", use},
                                          {"re.Pattern.match", match},
                                          {"re.Pattern.search", search},
                                          {"re.Pattern.fullmatch", full_match},
                                          {"re.Match.group", group},
                                          {"re.Match.groups", groups},
                                          {"re.Match.groupdict", group_dictionary},
                                          {"re.Match.start", begin_of},
                                          {"re.Match.end", end_of}};

}  // namespace

std::span<const KnownFunction> known_patterns() { return pattern_rows; }

Value pattern_attribute(Heap& heap, const Thing& owner, std::string_view name) {
  const bool pattern = owner.kind == ThingKind::pattern;
  if (pattern && name == "pattern") return *owner.text;
  auto method = std::string(pattern ? "re.Pattern." : "re.Match.") + std::string(name);
  return is_known_function(method) ? partial(heap, std::move(method), *owner.text) : Value();
}

}  // namespace cudald::python
