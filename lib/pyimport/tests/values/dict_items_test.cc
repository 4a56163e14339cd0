#include "pyimport/values/dict_items.h"

#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "pyimport/values/heap.h"

using namespace cudald::python;

namespace {

Value text_key(std::string_view value) { return std::string(value); }

/// A dictionary, and what is asked of it.
struct Asked {
  cudald::Budget budget;
  Heap heap{budget};
  DictItems items;

  void put(const Value& key, const Value& value, bool maybe = false) { items.put(heap, key, value, maybe); }
  void remove(const Value& key, bool maybe = false) { items.remove(heap, key, maybe); }
  std::optional<bool> has_key(const Value& key) { return items.find(heap, key).is_there; }
  /// Of a number; nothing if no value is known.
  std::optional<long long> at(const Value& key) {
    const auto* pair = items.find(heap, key).pair;
    const auto* number = pair == nullptr ? nullptr : pair->value.get<long long>();
    return number == nullptr ? std::nullopt : std::optional(*number);
  }
  /// "b 1, a 2, ", with a question mark behind what may not be there.
  std::string shown() const {
    std::string text;
    for (const auto& [key, value, may_lack] : items) {
      const auto* name = key.get<std::string>();
      const auto* number = value.get<long long>();
      text += (name == nullptr ? "?" : *name) + " " + (number == nullptr ? "?" : std::to_string(*number)) +
              (may_lack ? "?, " : ", ");
    }
    return text;
  }
};

}  // namespace

TEST_CASE("a dictionary keeps its pairs in their order, and of equal keys the first with the last value") {
  Asked dict;
  CHECK(dict.items.size() == 0);
  dict.put(text_key("b"), 1LL);
  dict.put(text_key("a"), 2LL);
  dict.put(text_key("b"), 3LL);
  CHECK(dict.shown() == "b 3, a 2, ");
  CHECK(dict.items.size() == 2);
  CHECK(dict.has_key(text_key("a")) == true);
  CHECK(dict.has_key(text_key("c")) == false);
  CHECK(dict.at(text_key("b")) == 3);
  dict.remove(text_key("b"));
  CHECK(dict.shown() == "a 2, ");
  dict.remove(text_key("b"));
  CHECK(dict.shown() == "a 2, ");
}

TEST_CASE("keys of a dictionary are equal as Python has it") {
  Asked dict;
  dict.put(true, 1LL);
  dict.put(2LL, 2LL);
  dict.put(1LL, 3LL);
  dict.put(None{}, 4LL);
  dict.put(text_key("1"), 5LL);
  CHECK(dict.items.size() == 4);
  CHECK(dict.at(1LL) == 3);
  CHECK(dict.at(true) == 3);
  CHECK(dict.at(2LL) == 2);
  CHECK(dict.at(None{}) == 4);
  CHECK(dict.at(text_key("1")) == 5);
  CHECK(dict.has_key(0LL) == false);
  CHECK(dict.has_key(dict.heap.list({1LL})) == false);
  dict.put(dict.heap.list({1LL}), 6LL);
  CHECK(dict.at(dict.heap.list({1LL})) == 6);
}

TEST_CASE("many keys are found as few are") {
  Asked dict;
  const auto name = [](long long i) { return text_key("a name that is long enough " + std::to_string(i)); };
  for (long long i = 0; i < 1000; ++i) {
    dict.put(name(i), i);
    dict.put(i, -i);
  }
  dict.put(None{}, 7LL);
  CHECK(dict.items.size() == 2001);
  bool all = true;
  for (long long i = 0; i < 1000; ++i) all = all && dict.at(name(i)) == i && dict.at(i) == -i;
  CHECK(all);
  CHECK(dict.at(None{}) == 7);
  CHECK(dict.has_key(name(1000)) == false);
  CHECK(dict.has_key(1000LL) == false);
  for (long long i = 0; i < 1000; i += 2) dict.remove(name(i));
  CHECK(dict.items.size() == 1501);
  CHECK(dict.has_key(name(500)) == false);
  CHECK(dict.at(name(501)) == 501);
  CHECK(dict.at(501LL) == -501);
  CHECK(dict.at(None{}) == 7);
  const auto copy = dict.items;
  dict.items.clear(dict.heap, false);
  CHECK(dict.has_key(501LL) == false);
  CHECK(copy.find(dict.heap, 501LL).pair->value.get<long long>() != nullptr);
}

TEST_CASE("it takes as many steps to find one of many keys as one of a few") {
  Asked dict;
  const auto steps_of_find = [&] {
    const auto before = dict.budget.cost().steps;
    CHECK(dict.has_key(3LL) == true);
    return dict.budget.cost().steps - before;
  };
  for (long long i = 0; i < 20; ++i) dict.put(i, i);
  const auto of_few = steps_of_find();
  for (long long i = 0; i < 5000; ++i) dict.put(i, i);
  CHECK(steps_of_find() == of_few);
}

