#include "python/source.h"

#include <doctest/doctest.h>

using namespace cudald::python;

TEST_CASE("a source that costs too much is cut short, and says so") {
  cudald::Budget little(cudald::CostLimits{.kept = 100'000});
  const auto source = Source::parse("m.py", std::string(80'000, 'a') + "\n" + std::string(50'000, '('), little);
  CHECK_FALSE(source->complete());
  CHECK(little.exhausted());
  cudald::Budget enough;
  CHECK(Source::parse("m.py", "a, b\n", enough)->complete());
}

TEST_CASE("a function's body is read when it is asked for, once") {
  cudald::Budget budget;
  const auto source = Source::parse("m.py", "def f():\n  def g():\n    import b\n  return 1\n", budget);
  const auto before = budget.cost().kept;
  const auto body = source->body(source->block()[0]);
  CHECK(budget.cost().kept > before);
  REQUIRE(body.size() == 2);
  CHECK(body[0].back().is(NodeKind::block));  // what stands in a function is read with it
  CHECK(source->body(source->block()[0]).id() == body.id());
}

TEST_CASE("where a source first binds names unseen") {
  cudald::Budget budget;
  CHECK(Source::parse("m.py", "setattrs\na.setattr(x)\n", budget)->first_trick() == 2);
  CHECK_FALSE(Source::parse("m.py", "setattrs\n", budget)->first_trick().has_value());
}

TEST_CASE("a word is mentioned where it stands alone") {
  cudald::Budget budget;
  const auto source = Source::parse("m.py", "setattrs\na.setattr(x)\n", budget);
  CHECK(first_mention(source->text(), std::vector<std::string_view>{"exec", "setattr"}) == 2);
  CHECK(source->mentions("setattrs"));
  CHECK_FALSE(source->mentions("attr"));
}
