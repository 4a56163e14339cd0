#include "pyimport/values/operators.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace cudald::python;

namespace {

struct World {
  cudald::Budget budget;
  Heap heap{budget};
  CodePaths paths{false};
};

/// A value as Python prints it, "?" if it is not known.
std::string shown_value(const Value& value) {
  const auto listed = [](const std::vector<Value>& items) {
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : " ") + shown_value(item);
    return text;
  };
  if (const auto* flag = value.get<bool>()) return *flag ? "True" : "False";
  if (const auto* number = value.get<long long>()) return std::to_string(*number);
  if (const auto* text = value.get<std::string>()) return "'" + *text + "'";
  if (value.get<None>() != nullptr) return "None";
  if (const auto* list = value.get<List>()) return (list->is_set ? "{" : "[") + listed(*list->items) + "]";
  return "?";
}

std::string shown_value(std::optional<bool> value) { return !value ? "?" : *value ? "True" : "False"; }

Value text_value(std::string_view value) { return std::string(value); }

ObjectRef object_of(std::vector<Value> bases, bool is_class = false) {
  auto made = std::make_shared<Object>();
  made->is_class = is_class;
  made->bases = std::move(bases);
  return made;
}

}  // namespace

TEST_CASE("truth is known of what is known") {
  World world;
  CHECK(truth(Value(0LL)) == false);
  CHECK(truth(Value(std::string("a"))) == true);
  CHECK(truth(world.heap.list({})) == false);
  CHECK(truth(Value(None{})) == false);
  CHECK_FALSE(truth(Value(Unknown{})).has_value());
}

TEST_CASE("operators on numbers, texts and lists") {
  World world;
  const auto result = [&](Word sign, Value a, Value b) { return apply(world.heap, sign, a, b, world.paths); };
  CHECK(*result(Word::plus, 2LL, 3LL).get<long long>() == 5);
  CHECK(result(Word::plus, 0x7fffffffffffffffLL, 1LL).unknown());
  CHECK(*result(Word::slash, std::string("/a"), std::string("b")).get<std::string>() == "/a/b");
  CHECK(*result(Word::percent, std::string("%s-%d"), world.heap.list({std::string("x"), 4LL})).get<std::string>() ==
        "x-4");
  CHECK(*result(Word::star, std::string("ab"), 2LL).get<std::string>() == "abab");
  CHECK(result(Word::star, std::string("ab"), 1LL << 40).unknown());
  CHECK(result(Word::plus, Value(), 1LL).unknown());
}

TEST_CASE("slices count from either end, and stop at the ends") {
  World world;
  CHECK(*sliced(world.heap, std::string("abcd"), {1, -1, {}}).get<std::string>() == "bc");
  CHECK(*sliced(world.heap, std::string("abcd"), {-99, 99, {}}).get<std::string>() == "abcd");
  CHECK(*sliced(world.heap, std::string("abcd"), {3, 1, {}}).get<std::string>() == "");
  CHECK(*sliced(world.heap, std::string("abcdef"), {1, -1, 2}).get<std::string>() == "bd");
  CHECK(*sliced(world.heap, std::string("abc"), {{}, {}, -1}).get<std::string>() == "cba");
  CHECK(sliced(world.heap, std::string("abc"), {{}, {}, 0}).unknown());
}

TEST_CASE("whether something is in a list is not known if one of its items is not") {
  World world;
  const auto list = world.heap.list({1LL, Unknown{}});
  CHECK(contains(world.heap, list, 1LL) == true);
  CHECK_FALSE(contains(world.heap, list, 2LL).has_value());
  CHECK(contains(world.heap, std::string("abc"), std::string("bc")) == true);
}

