#include <algorithm>
#include <cctype>

#include "base/path.h"
#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

const std::string& text_of(const Value& self) { return *self.get<std::string>(); }

Value has_affix(const KnownCall& call, const std::string& text, bool at_front) {
  if (call.arguments.size() != 1) return Unknown{};  // of a part of the text
  call.python.heap.look_at(text.size());
  const auto fits = [&](const std::string& part) { return at_front ? text.starts_with(part) : text.ends_with(part); };
  if (const auto* word = call.text(0)) return fits(*word);
  const auto words = call.items(0);
  if (!words || has(words->doubt, ListDoubt::may_lack)) return Unknown{};
  for (const auto& one : *words) {
    const auto* part = one.get<std::string>();
    if (part == nullptr) return Unknown{};
    if (fits(*part)) return true;
  }
  return words->in_doubt() ? Value() : Value(false);
}
Value starts_with(const KnownCall& call, const Value& self) { return has_affix(call, text_of(self), true); }
Value ends_with(const KnownCall& call, const Value& self) { return has_affix(call, text_of(self), false); }

Value without_prefix(const KnownCall& call, const Value& self) {
  const auto* part = call.text(0);
  if (part == nullptr) return Unknown{};
  return text_of(self).starts_with(*part) ? text_of(self).substr(part->size()) : text_of(self);
}

Value without_suffix(const KnownCall& call, const Value& self) {
  const auto* part = call.text(0);
  if (part == nullptr) return Unknown{};
  return text_of(self).ends_with(*part) ? text_of(self).substr(0, text_of(self).size() - part->size()) : text_of(self);
}

Value with_case(const KnownCall& call, const Value& self, int (*change)(int)) {
  auto changed = text_of(self);
  if (!is_ascii(call.python.heap, changed)) return Unknown{};
  for (char& c : changed) c = static_cast<char>(change(c));
  return changed;
}
Value lower(const KnownCall& call, const Value& self) { return with_case(call, self, std::tolower); }
Value upper(const KnownCall& call, const Value& self) { return with_case(call, self, std::toupper); }

Value strip(const KnownCall& call, const Value& self, bool front, bool back) {
  constexpr std::string_view blanks = " \t\r\n\f\v";
  const auto* given = call.text(0);
  if (given == nullptr && !call.arguments.empty()) return Unknown{};
  const std::string_view unwanted = given == nullptr ? blanks : std::string_view(*given);
  std::string_view text = text_of(self);
  if (front) text.remove_prefix(std::min(text.find_first_not_of(unwanted), text.size()));
  if (back) text.remove_suffix(text.size() - (text.find_last_not_of(unwanted) + 1));
  return std::string(text);
}
Value strip_both(const KnownCall& call, const Value& self) { return strip(call, self, true, true); }
Value strip_front(const KnownCall& call, const Value& self) { return strip(call, self, true, false); }
Value strip_back(const KnownCall& call, const Value& self) { return strip(call, self, false, true); }

Value as_list(const KnownCall& call, const std::vector<std::string_view>& parts) {
  call.python.heap.keep(parts.size() * sizeof(std::string_view));
  std::vector<Value> values;
  values.reserve(parts.size());
  for (const auto part : parts) values.emplace_back(std::string(part));
  return call.python.heap.list(std::move(values));
}

/// Where to cut: from the left or the right, at most `most` times.
std::vector<std::string_view> cut(std::string_view text, std::string_view by, std::size_t most, bool from_right) {
  std::vector<std::string_view> parts;
  while (parts.size() < most) {
    const auto at = from_right ? text.rfind(by) : text.find(by);
    if (at == std::string_view::npos) break;
    parts.push_back(from_right ? text.substr(at + by.size()) : text.substr(0, at));
    text = from_right ? text.substr(0, at) : text.substr(at + by.size());
  }
  parts.push_back(text);
  if (from_right) std::reverse(parts.begin(), parts.end());
  return parts;
}

Value split_at(const KnownCall& call, const Value& self, bool from_right) {
  const auto& text = text_of(self);
  call.python.heap.look_at(text.size());
  const auto* by = call.argument(0, "sep");
  if (by == nullptr || by->get<None>() != nullptr) {
    std::vector<std::string_view> words;
    for (const auto part : cudald::split(text, " \t\r\n\f\v"))
      if (!part.empty()) words.push_back(part);
    return call.argument(1, "maxsplit") == nullptr ? as_list(call, words) : Value();
  }
  const auto* word = by->get<std::string>();
  const auto* most = call.argument(1, "maxsplit");
  const auto* number = most == nullptr ? nullptr : most->get<long long>();
  if (word == nullptr || word->empty() || (most != nullptr && number == nullptr)) return Unknown{};
  const auto times = number == nullptr || *number < 0 ? max_length : static_cast<std::size_t>(*number);
  return as_list(call, cut(text, *word, times, from_right));
}
Value split(const KnownCall& call, const Value& self) { return split_at(call, self, false); }
Value split_right(const KnownCall& call, const Value& self) { return split_at(call, self, true); }

Value split_lines(const KnownCall& call, const Value& self) {
  auto lines = cudald::split(text_of(self), "\n");
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (auto& line : lines)
    if (line.ends_with('\r')) line.remove_suffix(1);
  return as_list(call, lines);
}

