#include "pyimport/values/operators.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/utf8.h"
#include "package/version.h"

namespace cudald::python {

std::optional<long long> number_of(const Value& value) {
  if (const auto* flag = value.get<bool>()) return *flag;
  if (const auto* number = value.get<long long>()) return *number;
  return std::nullopt;
}

namespace {

/// Union, intersection or difference of two sets of texts.
Value set_operation(Heap& heap, Word sign, const List& a, const List& b) {
  heap.keep(Heap::size_of(*a.items) + Heap::size_of(*b.items));
  std::set<std::string> left, right;
  for (const auto& [list, into] : {std::pair(&a, &left), std::pair(&b, &right)})
    for (const auto& item : *list->items) {
      const auto* text = item.get<std::string>();
      if (text == nullptr) return Unknown{};
      into->insert(*text);
    }
  std::vector<Value> items;
  for (const auto& text : left)
    if (sign == Word::pipe || right.contains(text) == (sign == Word::ampersand)) items.push_back(text);
  if (sign == Word::pipe)
    for (const auto& text : right)
      if (!left.contains(text)) items.push_back(text);
  const bool in_doubt = a.items->in_doubt() || b.items->in_doubt();
  return heap.set({std::move(items), in_doubt ? ListDoubt::may_hold_other : ListDoubt::none});
}

/// The text of `format % values`; nullopt if it is not known.
std::optional<std::string> formatted(const std::string& format, const Value& given) {
  const auto* list = given.get<List>();
  if (list != nullptr && list->items->in_doubt()) return std::nullopt;
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      result += format[i];
      continue;
    }
    if (i + 1 == format.size()) return std::nullopt;  // an error
    const char kind = format[++i];
    if (kind == '%') {
      result += '%';
      continue;
    }
    if ((kind != 's' && kind != 'd') || next == (list == nullptr ? 1 : list->items->size())) return std::nullopt;
    if (result.size() > max_length) return std::nullopt;
    const auto& value = list == nullptr ? given : (*list->items)[next];
    if (const auto* text = value.get<std::string>())
      result += *text;
    else if (const auto* number = value.get<long long>())
      result += std::to_string(*number);
    else if (const auto* digits = value.thing(ThingKind::float_number); kind == 's' && digits != nullptr)
      result += *digits;
    else
      return std::nullopt;
    ++next;
  }
  // What is left over is an error, but for a dictionary.
  return next == (list == nullptr ? 1 : list->items->size()) ? std::optional(std::move(result)) : std::nullopt;
}

Value power(long long base, long long exponent) {
  if (exponent < 0 || exponent > 63) return Unknown{};
  long long result = 1;
  for (long long i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result)) return Unknown{};
  return result;
}

Value apply_to_numbers(Word sign, long long x, long long y) {
  long long result = 0;
  switch (sign) {
    case Word::plus: return __builtin_add_overflow(x, y, &result) ? Value() : Value(result);
    case Word::minus: return __builtin_sub_overflow(x, y, &result) ? Value() : Value(result);
    case Word::star: return __builtin_mul_overflow(x, y, &result) ? Value() : Value(result);
    case Word::stars: return power(x, y);
    case Word::left_shift: return x >= 0 && y >= 0 && y < 62 && x >> (62 - y) == 0 ? Value(x << y) : Value();
    case Word::right_shift: return x >= 0 && y >= 0 && y < 63 ? Value(x >> y) : Value();
    case Word::pipe: return x | y;
    case Word::ampersand: return x & y;
    case Word::caret: return x ^ y;
    case Word::slashes: return y > 0 && x >= 0 ? Value(x / y) : Value();
    case Word::percent: return y > 0 && x >= 0 ? Value(x % y) : Value();
    default: return Unknown{};
  }
}

Value repeated(Heap& heap, const std::string& text, long long times) {
  if (times < 0 || static_cast<std::size_t>(times) * text.size() > max_length) return Unknown{};
  std::string result;
  heap.look_at(static_cast<std::size_t>(times) * text.size());
  for (long long i = 0; i < times; ++i) result += text;
  return result;
}