TEST_CASE("each operator on numbers, and where its result is not known") {
  World world;
  constexpr long long most = 0x7fffffffffffffffLL, least = -most - 1;
  struct Row {
    Word sign;
    long long x, y;
    std::string_view result;
  };
  for (const auto& row : {
           Row{Word::plus, 7, 3, "10"},
           Row{Word::plus, most - 1, 1, "9223372036854775807"},
           Row{Word::plus, most, 1, "?"},
           Row{Word::minus, 7, 3, "4"},
           Row{Word::minus, least, 1, "?"},
           Row{Word::star, 7, 3, "21"},
           Row{Word::star, most, 2, "?"},
           Row{Word::stars, 2, 5, "32"},
           Row{Word::stars, 5, 2, "25"},
           Row{Word::stars, 9, 0, "1"},
           Row{Word::stars, 9, 1, "9"},
           Row{Word::stars, 9, -1, "?"},
           Row{Word::stars, 1, 63, "1"},
           Row{Word::stars, 1, 64, "?"},
           Row{Word::stars, 2, 62, "4611686018427387904"},
           Row{Word::stars, 2, 63, "?"},
           Row{Word::left_shift, 3, 4, "48"},
           Row{Word::left_shift, 0, 0, "0"},
           Row{Word::left_shift, 1, 61, "2305843009213693952"},
           Row{Word::left_shift, 1, 62, "?"},
           Row{Word::left_shift, 2, 61, "?"},
           Row{Word::left_shift, 0, 62, "?"},
           Row{Word::left_shift, -1, 1, "?"},
           Row{Word::left_shift, 1, -1, "?"},
           Row{Word::right_shift, 48, 4, "3"},
           Row{Word::right_shift, 1, 0, "1"},
           Row{Word::right_shift, most, 62, "1"},
           Row{Word::right_shift, most, 63, "?"},
           Row{Word::right_shift, 1, -1, "?"},
           Row{Word::right_shift, -1, 1, "?"},
           Row{Word::pipe, 6, 3, "7"},
           Row{Word::ampersand, 6, 3, "2"},
           Row{Word::caret, 6, 3, "5"},
           Row{Word::slashes, 7, 2, "3"},
           Row{Word::slashes, 7, 0, "?"},
           Row{Word::slashes, -7, 2, "?"},
           Row{Word::slashes, 7, -2, "?"},
           Row{Word::percent, 7, 4, "3"},
           Row{Word::percent, 0, 1, "0"},
           Row{Word::percent, 7, 0, "?"},
           Row{Word::percent, -7, 4, "?"},
           Row{Word::percent, 7, -4, "?"},
           Row{Word::slash, 6, 3, "?"},
       }) {
    CAPTURE(static_cast<int>(row.sign));
    CAPTURE(row.x);
    CAPTURE(row.y);
    CHECK(shown_value(apply(world.heap, row.sign, row.x, row.y, world.paths)) == row.result);
  }
}