Value partition(const KnownCall& call, const Value& self, bool from_right) {
  const auto* by = call.text(0);
  if (by == nullptr || by->empty()) return Unknown{};
  const auto parts = cut(text_of(self), *by, 1, from_right);
  if (parts.size() == 2) return as_list(call, {parts[0], *by, parts[1]});
  return from_right ? as_list(call, {"", "", parts[0]}) : as_list(call, {parts[0], "", ""});
}
Value partition_left(const KnownCall& call, const Value& self) { return partition(call, self, false); }
Value partition_right(const KnownCall& call, const Value& self) { return partition(call, self, true); }

Value replace(const KnownCall& call, const Value& self) {
  const auto *word = call.text(0), *with = call.text(1);
  const auto* count = call.argument(2, "count");
  const auto* number = count == nullptr ? nullptr : count->get<long long>();
  if (word == nullptr || word->empty() || with == nullptr || (count != nullptr && number == nullptr)) return Unknown{};
  call.python.heap.look_at(max_length);
  const auto& text = text_of(self);
  auto left = number == nullptr ? -1LL : std::max(*number, -1LL);  // below 0: all
  std::string changed;
  std::size_t from = 0;
  for (auto at = text.find(*word); left != 0 && at != std::string::npos; at = text.find(*word, from), --left) {
    changed.append(text, from, at - from).append(*with);
    if (changed.size() > max_length) return Unknown{};
    from = at + word->size();
  }
  return changed.append(text, from);
}

Value join(const KnownCall& call, const Value& self) {
  const auto items = call.items(0);
  if (!items || items->in_doubt()) return Unknown{};
  call.python.heap.look_at(max_length);
  std::string joined;
  for (const auto& item : *items) {
    const auto* part = item.get<std::string>();
    if (part == nullptr) return Unknown{};
    if (&item != items->data()) joined += text_of(self);
    joined += *part;
    if (joined.size() > max_length) return Unknown{};
  }
  return joined;
}

/// The value of a field of str.format; null if it is not known.
const Value* field_value(const KnownCall& call, const std::string& field, std::size_t& next) {
  const bool numbered = field.empty() || field.find_first_not_of("0123456789") == std::string::npos;
  call.python.heap.work(call.arguments.size());
  if (field.empty()) return call.argument(next++);
  if (numbered) return field.size() < 4 ? call.argument(static_cast<std::size_t>(std::atoi(field.c_str()))) : nullptr;
  return call.argument(max_length, field);
}

Value format(const KnownCall& call, const Value& self) {
  const auto& text = text_of(self);
  call.python.heap.look_at(max_length);
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] == '{' || text[i] == '}') && i + 1 < text.size() && text[i + 1] == text[i]) {
      result += text[i++];
      continue;
    }
    if (text[i] == '}') return Unknown{};  // an error
    if (text[i] != '{') {
      result += text[i];
      continue;
    }
    const auto end = text.find('}', i);
    if (end == std::string::npos) return Unknown{};
    const auto field = text.substr(i + 1, end - i - 1);
    const auto parts = cudald::split(field, ".");
    const auto* given = field_value(call, parts.empty() ? "" : std::string(parts.front()), next);
    if (given == nullptr) return Unknown{};
    auto value = *given;
    for (std::size_t k = 1; k < parts.size(); ++k) value = call.python.bindings.attribute(call.frame, value, parts[k]);
    if (const auto* part = value.get<std::string>())
      result += *part;
    else if (const auto* number = value.get<long long>())
      result += std::to_string(*number);
    else
      return Unknown{};
    if (result.size() > max_length) return Unknown{};
    i = end;
  }
  return result;
}

/// A codec is a module.
Value recode(const KnownCall& call, const Value& self) {
  const auto* codec = call.text(0, "encoding");
  if (codec != nullptr) call.python.importer.import_codec(call.frame, *codec);
  return self;
}

Value is_number(const KnownCall&, const Value& self) {
  return !text_of(self).empty() && text_of(self).find_first_not_of("0123456789") == std::string::npos;
}

Value find(const KnownCall& call, const Value& self) {
  const auto* part = call.text(0);
  if (part == nullptr || call.arguments.size() > 1 || !is_ascii(call.python.heap, text_of(self))) return Unknown{};
  const auto at = text_of(self).find(*part);
  return at == std::string::npos ? -1LL : static_cast<long long>(at);
}

constexpr KnownMethod known_text_methods[] = {
    {"startswith", starts_with},
    {"endswith", ends_with},
    {"removeprefix", without_prefix},
    {"lower", lower},
    {"removesuffix", without_suffix},
    {"upper", upper},
    {"casefold", lower},
    {"strip", strip_both},
    {"lstrip", strip_front},
    {"rstrip", strip_back},
    {"split", split},
    {"rsplit", split_right},
    {"splitlines", split_lines},
    {"partition", partition_left},
    {"rpartition", partition_right},
    {"replace", replace},
    {"join", join},
    {"format", format},
    {"encode", recode},
    {"decode", recode},
    {"isdigit", is_number},
    {"find", find},
};

}  // namespace

std::span<const KnownMethod> text_methods() { return known_text_methods; }

}  // namespace cudald::python
