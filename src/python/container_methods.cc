#include <algorithm>

#include "python/known_functions.h"

namespace cudald::python {
namespace {

ListItems& items_of(const Value& self) { return *self.get<List>()->items; }

void doubt(const Value& self, ListDoubt how) { items_of(self).take_doubt(how); }

Dict::Items& pairs_of(const Value& self) { return *self.get<Dict>()->items; }

/// What is changed behind an unknown condition is left as it is, in doubt.
Value append(const KnownCall& call, const Value& self) {
  if (call.frame.maybe) doubt(self, ListDoubt::may_hold_more);
  if (call.frame.maybe || call.arguments.size() != 1 || items_of(self).size() >= max_length) return None{};
  call.python.heap_.keep(call.arguments[0].value);
  items_of(self).push_back(call.arguments[0].value);
  return None{};
}

/// As of a set.
Value add(const KnownCall& call, const Value& self) {
  if (call.arguments.size() != 1 || contains(call.python.heap_, self, call.arguments[0].value) == true) return None{};
  return append(call, self);
}

void extend_by(const KnownCall& call, const Value& self, std::size_t argument) {
  const auto more = call.items(argument);
  const auto* given = call.argument(argument);
  if (call.frame.maybe || (!more && given != nullptr && given->unknown())) doubt(self, ListDoubt::may_hold_more);
  if (call.frame.maybe || !more || items_of(self).size() + more->size() > max_length) return;
  call.python.heap_.keep(Heap::size_of(*more));
  items_of(self).insert(items_of(self).end(), more->begin(), more->end());
  doubt(self, more->doubt);
}

Value extend(const KnownCall& call, const Value& self) {
  extend_by(call, self, 0);
  return None{};
}

/// Of a set.
Value unite(const KnownCall& call, const Value& self) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) extend_by(call, self, i);
  static_cast<std::vector<Value>&>(items_of(self)) = without_doubles(call.python.heap_, std::move(items_of(self)));
  return None{};
}

Value insert(const KnownCall& call, const Value& self) {
  const auto* at = call.argument(0) == nullptr ? nullptr : call.argument(0)->get<long long>();
  const auto* value = call.argument(1);
  auto& items = items_of(self);
  if (call.frame.maybe || (call.argument(0) != nullptr && call.argument(0)->unknown()))
    doubt(self, ListDoubt::may_hold_more);
  if (call.frame.maybe || at == nullptr || value == nullptr || items.size() >= max_length) return None{};
  const auto end = static_cast<long long>(items.size());
  const auto index = static_cast<std::size_t>(std::clamp(*at < 0 ? *at + end : *at, 0LL, end));
  call.python.heap_.keep(*value);
  call.python.heap_.work(items.size() - index);
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(index), *value);
  return None{};
}

Value remove(const KnownCall& call, const Value& self) {
  const auto* value = call.argument(0);
  if (call.frame.maybe || (value != nullptr && value->unknown())) doubt(self, ListDoubt::may_hold_other);
  if (call.frame.maybe || value == nullptr) return None{};
  auto& items = items_of(self);
  const auto at = std::find_if(items.begin(), items.end(),
                               [&](const Value& item) { return equal(call.python.heap_, item, *value) == true; });
  if (at != items.end()) items.erase(at);
  return None{};
}

Value pop_item(const KnownCall& call, const Value& self) {
  auto& items = items_of(self);
  const auto last = Value(-1LL);
  const auto* index = (call.arguments.empty() ? last : call.arguments[0].value).get<long long>();
  const auto at = call.frame.maybe || index == nullptr ? std::nullopt : place_in(items.size(), *index);
  if (call.frame.maybe || (!call.arguments.empty() && call.arguments[0].value.unknown()))
    doubt(self, ListDoubt::may_hold_other);
  if (!at) return Unknown{};
  auto taken = items[*at];
  call.python.heap_.work(items.size() - *at);
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(*at));
  return taken;
}

Value sort(const KnownCall& call, const Value& self) {
  const auto* reverse = call.argument(99, "reverse");
  if (call.frame.maybe) doubt(self, ListDoubt::may_hold_other);
  if (call.frame.maybe || call.argument(99, "key") != nullptr || !sort_items(call.python.heap_, items_of(self)))
    return None{};
  if (reverse != nullptr && truth(*reverse) == true) std::reverse(items_of(self).begin(), items_of(self).end());
  return None{};
}

Value reverse(const KnownCall& call, const Value& self) {
  call.python.heap_.work(items_of(self).size());
  if (call.frame.maybe) doubt(self, ListDoubt::may_hold_other);
  if (!call.frame.maybe) std::reverse(items_of(self).begin(), items_of(self).end());
  return None{};
}

