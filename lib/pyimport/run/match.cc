#include <algorithm>

#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

/// Whether a value is of a built-in type that a pattern names, as `str()`.
std::optional<bool> is_of(const Value& value, std::string_view type) {
  if (value.unknown() || value.is_named() || value.get<ObjectRef>() != nullptr) return std::nullopt;
  if (type == "str") return value.get<std::string>() != nullptr;
  if (type == "int") return value.get<long long>() != nullptr || value.get<bool>() != nullptr;
  if (type == "bool") return value.get<bool>() != nullptr;
  if (type == "dict") return value.get<Dict>() != nullptr;
  return (type == "list" || type == "tuple") && value.get<List>() != nullptr ? std::nullopt : std::optional(false);
}

/// Both, of parts that all must fit.
std::optional<bool> both(std::optional<bool> a, std::optional<bool> b) {
  if (a == false || b == false) return false;
  return a && b ? std::optional(true) : std::nullopt;
}

}  // namespace

/// The first clause that fits runs; where it is not known whether one does, those behind it may run as well.
Flow MatchStatements::run(Frame& frame, const Node& statement) {
  const auto subject = evaluate(python_, frame, statement[0]);
  bool sure = true;
  for (std::size_t i = 1; i < statement.size(); ++i) {
    const auto clause = statement[i];
    auto fits = matches(frame, subject, clause[0]);
    if (fits != false && clause[1].there()) {
      const auto guard = truth(evaluate(python_, frame, clause[1]));
      fits = guard == false ? guard : fits == true ? guard : std::nullopt;
    }
    if (fits == false) continue;
    if (fits == true && sure) return python_.statements.run(frame, clause[2]);
    python_.statements.run_maybe(frame, clause[2]);
    if (fits == true) break;
    sure = false;
  }
  return Flow::next;
}

std::optional<bool> MatchStatements::matches(Frame& frame, const Value& subject, const Node& pattern) {
  const Budget::Descent deeper(python_.calls.nesting());
  if (!deeper) return std::nullopt;
  heap_.work(1 + pattern.size());
  switch (pattern.kind()) {
    case NodeKind::name:
      if (pattern.text() != "_") python_.bindings.assign(frame, pattern.text(), subject);
      return true;
    case NodeKind::literal:
    case NodeKind::number:
    case NodeKind::none:
    case NodeKind::true_:
    case NodeKind::false_:
    case NodeKind::text:
    case NodeKind::attribute: return equal(heap_, subject, evaluate(python_, frame, pattern));
    case NodeKind::operation: {
      std::optional<bool> any = false;
      for (std::size_t i = 0; i < pattern.size(); i += 2) {
        const auto fits = matches(frame, subject, pattern[i]);
        if (fits == true) return true;
        if (!fits) any = std::nullopt;
      }
      return any;
    }
    case NodeKind::named: {
      const auto fits = matches(frame, subject, pattern[1]);
      if (fits != false && pattern[0].there()) python_.bindings.assign(frame, pattern[0].text(), subject);
      return fits;
    }
    case NodeKind::call:
      return pattern.size() == 1 && pattern[0].is(NodeKind::name) ? is_of(subject, pattern[0].text()) : std::nullopt;
    case NodeKind::tuple:
    case NodeKind::list: return matches_sequence(frame, subject, pattern);
    case NodeKind::dict: return matches_mapping(frame, subject, pattern);
    default: return std::nullopt;
  }
}

/// `[one, *others]`
std::optional<bool> MatchStatements::matches_sequence(Frame& frame, const Value& subject, const Node& pattern) {
  const auto* list = subject.get<List>();
  if (list == nullptr) {
    const bool other = subject.get<std::string>() != nullptr || subject.get<Dict>() != nullptr ||
                       subject.get<None>() != nullptr || subject.get<long long>() != nullptr ||
                       subject.get<bool>() != nullptr;
    return other ? std::optional(false) : std::nullopt;
  }
  const auto items = heap_.copy(*list);
  if (items.in_doubt()) return std::nullopt;
  std::size_t star = pattern.size();
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i].is(NodeKind::starred)) star = std::min(star, i);
  const bool has_star = star < pattern.size();
  if (has_star ? items.size() + 1 < pattern.size() : items.size() != pattern.size()) return false;
  const auto taken = items.size() + 1 - pattern.size();  // by the starred one
  std::optional<bool> fits = true;
  for (std::size_t i = 0; i < pattern.size() && fits != false; ++i) {
    if (i != star) {
      fits = both(fits, matches(frame, items[!has_star || i < star ? i : i + taken - 1], pattern[i]));
      continue;
    }
    const auto begin = items.begin() + static_cast<std::ptrdiff_t>(i);
    if (pattern[i][0].is(NodeKind::name) && pattern[i][0].text() != "_")
      python_.bindings.assign(frame, pattern[i][0].text(),
                              heap_.list({begin, begin + static_cast<std::ptrdiff_t>(taken)}));
  }
  return fits;
}

/// `{"key": value, **others}`
std::optional<bool> MatchStatements::matches_mapping(Frame& frame, const Value& subject, const Node& pattern) {
  const auto* dict = subject.get<Dict>();
  if (dict == nullptr) return subject.unknown() ? std::nullopt : is_of(subject, "dict");
  auto left = heap_.copy(*dict);
  std::optional<bool> fits = true;
  for (const auto part : pattern) {
    if (fits == false) break;
    if (part.is(NodeKind::double_starred)) {
      auto others = heap_.dict();
      *others.items = left;
      if (part[0].is(NodeKind::name)) python_.bindings.assign(frame, part[0].text(), others);
      continue;
    }
    if (!part.is(NodeKind::pair)) return std::nullopt;
    const auto key = evaluate(python_, frame, part[0]);
    const auto found = left.find(heap_, key);
    fits = both(fits, found.is_there);
    if (found.pair == nullptr) continue;
    const auto value = found.pair->value;
    left.remove(heap_, key, false);
    fits = both(fits, matches(frame, value, part[1]));
  }
  return fits;
}

}  // namespace cudald::python
