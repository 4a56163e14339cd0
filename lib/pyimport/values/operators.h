#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pyimport/syntax/scanner.h"
#include "pyimport/values/code_paths.h"
#include "pyimport/values/heap.h"
#include "pyimport/values/value.h"

namespace cudald::python {

/// Objects that were met; for a few without memory of its own.
class SeenObjects {
 public:
  /// False if it was met already.
  bool add(const Object* object) {
    const auto end = few_.begin() + count_;
    if (std::find(few_.begin(), end, object) != end) return false;
    if (count_ == few_.size()) return others_.insert(object).second;
    few_[count_++] = object;
    return true;
  }

 private:
  std::array<const Object*, 32> few_;
  std::size_t count_ = 0;
  std::set<const Object*> others_;
};

/// The object, its class and the bases, in the order in which they are named, each once, until `goes_on` says false.
template <typename GoesOn>
void visit_classes(const Object& object, const GoesOn& goes_on) {
  const auto* first = &object;
  // Most have one base at most; no class is among its own bases.
  for (;;) {
    const Object* base = nullptr;
    std::size_t count = 0;
    for (const auto& one : first->bases)
      if (const auto* inner = one.get<ObjectRef>()) base = inner->get(), ++count;
    if (count > 1) break;
    if (!goes_on(*first) || base == nullptr) return;
    first = base;
  }
  std::vector<const Object*> waiting{first};
  SeenObjects visited;
  while (!waiting.empty()) {
    const auto* next = waiting.back();
    waiting.pop_back();
    if (!visited.add(next)) continue;
    if (!goes_on(*next)) return;
    for (auto base = next->bases.rbegin(); base != next->bases.rend(); ++base)
      if (const auto* inner = base->get<ObjectRef>()) waiting.push_back(inner->get());
  }
}
/// Whether all classes of an object were followed, so that its members are known, and none has one of these names.
bool all_members_known(const Object&, std::initializer_list<std::string_view> unwanted = {});
/// The class of modules, from which code derives those that import a part when somebody asks for it. All names that it
/// gives its instances begin with two underscores. Source: CPython 3.11 Objects/moduleobject.c, module_methods.
inline constexpr std::string_view type_of_modules = "types.ModuleType";
/// The class by which typing marks those with parameters. It changes nothing of how their instances are made.
inline constexpr std::string_view type_of_generics = "typing.Generic";
/// Whether a name is of a class that Python has without a file, or of typing.Generic: its own class is `type`.
inline bool is_builtin_class(const Named& named) {
  return named.name.starts_with("builtins.") || named.name == type_of_modules || named.name == type_of_generics;
}
/// The same as all_members_known(), but for such names.
bool plain_names_known(const Object&);
/// What a number or a truth value counts as; nothing for what is neither.
std::optional<long long> number_of(const Value&);
/// True, false, or nothing if it cannot be known.
std::optional<bool> truth(const Value&);
/// Whether two values are equal; nothing if it cannot be known. Throws Exhausted.
/// Whether each item of one set is in the other.
std::optional<bool> is_subset(Heap&, const List&, const List&, int depth = 0);
std::optional<bool> equal(Heap&, const Value&, const Value&, int depth = 0);
/// Negative, 0 or positive; nothing if it cannot be known. Throws Exhausted.
std::optional<int> compare(Heap&, const Value&, const Value&, int depth = 0);

/// Whether it is the exception that is being handled.
bool is_exception(const Value&);
/// Whether it is a regular expression or a match of one.
inline bool is_of_pattern(const Value& value) {
  return value.thing(ThingKind::pattern) != nullptr || value.thing(ThingKind::match) != nullptr;
}
/// The value of `a sign b`; Unknown if it cannot be known. Throws Exhausted.
Value apply(Heap&, Word sign, const Value& a, const Value& b, const CodePaths&);
/// `owner[from:to:step]`; Unknown if it cannot be known. Throws Exhausted.
struct Slice {
  std::optional<long long> from, to, step;
};
Value sliced(Heap&, const Value& owner, const Slice&);
/// Whether items are in order now. Those that cannot be compared stay where they are. Throws Exhausted.
bool sort_items(Heap&, std::vector<Value>& items);
/// The same by the keys of the items, one for each; equal ones stay in their order.
bool sort_by_keys(Heap&, std::vector<Value>& items, std::vector<Value> keys, bool reverse);
/// Where the item at `index`, counted from the end if it is negative, lies in a list of `size`; nothing if nowhere.
std::optional<std::size_t> place_in(std::size_t size, long long index);
/// The items, each once; they may still be equal where that cannot be known. Throws Exhausted.
std::vector<Value> without_doubles(Heap&, std::vector<Value> items);
/// `item in owner` for lists, dictionaries and texts; nothing if it cannot be known. Throws Exhausted.
std::optional<bool> contains(Heap&, const Value& owner, const Value& item, int depth = 0);

/// Whether each byte of a text is a character of it. Others are kept as UTF-8: what counts or changes their characters
/// is not known.
bool is_ascii(Heap&, const std::string& text);

inline std::optional<bool> negated(std::optional<bool> value) { return value ? std::optional(!*value) : std::nullopt; }
inline Value as_value(std::optional<bool> value) { return value ? Value(*value) : Value(Unknown{}); }

/// The most bytes of a text and items of a list: code can double either at each step.
inline constexpr std::size_t max_length = 1 << 16;

}  // namespace cudald::python