/// A number of times: an integer, or a truth value.
std::optional<long long> times_of(const Value& value) {
  if (const auto* number = value.get<long long>()) return *number;
  const auto* holds = value.get<bool>();
  return holds == nullptr ? std::nullopt : std::optional<long long>(*holds ? 1 : 0);
}

/// `[x] * n` and `n * [x]`
std::optional<Value> repeated_list(Heap& heap, const Value& a, const Value& b) {
  const auto* list = a.get<List>() != nullptr ? a.get<List>() : b.get<List>();
  const auto times = times_of(a.get<List>() != nullptr ? b : a);
  if (list == nullptr || list->is_set || !times) return std::nullopt;
  const auto count = static_cast<std::size_t>(std::max(*times, 0LL));
  if (count > max_length || count * list->items->size() > max_length) return Unknown{};
  ListItems items({}, list->items->doubt);
  heap.keep(count * Heap::size_of(*list->items));
  for (std::size_t i = 0; i < count; ++i) items.insert(items.end(), list->items->begin(), list->items->end());
  return heap.list(std::move(items));
}

}  // namespace

Value apply(Heap& heap, Word sign, const Value& a, const Value& b, const CodePaths& paths) {
  const auto *x = a.get<long long>(), *y = b.get<long long>();
  if (x != nullptr && y != nullptr) return apply_to_numbers(sign, *x, *y);
  const auto *s = a.get<std::string>(), *t = b.get<std::string>();
  if (s != nullptr && t != nullptr && s->size() + t->size() < max_length) {
    heap.look_at(s->size() + t->size());
    if (sign == Word::plus) return *s + *t;
    if (sign == Word::slash) return paths.join(*s, *t);
  }
  if (s != nullptr && sign == Word::percent) {
    heap.look_at(s->size() + max_length);
    auto text = formatted(*s, b);
    return text ? Value(std::move(*text)) : Value();
  }
  if (s != nullptr && y != nullptr && sign == Word::star && !s->empty() && *y < 1 << 20) return repeated(heap, *s, *y);
  if (sign == Word::star)
    if (auto list = repeated_list(heap, a, b)) return *list;
  const auto *l = a.get<List>(), *m = b.get<List>();
  if (l == nullptr || m == nullptr) return Unknown{};
  if (sign == Word::plus && l->items->size() + m->items->size() < max_length) {
    auto items = heap.copy(*l);
    heap.keep(Heap::size_of(*m->items));
    items.insert(items.end(), m->items->begin(), m->items->end());
    items.take_doubt(m->items->doubt);
    return heap.list(std::move(items));
  }
  if (sign == Word::pipe || sign == Word::ampersand || sign == Word::minus) return set_operation(heap, sign, *l, *m);
  return Unknown{};
}

Value sliced(Heap& heap, const Value& owner, const Slice& slice) {
  const auto step = slice.step.value_or(1);
  const auto* whole = owner.get<std::string>();
  const auto* list = owner.get<List>();
  if (step == 0 || (whole == nullptr && list == nullptr) || (whole != nullptr && !is_ascii(heap, *whole)))
    return Unknown{};
  // Source: CPython 3.11 Objects/sliceobject.c, PySlice_AdjustIndices.
  const auto size = static_cast<long long>(whole != nullptr ? whole->size() : list->items->size());
  const auto lowest = step < 0 ? -1LL : 0LL, highest = step < 0 ? size - 1 : size;
  const auto bound = [&](std::optional<long long> given, long long otherwise) {
    if (!given) return otherwise;
    return std::clamp(*given < 0 ? *given + size : *given, lowest, highest);
  };
  const auto from = bound(slice.from, step < 0 ? highest : lowest), to = bound(slice.to, step < 0 ? lowest : highest);
  std::string text;
  ListItems items;
  if (list != nullptr && list->items->in_doubt()) items.doubt = ListDoubt::may_hold_other;
  heap.work(static_cast<std::uint64_t>(size));
  for (auto i = from; step > 0 ? i < to : i > to; i += step) {
    if (whole != nullptr)
      text += (*whole)[static_cast<std::size_t>(i)];
    else
      items.push_back((*list->items)[static_cast<std::size_t>(i)]);
    if (step > size || step < -size) break;
  }
  return whole != nullptr ? Value(std::move(text)) : heap.list(std::move(items));
}