Value clear(const KnownCall& call, const Value& self) {
  if (call.frame.maybe && self.get<List>() != nullptr) doubt(self, ListDoubt::may_hold_other);
  if (call.frame.maybe) return None{};
  if (self.get<List>() != nullptr)
    items_of(self).clear(), items_of(self).doubt = ListDoubt::none;
  else
    pairs_of(self).clear();
  return None{};
}

Value copied(const KnownCall& call, const Value& self) {
  if (const auto* list = self.get<List>())
    return list->is_set ? call.python.heap_.set(items_of(self)) : call.python.heap_.list(items_of(self));
  auto dict = call.python.heap_.dict();
  call.python.heap_.keep(Heap::size_of(pairs_of(self)));
  *dict.items = pairs_of(self);
  return dict;
}

Value* find(const KnownCall& call, const Value& self, const Value& wanted, bool& keys_known) {
  for (auto& [key, value] : pairs_of(self)) {
    keys_known = keys_known && !key.unknown();
    if (equal(call.python.heap_, key, wanted) == true) return &value;
  }
  return nullptr;
}

Value get(const KnownCall& call, const Value& self) {
  const auto* wanted = call.argument(0);
  if (wanted == nullptr) return Unknown{};
  bool keys_known = !wanted->unknown();
  if (const auto* value = find(call, self, *wanted, keys_known)) return *value;
  if (!keys_known) return Unknown{};
  return call.argument(1) == nullptr ? Value(None{}) : *call.argument(1);
}

void set(const KnownCall& call, const Value& self, const Value& key, const Value& value) {
  bool keys_known = true;
  call.python.heap_.keep(Heap::size_of(key) + Heap::size_of(value));
  if (auto* old = find(call, self, key, keys_known))
    *old = call.frame.maybe ? Value() : value;
  else if (pairs_of(self).size() < max_length)
    pairs_of(self).emplace_back(key, call.frame.maybe ? Value() : value);
}

Value set_default(const KnownCall& call, const Value& self) {
  const auto* wanted = call.argument(0);
  if (wanted == nullptr) return Unknown{};
  bool keys_known = !wanted->unknown();
  if (const auto* value = find(call, self, *wanted, keys_known)) return *value;
  const auto given = call.argument(1) == nullptr ? Value(None{}) : *call.argument(1);
  set(call, self, *wanted, given);
  return keys_known ? given : Value();
}

Value update(const KnownCall& call, const Value& self) {
  const auto* other = call.argument(0) == nullptr ? nullptr : call.argument(0)->get<Dict>();
  if (call.argument(0) != nullptr && other == nullptr) set(call, self, Unknown{}, Unknown{});
  if (other != nullptr) {
    const auto pairs = *other->items;
    call.python.heap_.keep(Heap::size_of(pairs));
    for (const auto& [key, value] : pairs) set(call, self, key, value);
  }
  for (const auto& argument : call.arguments)
    if (!argument.keyword.empty()) set(call, self, argument.keyword, argument.value);
  return None{};
}

Value pop_key(const KnownCall& call, const Value& self) {
  auto value = get(call, self);
  auto& pairs = pairs_of(self);
  const auto* wanted = call.argument(0);
  if (wanted != nullptr && !call.frame.maybe)
    std::erase_if(pairs, [&](const auto& pair) { return equal(call.python.heap_, pair.first, *wanted) == true; });
  return value;
}

Value parts(const KnownCall& call, const Value& self, bool keys, bool values) {
  std::vector<Value> items;
  call.python.heap_.work(pairs_of(self).size());
  for (const auto& [key, value] : pairs_of(self)) {
    if (key.unknown()) return Unknown{};
    items.push_back(keys && values ? call.python.heap_.list({key, value}) : keys ? key : value);
    call.python.heap_.keep(items.back());
  }
  return call.python.heap_.list(std::move(items));
}
Value items(const KnownCall& call, const Value& self) { return parts(call, self, true, true); }
Value keys(const KnownCall& call, const Value& self) { return parts(call, self, true, false); }
Value values(const KnownCall& call, const Value& self) { return parts(call, self, false, true); }

constexpr KnownMethod of_lists[] = {{"append", append}, {"add", add},       {"extend", extend},   {"update", unite},
                                    {"insert", insert}, {"remove", remove}, {"discard", remove},  {"pop", pop_item},
                                    {"copy", copied},   {"sort", sort},     {"reverse", reverse}, {"clear", clear}};
constexpr KnownMethod of_dicts[] = {
    {"get", get},   {"setdefault", set_default}, {"update", update}, {"pop", pop_key}, {"items", items},
    {"keys", keys}, {"values", values},          {"copy", copied},   {"clear", clear}};

}  // namespace

std::span<const KnownMethod> list_methods() { return of_lists; }
std::span<const KnownMethod> dict_methods() { return of_dicts; }

}  // namespace cudald::python