TEST_CASE("operators on texts, lists and sets, and on what does not fit together") {
  World world;
  const auto list = [&](std::vector<Value> items) -> Value { return world.heap.list(std::move(items)); };
  const auto set = [&](std::vector<Value> items) -> Value { return world.heap.set(std::move(items)); };
  const auto result = [&](Word sign, const Value& a, const Value& b) {
    return shown_value(apply(world.heap, sign, a, b, world.paths));
  };
  CHECK(result(Word::plus, text_value("ab"), text_value("c")) == "'abc'");
  CHECK(result(Word::slash, text_value("a"), text_value("/c")) == "'/c'");
  CHECK(result(Word::minus, text_value("ab"), text_value("c")) == "?");
  CHECK(result(Word::plus, text_value("ab"), 1LL) == "?");
  CHECK(result(Word::plus, 1LL, text_value("ab")) == "?");
  CHECK(result(Word::plus, text_value(std::string(max_length - 2, 'a')), text_value("b")) ==
        "'" + std::string(max_length - 2, 'a') + "b'");
  CHECK(result(Word::plus, text_value(std::string(max_length - 1, 'a')), text_value("b")) == "?");
  CHECK(result(Word::star, text_value("ab"), 3LL) == "'ababab'");
  CHECK(result(Word::star, text_value("ab"), 0LL) == "''");
  CHECK(result(Word::star, text_value("ab"), -1LL) == "?");
  CHECK(result(Word::star, text_value(""), 3LL) == "?");
  CHECK(result(Word::plus, text_value("ab"), 3LL) == "?");
  CHECK(apply(world.heap, Word::star, text_value("ab"), 1LL << 15, world.paths).get<std::string>()->size() ==
        max_length);
  CHECK(result(Word::star, text_value("ab"), (1LL << 15) + 1) == "?");
  CHECK(result(Word::plus, list({1LL, 2LL}), list({3LL})) == "[1 2 3]");
  CHECK(result(Word::plus, list({1LL}), 3LL) == "?");
  CHECK(result(Word::plus, 3LL, list({1LL})) == "?");
  CHECK(result(Word::star, list({1LL}), list({1LL})) == "?");
  const auto half = std::vector<Value>(max_length / 2, 1LL);
  CHECK(result(Word::plus, list(half), list(half)) == "?");
  CHECK(apply(world.heap, Word::plus, list(half), list({half.begin() + 1, half.end()}), world.paths)
            .get<List>()
            ->items->size() == max_length - 1);
  const auto a = set({text_value("x"), text_value("y")}), b = set({text_value("z"), text_value("y")});
  CHECK(result(Word::pipe, a, b) == "{'x' 'y' 'z']");
  CHECK(result(Word::ampersand, a, b) == "{'y']");
  CHECK(result(Word::minus, a, b) == "{'x']");
  CHECK(result(Word::minus, b, a) == "{'z']");
  CHECK(result(Word::caret, a, b) == "?");
  CHECK(result(Word::pipe, a, set({1LL})) == "?");
  CHECK(result(Word::pipe, set({1LL}), a) == "?");
}

TEST_CASE("a format of percent signs takes texts and numbers, as many as it asks for") {
  World world;
  const auto result = [&](std::string_view format, const Value& values) {
    return shown_value(apply(world.heap, Word::percent, text_value(format), values, world.paths));
  };
  const auto two = world.heap.list({text_value("x"), 4LL});
  CHECK(result("<%s>", text_value("x")) == "'<x>'");
  CHECK(result("%d", 4LL) == "'4'");
  CHECK(result("%s-%s", two) == "'x-4'");
  CHECK(result("100%% %s", text_value("x")) == "'100% x'");
  CHECK(result("%s%s", text_value("x")) == "?");
  CHECK(result("%s%s%s", two) == "?");
  CHECK(result("%s", two) == "?");
  CHECK(result("a", text_value("x")) == "?");
  CHECK(result("a", world.heap.list({})) == "'a'");
  CHECK(result("100%", world.heap.list({})) == "?");
  CHECK(result("100%%", world.heap.list({})) == "'100%'");
  CHECK(result("%x", 4LL) == "?");
  CHECK(result("%r", text_value("x")) == "?");
  CHECK(result("%s", Unknown{}) == "?");
  CHECK(result("%s", None{}) == "?");
  const std::string wide(max_length, 'a');
  CHECK(result(wide + "%s", text_value("x")) == "'" + wide + "x'");
  CHECK(result(wide + "b%s", text_value("x")) == "?");
}