bool sort_items(Heap& heap, std::vector<Value>& items) {
  heap.work(20 * items.size());
  auto sorted = items;
  heap.keep(Heap::size_of(sorted));
  bool known = true;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Value& a, const Value& b) {
    const auto order = compare(heap, a, b);
    known = known && order;
    return order.value_or(0) < 0;
  });
  if (known) items = std::move(sorted);
  return known;
}

bool sort_by_keys(Heap& heap, std::vector<Value>& items, std::vector<Value> keys, bool reverse) {
  heap.work(20 * items.size());
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  bool known = true;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto compared = compare(heap, keys[a], keys[b]);
    known = known && compared;
    return reverse ? compared.value_or(0) > 0 : compared.value_or(0) < 0;
  });
  if (!known) return false;
  std::vector<Value> sorted;
  sorted.reserve(items.size());
  for (const auto place : order) sorted.push_back(items[place]);
  heap.keep(Heap::size_of(sorted));
  items = std::move(sorted);
  return true;
}

std::optional<std::size_t> place_in(std::size_t size, long long index) {
  const auto end = static_cast<long long>(size), at = index < 0 ? index + end : index;
  return at >= 0 && at < end ? std::optional(static_cast<std::size_t>(at)) : std::nullopt;
}

bool is_ascii(Heap& heap, const std::string& text) {
  heap.look_at(text.size());
  return cudald::is_ascii(text);
}

namespace {

/// Values that were met, each with its place.
class Met {
 public:
  explicit Met(Heap& heap) : heap_(heap) {}

  /// Where an equal one was met before; `place`, which is noted, if none was.
  std::size_t at(const Value& item, std::size_t place) {
    heap_.work(2);
    if (const auto* text = item.get<std::string>()) return texts_.try_emplace(*text, place).first->second;
    if (const auto number = number_of(item)) return numbers_.try_emplace(*number, place).first->second;
    for (const auto& [other, known] : others_)
      if (equal(heap_, *other, item) == true) return known;
    others_.emplace_back(&item, place);
    return place;
  }

 private:
  Heap& heap_;
  std::map<std::string_view, std::size_t> texts_;
  std::map<long long, std::size_t> numbers_;
  std::vector<std::pair<const Value*, std::size_t>> others_;
};

}  // namespace

std::vector<Value> without_doubles(Heap& heap, std::vector<Value> items) {
  std::vector<Value> kept;
  Met met(heap);
  for (std::size_t i = 0; i < items.size(); ++i)
    if (met.at(items[i], i) == i) kept.push_back(items[i]);
  return kept;
}

namespace {

/// Whether a list of nothing but texts has this one; nullopt if it has anything else before it.
std::optional<bool> contains_text(Heap& heap, const std::vector<Value>& items, const std::string& wanted) {
  for (const auto& item : items) {
    heap.work(2);
    const auto* text = item.get<std::string>();
    if (text == nullptr) return std::nullopt;
    if (text->size() != wanted.size()) continue;
    heap.look_at(wanted.size());
    if (*text == wanted) return true;
  }
  return false;
}

}  // namespace

