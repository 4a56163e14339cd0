#include "base/budget.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a budget says no at its limit, and from then on") {
  Budget budget({.read = 10, .kept = 10, .steps = 3, .depth = 2});
  CHECK(budget.step(3));
  CHECK_FALSE(budget.exhausted());
  CHECK_FALSE(budget.step());
  CHECK(budget.exhausted());
  CHECK_FALSE(budget.read(1));
  CHECK(budget.error().code == ErrorCode::limit);
  CHECK(budget.error().message == "more than 3 steps would be needed for it");
}

TEST_CASE("no number is too large to be counted") {
  Budget budget({.read = 10, .kept = 10, .steps = 10, .depth = 2});
  CHECK(budget.keep(4));
  CHECK_FALSE(budget.keep(~std::uint64_t{0} - 2));
}

TEST_CASE("what a file cost is added to the question, and the next question starts anew") {
  const CostLimits limits{.read = 10, .kept = 10, .steps = 10, .depth = 2};
  Budget question(limits), file;
  CHECK(file.step(6));
  CHECK(question.add(file));
  CHECK_FALSE(question.add(file));
  question.restart(limits);
  CHECK(question.add(file));
}

TEST_CASE("being too deep exhausts nothing") {
  Budget budget({.read = 10, .kept = 10, .steps = 10, .depth = 1});
  const Budget::Descent first(budget);
  CHECK(first);
  {
    const Budget::Descent second(budget);
    CHECK_FALSE(second);
  }
  CHECK_FALSE(budget.exhausted());
}

TEST_CASE("what is left can be asked, and taken over") {
  Budget budget({.read = 10, .kept = 10, .steps = 10});
  CHECK(budget.read(4));
  CHECK(budget.allows({6, 10, 10}));
  CHECK_FALSE(budget.allows({7, 0, 0}));
  CHECK_FALSE(budget.allows({0, 11, 0}));
  CHECK_FALSE(budget.allows({0, 0, 11}));
  Budget other;
  other.take_over(budget);
  CHECK(other.cost() == budget.cost());
  CHECK(other.allows({6, 10, 10}));
  CHECK_FALSE(other.keep(11));
  CHECK_FALSE(other.allows({}));
  CHECK_FALSE(budget.exhausted());
  budget.take_over(other);
  CHECK(budget.exhausted());
  CHECK(budget.error().message == other.error().message);
}

TEST_CASE("each account has its own limit and its own words, and the first that was met is told") {
  const CostLimits limits{.read = 11, .kept = 12, .steps = 13, .depth = 2};
  const auto told = [&](auto&& spend) {
    Budget budget(limits);
    CHECK_FALSE(spend(budget));
    CHECK(budget.exhausted());
    CHECK(budget.error().code == ErrorCode::limit);
    // Whoever takes it over is told the same.
    Budget other;
    other.take_over(budget);
    CHECK(other.exhausted());
    CHECK(other.error().message == budget.error().message);
    return budget.error().message;
  };
  const std::string read = "more than 11 bytes would be read for it";
  const std::string kept = "more than 12 bytes of names and entries would be kept for it";
  const std::string steps = "more than 13 steps would be needed for it";
  CHECK(told([](Budget& budget) { return budget.read(12); }) == read);
  CHECK(told([](Budget& budget) { return budget.keep(13); }) == kept);
  CHECK(told([](Budget& budget) { return budget.step(14); }) == steps);
  CHECK(told([](Budget& budget) { return budget.add({12, 0, 0}); }) == read);
  CHECK(told([](Budget& budget) { return budget.add({0, 13, 0}); }) == kept);
  CHECK(told([](Budget& budget) { return budget.add({0, 0, 14}); }) == steps);
  CHECK(told([](Budget& budget) { return budget.add({12, 13, 14}); }) == read);
  CHECK(told([](Budget& budget) { return budget.keep(13) || budget.read(12); }) == kept);
}

TEST_CASE("what is spent adds up to the limit, each kind for itself") {
  Budget budget({.read = 11, .kept = 12, .steps = 13, .depth = 2});
  CHECK(budget.add({1, 2, 3}));
  CHECK(budget.read(10));
  CHECK(budget.keep(10));
  CHECK(budget.step(9));
  CHECK(budget.step());
  CHECK(budget.cost() == Cost{11, 12, 13});
  CHECK(budget.allows({}));
  CHECK_FALSE(budget.allows({1, 0, 0}));
  CHECK_FALSE(budget.exhausted());
  CHECK_FALSE(budget.keep(1));
  CHECK(budget.cost() == Cost{11, 12, 13});
  CHECK_FALSE(budget.allows({}));
  CHECK((Cost{5, 7, 9} - Cost{1, 2, 3}) == Cost{4, 5, 6});
  CHECK((Cost{5, 7, 9} + Cost{1, 2, 3}) == Cost{6, 9, 12});
}

TEST_CASE("as many levels count as are allowed, and a level that is left counts no longer") {
  Budget budget({.depth = 2});
  const Budget::Descent first(budget);
  for (int i = 0; i < 3; ++i) {
    const Budget::Descent second(budget);
    CHECK(second);
    const Budget::Descent third(budget);
    CHECK_FALSE(third);
  }
  Budget other({.depth = 9});
  other.take_over(budget);
  const Budget::Descent one(other), two(other), three(other);
  CHECK(two);
  CHECK_FALSE(three);
}

}  // namespace
}  // namespace cudald