TEST_CASE("slices with each kind of bound, forwards and backwards") {
  World world;
  struct Row {
    Slice slice;
    std::string_view letters;
  };
  for (const auto& row : {
           Row{{{}, {}, {}}, "abcde"},
           Row{{1, 3, {}}, "bc"},
           Row{{-2, {}, {}}, "de"},
           Row{{{}, -4, {}}, "a"},
           Row{{4, 2, {}}, ""},
           Row{{5, {}, {}}, ""},
           Row{{-5, 1, {}}, "a"},
           Row{{{}, {}, 2}, "ace"},
           Row{{1, {}, 3}, "be"},
           Row{{{}, {}, 5}, "a"},
           Row{{{}, {}, 6}, "a"},
           Row{{{}, {}, -1}, "edcba"},
           Row{{{}, {}, -2}, "eca"},
           Row{{3, 0, -1}, "dcb"},
           Row{{{}, 1, -2}, "ec"},
           Row{{1, {}, -1}, "ba"},
           Row{{0, {}, -1}, "a"},
           Row{{{}, 0, -1}, "edcb"},
           Row{{99, -99, -1}, "edcba"},
           Row{{{}, {}, -6}, "e"},
           Row{{0, 4, -1}, ""},
           Row{{{}, {}, 1LL << 62}, "a"},
           Row{{{}, {}, -(1LL << 62)}, "e"},
       }) {
    CAPTURE(row.letters);
    const auto& [slice, letters] = row;
    CHECK(shown_value(sliced(world.heap, text_value("abcde"), slice)) == "'" + std::string(letters) + "'");
    std::vector<Value> items, wanted;
    for (const char c : std::string_view("abcde")) items.push_back(std::string(1, c));
    for (const char c : letters) wanted.push_back(std::string(1, c));
    CHECK(shown_value(sliced(world.heap, world.heap.list(items), slice)) == shown_value(world.heap.list(wanted)));
  }
  CHECK(shown_value(sliced(world.heap, world.heap.list({1LL}), {{}, {}, 0})) == "?");
  CHECK(shown_value(sliced(world.heap, text_value("\xc3\xa9"), {{}, {}, {}})) == "?");
  CHECK(shown_value(sliced(world.heap, 5LL, {{}, {}, {}})) == "?");
}

TEST_CASE("the place of an index counts from either end") {
  CHECK(place_in(3, 0) == 0U);
  CHECK(place_in(3, 2) == 2U);
  CHECK_FALSE(place_in(3, 3).has_value());
  CHECK(place_in(3, -1) == 2U);
  CHECK(place_in(3, -3) == 0U);
  CHECK_FALSE(place_in(3, -4).has_value());
  CHECK_FALSE(place_in(0, 0).has_value());
}

TEST_CASE("a text is of one byte for each character wherever the other stands") {
  World world;
  CHECK(is_ascii(world.heap, ""));
  for (std::size_t size : {1U, 15U, 16U, 17U, 33U})
    for (std::size_t at = 0; at < size; ++at) {
      CAPTURE(size);
      CAPTURE(at);
      std::string one(size, '\x7f');
      CHECK(is_ascii(world.heap, one));
      one[at] = '\x80';
      CHECK_FALSE(is_ascii(world.heap, one));
    }
}

TEST_CASE("numbers, texts and lists are in order, other values and sets are not") {
  World world;
  const auto list = [&](std::vector<Value> items) -> Value { return world.heap.list(std::move(items)); };
  const auto order = [&](const Value& a, const Value& b) { return compare(world.heap, a, b).value_or(99); };
  CHECK(order(1LL, 2LL) == -1);
  CHECK(order(2LL, 1LL) == 1);
  CHECK(order(2LL, 2LL) == 0);
  CHECK(order(text_value("a"), text_value("b")) == -1);
  CHECK(order(text_value("b"), text_value("a")) == 1);
  CHECK(order(text_value("a"), text_value("a")) == 0);
  CHECK(order(text_value("a"), 1LL) == 99);
  CHECK(order(1LL, text_value("a")) == 99);
  CHECK(order(list({1LL}), 1LL) == 99);
  CHECK(order(1LL, list({1LL})) == 99);
  CHECK(order(list({1LL, 2LL}), list({1LL, 3LL})) == -1);
  CHECK(order(list({1LL, 3LL}), list({1LL, 2LL})) == 1);
  CHECK(order(list({1LL}), list({1LL, 0LL})) == -1);
  CHECK(order(list({1LL, 0LL}), list({1LL})) == 1);
  CHECK(order(list({1LL}), list({1LL})) == 0);
  CHECK(order(list({1LL, Unknown{}}), list({2LL, 0LL})) == -1);
  CHECK(order(list({Unknown{}, 1LL}), list({2LL, 0LL})) == 99);
  CHECK(order(world.heap.set({1LL}), list({1LL})) == 99);
  CHECK(order(list({1LL}), world.heap.set({1LL})) == 99);
  Value deep = 1LL;
  for (int i = 0; i < 80; ++i) deep = list({deep});
  CHECK(order(deep, deep) == 0);
  deep = list({deep});
  CHECK(order(deep, deep) == 99);
}