std::optional<bool> contains(Heap& heap, const Value& owner, const Value& item, int depth) {
  std::optional<bool> found = false;
  const auto look = [&](const Value& one) {
    const auto same = equal(heap, one, item, depth);
    if (same == true) return true;
    if (!same) found = std::nullopt;
    return false;
  };
  if (const auto* list = owner.get<List>()) {
    if (list->items->in_doubt()) found = std::nullopt;
    if (const auto* text = item.get<std::string>())
      if (const auto known = contains_text(heap, *list->items, *text)) return *known ? true : found;
    for (const auto& one : *list->items)
      if (look(one)) return true;
    return found;
  }
  if (const auto* dict = owner.get<Dict>()) return dict->items->find(heap, item).is_there;
  const auto *whole = owner.get<std::string>(), *part = item.get<std::string>();
  if (whole == nullptr || part == nullptr) return std::nullopt;
  heap.look_at(whole->size() + part->size());
  return whole->find(*part) != std::string::npos;
}

std::optional<bool> is_subset(Heap& heap, const List& part, const List& whole, int depth) {
  std::optional<bool> result = true;
  for (const auto& item : *part.items) {
    const auto found = contains(heap, whole, item, depth);
    if (found == false) return false;
    if (!found) result = std::nullopt;
  }
  return result;
}

namespace {

/// Whether all that a class and its bases have is known, but for what they have of a base that has no names of this
/// kind.
bool members_known(const Object& object, std::initializer_list<std::string_view> unwanted,
                   std::string_view known_base) {
  constexpr std::size_t most = 100;
  std::size_t count = 0;
  bool known = true;
  visit_classes(object, [&](const Object& one) {
    known = ++count <= most &&
            std::none_of(unwanted.begin(), unwanted.end(), [&](auto name) { return one.names.contains(name); });
    for (const auto& base : one.bases) {
      const auto* named = base.get<Named>();
      known = known && (base.get<ObjectRef>() != nullptr ||
                        (named != nullptr && (named->name == "builtins.object" || named->name == known_base)));
    }
    return known;
  });
  return known;
}

}  // namespace

bool all_members_known(const Object& object, std::initializer_list<std::string_view> unwanted) {
  return members_known(object, unwanted, "builtins.object");
}

bool plain_names_known(const Object& object) { return members_known(object, {}, type_of_modules); }

std::optional<bool> truth(const Value& value) {
  if (const auto* flag = value.get<bool>()) return *flag;
  if (const auto* number = value.get<long long>()) return *number != 0;
  if (const auto* text = value.get<std::string>()) return !text->empty();
  if (const auto* list = value.get<List>()) {
    const auto& items = *list->items;
    const bool only_more = items.doubt == ListDoubt::may_hold_more && !items.empty();
    return items.in_doubt() && !only_more ? std::nullopt : std::optional(!items.empty());
  }
  if (const auto* dict = value.get<Dict>()) return dict->items->has_any();
  if (value.get<None>() != nullptr) return false;
  if (value.unknown()) return std::nullopt;
  if (const auto* object = value.get<ObjectRef>(); object != nullptr && !(*object)->is_class)
    return all_members_known(**object, {"__bool__", "__len__"}) ? std::optional(true) : std::nullopt;
  if (is_of_pattern(value) || is_exception(value)) return true;
  if (value.is_named()) return std::nullopt;
  return true;
}

bool is_exception(const Value& value) {
  const auto* named = value.get<Named>();
  return named != nullptr && named->name == "exception";
}

