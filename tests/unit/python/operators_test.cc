#include "python/operators.h"

#include <doctest/doctest.h>

using namespace cudald::python;

namespace {

struct World {
  cudald::Budget budget;
  Heap heap{budget};
  CodePaths paths{false};
};

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