TEST_CASE("items are sorted, equal ones in their order, if all of them can be compared") {
  World world;
  std::vector<Value> items{3LL, 1LL, 2LL, 1LL};
  CHECK(sort_items(world.heap, items));
  CHECK(shown_value(world.heap.list(items)) == "[1 1 2 3]");
  for (const auto& other : {Value(text_value("a")), Value(Unknown{})})
    for (std::size_t at : {0U, 1U, 2U}) {
      items = {3LL, 1LL};
      items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), other);
      const auto before = shown_value(world.heap.list(items));
      CHECK_FALSE(sort_items(world.heap, items));
      CHECK(shown_value(world.heap.list(items)) == before);
    }
}

TEST_CASE("values are equal, are not, or may be") {
  World world;
  const auto list = [&](std::vector<Value> items) -> Value { return world.heap.list(std::move(items)); };
  const auto set = [&](std::vector<Value> items) -> Value { return world.heap.set(std::move(items)); };
  const auto same = [&](const Value& a, const Value& b) {
    const auto forth = shown_value(equal(world.heap, a, b)), back = shown_value(equal(world.heap, b, a));
    return forth == back ? forth : forth + " and " + back;
  };
  CHECK(same(1LL, 1LL) == "True");
  CHECK(same(1LL, 2LL) == "False");
  CHECK(same(true, 1LL) == "True");
  CHECK(same(true, 2LL) == "False");
  CHECK(same(true, false) == "False");
  CHECK(same(true, text_value("a")) == "False");
  CHECK(same(text_value("a"), text_value("a")) == "True");
  CHECK(same(text_value("a"), text_value("b")) == "False");
  CHECK(same(None{}, None{}) == "True");
  CHECK(same(None{}, 0LL) == "False");
  CHECK(same(Unknown{}, 1LL) == "?");
  CHECK(same(Named{"x"}, 1LL) == "?");
  CHECK(same(Named{"x"}, Named{"x"}) == "?");
  CHECK(same(ModuleName{"x"}, ModuleName{"x"}) == "True");
  CHECK(same(ModuleName{"x"}, ModuleName{"y"}) == "False");
  CHECK(same(list({1LL, 2LL}), list({1LL, 2LL})) == "True");
  CHECK(same(list({1LL, 2LL}), list({1LL, 3LL})) == "False");
  CHECK(same(list({1LL}), list({1LL, 1LL})) == "False");
  CHECK(same(list({Unknown{}, 2LL}), list({1LL, 3LL})) == "False");
  CHECK(same(list({Unknown{}, 2LL}), list({1LL, 2LL})) == "?");
  CHECK(same(list({1LL}), set({1LL})) == "?");
  CHECK(same(set({1LL, 2LL}), set({2LL, 1LL})) == "True");
  CHECK(same(set({1LL, 2LL}), set({3LL, 1LL})) == "False");
  CHECK(same(set({1LL}), set({1LL, 2LL})) == "False");
  CHECK(same(set({Unknown{}}), set({Unknown{}})) == "?");
  Value deep = 1LL;
  for (int i = 0; i < 50; ++i) deep = list({deep});
  CHECK(same(deep, deep) == "True");
  deep = list({deep});
  CHECK(same(deep, deep) == "?");
}

