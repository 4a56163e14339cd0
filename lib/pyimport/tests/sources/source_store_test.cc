#include "pyimport/sources/source_store.h"

#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "pyimport/run_import.h"
#include "pyimport/sources/source.h"

using namespace cudald::python;

namespace {

constexpr const char* two_functions = "def f():\n  return 1\ndef g():\n  import b\nf()\n";

std::shared_ptr<ParsedSource> source_of(SourceStore& store, const std::string& path, const std::string& text) {
  return store.source({path, std::make_shared<const std::string>(text), {}});
}

}  // namespace

TEST_CASE("what one question has parsed another one pays as if it had") {
  SourceStore store;
  cudald::Budget first, second, alone;
  const auto a = Source::parse("m.py", two_functions, first, &store);
  const auto b = Source::parse("m.py", two_functions, second, &store);
  const auto c = Source::parse("m.py", two_functions, alone);
  CHECK(a->block().id() == b->block().id());
  CHECK(a->block().id() != c->block().id());
  CHECK(a->text() == b->text());  // not only equal
  CHECK(a->text() != c->text());
  CHECK(first.cost() == second.cost());
  CHECK(first.cost() == alone.cost());

  const auto body = a->body(a->block()[1]);
  CHECK(body[0].is(NodeKind::import));
  CHECK(b->body(b->block()[1]).id() == body.id());
  CHECK(b->body(b->block()[1]).id() == body.id());  // and is paid once
  c->body(c->block()[1]);
  CHECK(first.cost() == second.cost());
  CHECK(first.cost() == alone.cost());
}

TEST_CASE("another path or another text is another source") {
  SourceStore store;
  CHECK(source_of(store, "m.py", "a") == source_of(store, "m.py", "a"));
  CHECK(source_of(store, "m.py", "a") != source_of(store, "n.py", "a"));
  CHECK(source_of(store, "m.py", "a") != source_of(store, "m.py", "b"));
}

TEST_CASE("sources that were forgotten are others the next time") {
  SourceStore store;
  CHECK(store.forget() == 0);
  const auto first = source_of(store, "m.py", "a");
  CHECK(store.forget() == sizeof(ParsedSource) + 1);
  CHECK(store.forget() == 0);
  CHECK(source_of(store, "m.py", "a") != first);
  CHECK(*first->identity().text == "a");
}

TEST_CASE("what a store keeps are its texts, and the trees that were made of them") {
  SourceStore store;
  const std::string text = two_functions;
  cudald::Budget budget;
  const auto source = Source::parse("m.py", text, budget, &store);
  const auto parsed = source_of(store, "m.py", text);
  const auto unasked = [] { return SourceText(); };
  const auto read = [&] { return source->text(); };
  const auto whole = parsed->whole(unasked, budget), body = parsed->body(source->block()[1].back(), read, budget);
  CHECK(whole->tree.bytes() > 0);
  CHECK(body->tree.bytes() > 0);
  CHECK(whole->tree.bytes_of_texts() + body->tree.bytes_of_texts() == 0);  // they stand in the source
  CHECK(store.forget() ==
        sizeof(ParsedSource) + text.size() + 2 * sizeof(ParsedSource::Part) + whole->tree.bytes() + body->tree.bytes());
}

TEST_CASE("a question without room for a source that is known does without, and the others keep it") {
  SourceStore store;
  const auto long_text = std::string(500, 'a') + "\n" + std::string(40'000, '+');
  cudald::Budget enough, again, little(cudald::CostLimits{.kept = 42'000, .steps = 100});
  const auto whole = Source::parse("m.py", long_text, enough, &store);
  REQUIRE(whole->complete());
  CHECK_FALSE(Source::parse("m.py", long_text, little, &store)->complete());
  CHECK(little.exhausted());
  const auto other = Source::parse("m.py", long_text, again, &store);
  CHECK(other->complete());
  CHECK(other->block().id() == whole->block().id());

  // Nor does one without room leave half a tree to others.
  SourceStore empty;
  cudald::Budget none(cudald::CostLimits{.kept = 42'000, .steps = 100}), rest;
  CHECK_FALSE(Source::parse("m.py", long_text, none, &empty)->complete());
  CHECK(Source::parse("m.py", long_text, rest, &empty)->complete());
}

TEST_CASE("the store begins anew when it keeps as much as a question may") {
  SourceStore store;
  const auto first = source_of(store, "first.py", "a");
  const std::string large(8 << 20, 'b');
  for (std::uint64_t kept = 0; kept < cudald::python_limits.kept; kept += large.size())
    source_of(store, std::to_string(kept), large);
  CHECK(source_of(store, "first.py", "a") == first);
  source_of(store, "one more.py", "");
  CHECK(source_of(store, "first.py", "a") != first);
}

TEST_CASE("several threads read one source") {
  SourceStore store;
  std::vector<std::thread> threads;
  std::vector<Node::Id> bodies(8);
  std::vector<cudald::Cost> costs(8);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    threads.emplace_back([&, i] {
      cudald::Budget budget;
      const auto source = Source::parse("m.py", two_functions, budget, &store);
      bodies[i] = source->body(source->block()[0]).id();
      CHECK_FALSE(source->first_trick().has_value());
      costs[i] = budget.cost();
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    CHECK(bodies[i].second == bodies[0].second);
    CHECK(costs[i] == costs[0]);
  }
}
