#include <algorithm>

#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

ListItems& items_of(const Value& self) { return *self.get<List>()->items; }

void doubt(const Value& self, ListDoubt how) { items_of(self).take_doubt(how); }

DictItems& pairs_of(const Value& self) { return *self.get<Dict>()->items; }

/// What is changed behind an unknown condition is left as it is, in doubt.
Value append(const KnownCall& call, const Value& self) {
  if (call.frame.maybe) doubt(self, ListDoubt::may_hold_more);
  if (call.frame.maybe || call.arguments.size() != 1 || items_of(self).size() >= max_length) return None{};
  call.python.heap.keep(call.arguments[0].value);
  items_of(self).push_back(call.arguments[0].value);
  return None{};
}

/// As of a set.
Value add(const KnownCall& call, const Value& self) {
  if (call.arguments.size() != 1 || contains(call.python.heap, self, call.arguments[0].value) == true) return None{};
  return append(call, self);
}

void extend_by(const KnownCall& call, const Value& self, std::size_t argument) {
  const auto more = call.items(argument);
  const auto* given = call.argument(argument);
  if (call.frame.maybe || (!more && given != nullptr && given->unknown())) doubt(self, ListDoubt::may_hold_more);
  if (call.frame.maybe || !more || items_of(self).size() + more->size() > max_length) return;
  call.python.heap.keep(Heap::size_of(*more));
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
  static_cast<std::vector<Value>&>(items_of(self)) = without_doubles(call.python.heap, std::move(items_of(self)));
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
  call.python.heap.keep(*value);
  call.python.heap.work(items.size() - index);
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(index), *value);
  return None{};
}

Value remove(const KnownCall& call, const Value& self) {
  const auto* value = call.argument(0);
  if (call.frame.maybe || (value != nullptr && value->unknown())) doubt(self, ListDoubt::may_lack);
  if (call.frame.maybe || value == nullptr) return None{};
  auto& items = items_of(self);
  const auto at = std::find_if(items.begin(), items.end(),
                               [&](const Value& item) { return equal(call.python.heap, item, *value) == true; });
  if (at != items.end()) items.erase(at);
  return None{};
}

Value pop_item(const KnownCall& call, const Value& self) {
  auto& items = items_of(self);
  const auto last = Value(-1LL);
  const auto* index = (call.arguments.empty() ? last : call.arguments[0].value).get<long long>();
  const auto at = call.frame.maybe || index == nullptr ? std::nullopt : place_in(items.size(), *index);
  if (call.frame.maybe || (!call.arguments.empty() && call.arguments[0].value.unknown()))
    doubt(self, ListDoubt::may_lack);
  if (!at) return Unknown{};
  auto taken = items[*at];
  call.python.heap.work(items.size() - *at);
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(*at));
  return taken;
}

Value sort(const KnownCall& call, const Value& self) {
  if (call.frame.maybe) doubt(self, ListDoubt::may_lack);
  if (!call.frame.maybe) call.python.calls.sort(call, items_of(self));
  return None{};
}

Value reverse(const KnownCall& call, const Value& self) {
  call.python.heap.work(items_of(self).size());
  if (call.frame.maybe) doubt(self, ListDoubt::may_lack);
  if (!call.frame.maybe) std::reverse(items_of(self).begin(), items_of(self).end());
  return None{};
}

Value clear(const KnownCall& call, const Value& self) {
  if (self.get<Dict>() != nullptr)
    pairs_of(self).clear(call.python.heap, call.frame.maybe);
  else if (call.frame.maybe)
    doubt(self, ListDoubt::may_lack);
  else
    items_of(self) = ListItems();
  return None{};
}

Value copied(const KnownCall& call, const Value& self) {
  auto& heap = call.python.heap;
  if (const auto* list = self.get<List>()) return list->is_set ? heap.set(*list->items) : heap.list(*list->items);
  auto dict = heap.dict();
  *dict.items = heap.copy(*self.get<Dict>());
  return dict;
}

Value get(const KnownCall& call, const Value& self) {
  const auto* wanted = call.argument(0);
  if (wanted == nullptr) return Unknown{};
  const auto found = pairs_of(self).find(call.python.heap, *wanted);
  if (!found.is_there) return Unknown{};
  if (*found.is_there) return found.pair->value;
  return call.argument(1) == nullptr ? Value(None{}) : *call.argument(1);
}

Value set_default(const KnownCall& call, const Value& self) {
  auto value = get(call, self);
  if (const auto* wanted = call.argument(0))
    if (pairs_of(self).find(call.python.heap, *wanted).is_there != true)
      pairs_of(self).put(call.python.heap, *wanted, value, call.frame.maybe);
  return value;
}

Value update(const KnownCall& call, const Value& self) {
  const auto* given = call.argument(0);
  const auto* other = given == nullptr ? nullptr : given->get<Dict>();
  if (other != nullptr)
    pairs_of(self).put_all(call.python.heap, *other->items, call.frame.maybe);
  else if (given != nullptr)
    pairs_of(self).doubt_more(call.python.heap);
  for (const auto& argument : call.arguments) put_keyword(call.python.heap, pairs_of(self), argument, call.frame.maybe);
  return None{};
}

Value pop_key(const KnownCall& call, const Value& self) {
  auto value = get(call, self);
  if (const auto* wanted = call.argument(0)) pairs_of(self).remove(call.python.heap, *wanted, call.frame.maybe);
  return value;
}

Value parts(const KnownCall& call, const Value& self, bool keys, bool values) {
  ListItems items({}, pairs_of(self).doubt());
  call.python.heap.work(pairs_of(self).size());
  for (const auto& [key, value, may_lack] : pairs_of(self)) {
    if (key.unknown()) continue;
    items.push_back(keys && values ? call.python.heap.list({key, value}) : keys ? key : value);
    call.python.heap.keep(items.back());
  }
  return call.python.heap.list(std::move(items));
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