TEST_CASE("an object is equal to itself, and its class says whether to others") {
  World world;
  const auto same = [&](const Value& a, const Value& b) {
    const auto forth = shown_value(equal(world.heap, a, b)), back = shown_value(equal(world.heap, b, a));
    return forth == back ? forth : forth + " and " + back;
  };
  const auto plain = object_of({}, true), other = object_of({}, true);
  const auto one = object_of({plain}), two = object_of({plain}), open = object_of({Unknown{}});
  CHECK(same(one, one) == "True");
  CHECK(same(one, two) == "False");
  CHECK(same(plain, plain) == "True");
  CHECK(same(plain, other) == "False");
  CHECK(same(plain, one) == "False");
  CHECK(same(plain, 1LL) == "False");
  CHECK(same(one, 1LL) == "False");
  CHECK(same(one, text_value("a")) == "False");
  CHECK(same(open, 1LL) == "?");
  plain->names["__eq__"] = 1LL;
  CHECK(same(one, 1LL) == "?");
}

TEST_CASE("what an object and its classes have is known if all of them are") {
  const auto object = [](Value base) { return object_of({std::move(base)}); };
  CHECK(all_members_known(*object_of({})));
  CHECK(all_members_known(*object(Named{"builtins.object"})));
  CHECK_FALSE(all_members_known(*object(Named{"other"})));
  CHECK_FALSE(all_members_known(*object(Unknown{})));
  const auto type = object_of({}, true), open = object_of({Unknown{}}, true);
  type->names["x"] = 1LL;
  CHECK(all_members_known(*object(type)));
  CHECK(all_members_known(*object(type), {"y"}));
  CHECK_FALSE(all_members_known(*object(type), {"y", "x"}));
  CHECK_FALSE(all_members_known(*object(open)));
  CHECK_FALSE(all_members_known(*object_of({type, open})));
  CHECK_FALSE(all_members_known(*object_of({open, type})));
  CHECK(all_members_known(*object_of({type, object_of({type}, true)})));
  const auto chain = [](int classes) {
    ObjectRef last = object_of({}, true);
    for (int i = 1; i < classes; ++i) last = object_of({last}, true);
    return last;
  };
  CHECK(all_members_known(*chain(100)));
  CHECK_FALSE(all_members_known(*chain(101)));
}

TEST_CASE("classes are visited in the order in which they are named, each once") {
  std::vector<ObjectRef> all;
  const auto made = [&](const std::string& name, std::vector<Value> bases) {
    all.push_back(object_of(std::move(bases), true));
    all.back()->name = name;
    return all.back();
  };
  const auto visited = [](const Object& from, std::string_view until) {
    std::string names;
    visit_classes(from, [&](const Object& one) {
      names += one.name;
      return one.name != until;
    });
    return names;
  };
  const auto top = made("T", {}), left = made("L", {top}), right = made("R", {Unknown{}, top});
  const auto both = made("B", {left, right}), last = made("Z", {both});
  CHECK(visited(*last, "") == "ZBLTR");
  CHECK(visited(*last, "Z") == "Z");
  CHECK(visited(*last, "L") == "ZBL");
  CHECK(visited(*right, "") == "RT");
  std::vector<Value> many;
  std::string names = "M";
  for (char c = 'a'; c <= 'z'; ++c) many.emplace_back(made({c}, {top})), names += c;
  for (char c = '0'; c <= '9'; ++c) many.emplace_back(made({c}, {top})), names += c;
  names.insert(2, "T");
  CHECK(visited(*made("M", many), "") == names);
  const auto again = many;
  many.insert(many.end(), again.begin(), again.end());
  CHECK(visited(*made("M", many), "") == names);
}