TEST_CASE("whether a dictionary has any pair is known of what was put in and taken out") {
  Asked dict;
  CHECK(dict.items.has_any() == false);
  dict.put(text_key("a"), 1LL);
  dict.put(text_key("b"), 1LL, true);
  CHECK(dict.items.has_any() == true);
  const auto copy = dict.items;
  CHECK(copy.has_any() == true);
  dict.remove(text_key("a"));
  CHECK_FALSE(dict.items.has_any().has_value());
  dict.put(text_key("b"), 1LL);
  CHECK(dict.items.has_any() == true);
  dict.remove(text_key("b"), true);
  dict.remove(text_key("b"), true);
  CHECK_FALSE(dict.items.has_any().has_value());
  dict.remove(text_key("b"));
  CHECK(dict.items.has_any() == false);
  dict.put(text_key("c"), 1LL);
  CHECK(dict.items.has_any() == true);
  dict.items.clear(dict.heap, true);
  CHECK_FALSE(dict.items.has_any().has_value());
  dict.items.clear(dict.heap, false);
  CHECK(dict.items.has_any() == false);
}

TEST_CASE("to clear a dictionary takes steps for each pair") {
  for (const bool maybe : {false, true}) {
    Asked dict;
    for (long long i = 0; i < 100; ++i) dict.put(i, i);
    const auto before = dict.budget.cost().steps;
    dict.items.clear(dict.heap, maybe);
    CHECK(dict.budget.cost().steps - before == 100);
  }
}

TEST_CASE("what may as well not have been put into a dictionary may lack") {
  Asked dict;
  dict.put(text_key("a"), 1LL, true);
  CHECK(dict.shown() == "a 1?, ");
  CHECK_FALSE(dict.has_key(text_key("a")).has_value());
  CHECK(dict.has_key(text_key("b")) == false);
  CHECK_FALSE(dict.items.has_any().has_value());
  CHECK(dict.items.doubt() == ListDoubt::may_lack);
  dict.put(text_key("b"), 2LL);
  CHECK(dict.items.has_any() == true);
  dict.put(text_key("b"), 2LL, true);
  CHECK(dict.shown() == "a 1?, b 2, ");
  dict.put(text_key("b"), 3LL, true);
  CHECK(dict.shown() == "a 1?, b ?, ");
  dict.put(text_key("a"), 4LL);
  CHECK(dict.shown() == "a 4, b ?, ");
  CHECK(dict.items.doubt() == ListDoubt::none);
}

TEST_CASE("what may have been taken out of a dictionary may lack") {
  Asked dict;
  dict.put(text_key("a"), 1LL);
  dict.put(text_key("b"), 2LL);
  SUBCASE("where that may as well not have run") {
    dict.remove(text_key("a"), true);
    CHECK(dict.shown() == "a 1?, b 2, ");
    dict.remove(text_key("c"), true);
    CHECK(dict.shown() == "a 1?, b 2, ");
  }
  SUBCASE("with a key that is not known") {
    dict.remove(Unknown{});
    CHECK(dict.shown() == "a 1?, b 2?, ");
  }
  SUBCASE("all of it") {
    dict.items.clear(dict.heap, true);
    CHECK(dict.shown() == "a 1?, b 2?, ");
  }
  CHECK_FALSE(dict.has_key(text_key("a")).has_value());
  CHECK(dict.items.doubt() == ListDoubt::may_lack);
}

TEST_CASE("a key that is not known may be any") {
  Asked dict;
  CHECK(dict.has_key(Unknown{}) == false);
  dict.put(text_key("a"), 1LL);
  CHECK_FALSE(dict.has_key(Unknown{}).has_value());
  dict.put(Unknown{}, 2LL);
  dict.put(Unknown{}, 3LL);
  CHECK(dict.shown() == "a 1, ? ?, ");
  CHECK(dict.has_key(text_key("a")) == true);
  CHECK_FALSE(dict.has_key(text_key("b")).has_value());
  CHECK(dict.items.doubt() == ListDoubt::may_hold_more);
  SUBCASE("or none, if it was put in where that is not sure") {
    Asked other;
    other.items.doubt_more(other.heap);
    CHECK_FALSE(other.items.has_any().has_value());
    other.put(Unknown{}, 1LL);
    CHECK(other.items.has_any() == true);
  }
}

TEST_CASE("what is in doubt in one dictionary is so where it is put into another") {
  Asked one, other;
  one.put(text_key("a"), 1LL);
  one.put(text_key("b"), 2LL, true);
  other.put(text_key("a"), 3LL);
  other.put(text_key("b"), 4LL);
  other.put(text_key("c"), 5LL);
  other.items.put_all(other.heap, one.items, false);
  CHECK(other.shown() == "a 1, b ?, c 5, ");
  Asked third;
  third.items.put_all(third.heap, one.items, true);
  CHECK(third.shown() == "a 1?, b 2?, ");
  third.items.put_all(third.heap, third.items, false);
  CHECK(third.items.size() == 2);
}