namespace {

/// What is no set may be the keys of a dictionary, which can be equal to one.
std::optional<bool> equal_sets(Heap& heap, const List& one, const List& other, int depth) {
  if (!one.is_set || !other.is_set) return std::nullopt;
  if (one.items->in_doubt() || other.items->in_doubt()) return std::nullopt;
  const auto part = is_subset(heap, one, other, depth);
  return part == true ? one.items->size() == other.items->size() : part;
}

std::optional<bool> equal_lists(Heap& heap, const List& one, const List& other, int depth) {
  if (one.items->in_doubt() || other.items->in_doubt()) return std::nullopt;
  if (one.items->size() != other.items->size()) return false;
  std::optional<bool> result = true;
  for (std::size_t i = 0; i < one.items->size(); ++i) {
    const auto same = equal(heap, (*one.items)[i], (*other.items)[i], depth);
    if (same == false) return false;
    if (!same) result = std::nullopt;
  }
  return result;
}

bool compares_by_identity(const Object& object) {
  bool plain = all_members_known(object, {"__eq__"});
  visit_classes(object, [&](const Object& one) {
    plain = plain && !one.decorated;
    return plain;
  });
  return plain;
}

std::optional<bool> equal_others(Heap& heap, const Value& a, const Value& b, int depth) {
  if (a.unknown() || b.unknown() || a.is_named() || b.is_named()) return std::nullopt;
  if (const auto one = number_of(a))
    if (const auto other = number_of(b)) return *one == *other;
  for (const auto* value : {&a, &b})
    if (const auto* object = value->get<ObjectRef>();
        object != nullptr && !(*object)->is_class && a.index() != b.index())
      return all_members_known(**object, {"__eq__"}) ? std::optional(false) : std::nullopt;
  if (a.index() != b.index()) return false;
  if (const auto* name = a.get<ModuleName>()) return name->name == b.get<ModuleName>()->name;
  if (a.get<None>() != nullptr) return true;
  if (const auto* object = a.get<ObjectRef>()) {
    const auto& other = *b.get<ObjectRef>();
    if (*object == other) return true;
    if ((*object)->is_class && other->is_class) return false;
    if (compares_by_identity(**object) && compares_by_identity(*other)) return false;
  }
  if (const auto* list = a.get<List>(); list != nullptr && (list->is_set || b.get<List>()->is_set))
    return equal_sets(heap, *list, *b.get<List>(), depth + 1);
  return std::nullopt;
}

}  // namespace

// First what is compared most: long lists, and dictionaries, of numbers and texts.
std::optional<bool> equal(Heap& heap, const Value& a, const Value& b, int depth) {
  constexpr int max_depth = 50;  // a list may hold itself
  if (depth > max_depth) return std::nullopt;
  heap.work(3);
  if (const auto* x = a.get<long long>())
    if (const auto* y = b.get<long long>()) return *x == *y;
  if (const auto* s = a.get<std::string>())
    if (const auto* t = b.get<std::string>()) {
      heap.look_at(s->size());
      return *s == *t;
    }
  const auto *l = a.get<List>(), *m = b.get<List>();
  if (l != nullptr && m != nullptr && !l->is_set && !m->is_set) return equal_lists(heap, *l, *m, depth + 1);
  return equal_others(heap, a, b, depth);
}

namespace {

/// The order of two versions; nothing if they are none.
std::optional<int> compared_versions(const Value& a, const Value& b) {
  const auto *one = a.thing(ThingKind::version), *other = b.thing(ThingKind::version);
  if (one == nullptr || other == nullptr) return std::nullopt;
  const auto left = parse_version(*one), right = parse_version(*other);
  if (!left || !right) return std::nullopt;
  const auto order = *left <=> *right;
  return order < 0 ? -1 : order > 0;
}

}  // namespace

std::optional<int> compare(Heap& heap, const Value& a, const Value& b, int depth) {
  constexpr int max_depth = 80;
  if (depth > max_depth) return std::nullopt;
  heap.work(2);
  const auto *x = a.get<long long>(), *y = b.get<long long>();
  if (x != nullptr && y != nullptr) return *x < *y ? -1 : *x > *y;
  const auto *s = a.get<std::string>(), *t = b.get<std::string>();
  if (s != nullptr && t != nullptr) {
    heap.look_at(s->size());
    return s->compare(*t) < 0 ? -1 : s->compare(*t) > 0;
  }
  if (const auto order = compared_versions(a, b)) return order;
  const auto *l = a.get<List>(), *m = b.get<List>();
  if (l == nullptr || m == nullptr || l->is_set || m->is_set) return std::nullopt;
  for (std::size_t i = 0; i < l->items->size() && i < m->items->size(); ++i) {
    const auto order = compare(heap, (*l->items)[i], (*m->items)[i], depth + 1);
    if (!order || *order != 0) return order;
  }
  return l->items->size() < m->items->size() ? -1 : l->items->size() > m->items->size();
}

}  // namespace cudald::python