TEST_CASE("the truth of objects, of names and of functions") {
  CHECK(truth(Value(true)) == true);
  CHECK(truth(Value(false)) == false);
  CHECK(truth(Value(-1LL)) == true);
  CHECK(truth(text_value("")) == false);
  World world;
  CHECK(truth(world.heap.list({0LL})) == true);
  auto dict = world.heap.dict();
  CHECK(truth(dict) == false);
  dict.items->put(world.heap, 1LL, 2LL, false);
  CHECK(truth(dict) == true);
  CHECK(truth(ModuleName{"x"}) == true);
  CHECK_FALSE(truth(Named{"x"}).has_value());
  const auto type = object_of({}, true);
  CHECK(truth(type) == true);
  CHECK(truth(object_of({type})) == true);
  for (const auto* name : {"__bool__", "__len__"}) {
    CAPTURE(name);
    const auto other = object_of({}, true);
    other->names[name] = 1LL;
    CHECK(truth(other) == true);
    CHECK_FALSE(truth(object_of({other})).has_value());
  }
}

TEST_CASE("of items that are equal the first is kept") {
  World world;
  const auto kept = [&](std::vector<Value> items) {
    return shown_value(world.heap.list(without_doubles(world.heap, std::move(items))));
  };
  CHECK(kept({text_value("a"), 1LL, text_value("b"), text_value("a"), true, 2LL, 1LL}) == "['a' 1 'b' 2]");
  CHECK(kept({false, 0LL, None{}, None{}}) == "[False None]");
  CHECK(kept({Unknown{}, Unknown{}}) == "[? ?]");
  CHECK(kept({world.heap.list({1LL}), world.heap.list({2LL}), world.heap.list({1LL})}) == "[[1] [2]]");
}

TEST_CASE("something is in a list, in the keys of a dictionary or in a text, or not") {
  World world;
  const auto in = [&](const Value& item, const Value& owner) { return shown_value(contains(world.heap, owner, item)); };
  const auto list = [&](std::vector<Value> items) -> Value { return world.heap.list(std::move(items)); };
  CHECK(in(text_value("b"), list({text_value("a"), text_value("b")})) == "True");
  CHECK(in(text_value("c"), list({text_value("a"), text_value("b")})) == "False");
  CHECK(in(text_value("b"), list({text_value("bb"), text_value("c")})) == "False");
  CHECK(in(text_value("b"), list({1LL, text_value("b")})) == "True");
  CHECK(in(text_value("b"), list({text_value("b"), Unknown{}})) == "True");
  CHECK(in(text_value("b"), list({text_value("a"), Unknown{}})) == "?");
  CHECK(in(text_value("b"), list({1LL})) == "False");
  CHECK(in(2LL, list({1LL, 2LL})) == "True");
  CHECK(in(2LL, list({})) == "False");
  auto dict = world.heap.dict();
  dict.items->put(world.heap, text_value("k"), text_value("v"), false);
  CHECK(in(text_value("k"), dict) == "True");
  CHECK(in(text_value("v"), dict) == "False");
  dict.items->put(world.heap, Unknown{}, text_value("v"), false);
  CHECK(in(text_value("k"), dict) == "True");
  CHECK(in(text_value("v"), dict) == "?");
  CHECK(in(text_value("b"), text_value("abc")) == "True");
  CHECK(in(text_value("abc"), text_value("b")) == "False");
  CHECK(in(1LL, text_value("abc")) == "?");
  CHECK(in(text_value("b"), 1LL) == "?");
  const auto part = [&](std::vector<Value> some, std::vector<Value> whole) {
    const Value first = world.heap.list(std::move(some)), second = world.heap.list(std::move(whole));
    return shown_value(is_subset(world.heap, *first.get<List>(), *second.get<List>()));
  };
  CHECK(part({1LL}, {1LL, 2LL}) == "True");
  CHECK(part({1LL, 3LL}, {1LL, 2LL}) == "False");
  CHECK(part({Unknown{}, 3LL}, {1LL, 2LL}) == "False");
  CHECK(part({Unknown{}, 1LL}, {1LL, 2LL}) == "?");
}
