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
  CHECK(budget.error().message == "more than 3 steps would be taken for it");
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

}  // namespace
}  // namespace cudald
