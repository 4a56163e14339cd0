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

}  // namespace
}  // namespace cudald
