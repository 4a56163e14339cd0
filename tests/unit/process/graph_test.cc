#include <cudald/load_graph.h>

#include <doctest/doctest.h>

namespace cudald {
namespace {

/// A resolution with `edges[i]` the objects that object i needs; object 0 is the target.
Resolution graph_of(const std::vector<std::vector<ObjectId>>& edges) {
  Resolution resolution;
  for (const auto& needed : edges) {
    Object object;
    for (const ObjectId id : needed) {
      Edge edge;
      edge.object = id;
      object.edges.push_back(edge);
    }
    resolution.objects.push_back(object);
  }
  Target target;
  target.object = 0;
  resolution.targets = {target};
  return resolution;
}

std::vector<ObjectId> goals(const Chain& chain) {
  std::vector<ObjectId> ids;
  for (const Hop& hop : chain) ids.push_back(hop.to);
  return ids;
}

TEST_CASE("breadth first takes the nearest first, in the file's order") {
  const LoadGraph graph(graph_of({{2, 1}, {3}, {4}, {}, {0}}));
  CHECK(graph.breadth_first(0) == std::vector<ObjectId>{0, 2, 1, 4, 3});
}

TEST_CASE("circles are found, also of one object") {
  const LoadGraph graph(graph_of({{1, 3}, {2}, {1}, {3}, {0}}));
  CHECK(graph.cycles() == std::vector<std::vector<ObjectId>>{{1, 2}, {3}});
  CHECK(LoadGraph(graph_of({{1}, {2}, {}})).cycles().empty());
}

TEST_CASE("the shortest chain is taken") {
  const LoadGraph graph(graph_of({{1, 2}, {3}, {4}, {4}, {}, {}}));
  CHECK(goals(*graph.shortest_chain(4)) == std::vector<ObjectId>{2, 4});
  CHECK(graph.shortest_chain(0)->empty());
  CHECK_FALSE(graph.shortest_chain(5));
}

TEST_CASE("a second target starts chains of its own") {
  Resolution resolution = graph_of({{}, {2}, {}});
  Target target;
  target.object = 1;
  resolution.targets.push_back(target);
  CHECK(goals(*LoadGraph(resolution).shortest_chain(2)) == std::vector<ObjectId>{2});
}

TEST_CASE("all chains pass no object twice and stop at the limit") {
  const LoadGraph graph(graph_of({{1, 2}, {2, 3}, {1, 3}, {}}));
  const Chains all = graph.all_chains(3, 100);
  CHECK(all.complete);
  REQUIRE(all.chains.size() == 4);
  CHECK(goals(all.chains[0]) == std::vector<ObjectId>{1, 2, 3});
  CHECK(goals(all.chains[1]) == std::vector<ObjectId>{1, 3});
  CHECK(goals(all.chains[2]) == std::vector<ObjectId>{2, 1, 3});
  CHECK(goals(all.chains[3]) == std::vector<ObjectId>{2, 3});

  const Chains some = graph.all_chains(3, 2);
  CHECK_FALSE(some.complete);
  CHECK(some.chains.size() == 2);
}

TEST_CASE("many circles do not keep the search for chains busy for ever") {
  // 24 objects, each needing all others: more simple paths than anybody can count.
  std::vector<std::vector<ObjectId>> edges(24);
  for (ObjectId from = 0; from < edges.size(); ++from)
    for (ObjectId to = 0; to < edges.size(); ++to)
      if (to != from && to != 23) edges[from].push_back(to);
  edges[22] = {23};
  const Chains chains = LoadGraph(graph_of(edges)).all_chains(23, 1000);
  CHECK_FALSE(chains.complete);
  CHECK(chains.chains.size() <= 1000);
}

TEST_CASE("requests for an object are listed in load order") {
  const LoadGraph graph(graph_of({{1, 2}, {2}, {}}));
  CHECK(graph.requests_for(2) == std::vector<Hop>{{0, 2, 1}, {1, 2, 0}});
  CHECK(graph.requests_for(0).empty());
  const LoadGraph twice(graph_of({{1, 1}, {}, {1}}));
  CHECK(twice.requests_for(1) == std::vector<Hop>{{0, 1, 0}, {0, 1, 1}, {2, 1, 0}});
}

TEST_CASE("a library that is asked for twice makes one chain, as does a target that is named twice") {
  auto resolution = graph_of({{1, 1}, {2}, {}});
  resolution.targets.push_back(resolution.targets.front());
  LoadGraph first(resolution);
  const LoadGraph graph(std::move(first));
  const auto chains = graph.all_chains(2, 100);
  CHECK(chains.complete);
  REQUIRE(chains.chains.size() == 1);
  CHECK(goals(chains.chains[0]) == std::vector<ObjectId>{1, 2});
  CHECK(chains.chains[0][0].edge == 0);
  // The limit is met exactly.
  CHECK(graph.all_chains(2, 1).complete);
  CHECK_FALSE(graph.all_chains(2, 0).complete);
  CHECK(graph.all_chains(2, 0).chains.empty());
}

TEST_CASE("a search for chains among dead ends is given up") {
  // From each of twelve that need each other the goal is reached by the first object alone, which is on the chain.
  std::vector<std::vector<ObjectId>> edges(14);
  for (ObjectId from = 0; from < 13; ++from)
    for (ObjectId to = 0; to < 13; ++to)
      if (to != from) edges[from].push_back(to);
  edges[0].push_back(13);
  const auto chains = LoadGraph(graph_of(edges)).all_chains(13, 10);
  CHECK_FALSE(chains.complete);
  CHECK(chains.chains.empty());
}

TEST_CASE("what only dlopen and preloads ask for can be left out") {
  auto resolution = graph_of({{1, 2, 3}, {}, {}, {}});
  resolution.objects[0].edges[1].kind = EdgeKind::dlopen;
  resolution.objects[0].edges[2].kind = EdgeKind::preload;
  CHECK(LoadGraph(resolution, LoadGraph::Requests::all).breadth_first(0) == std::vector<ObjectId>{0, 1, 2, 3});
  CHECK(LoadGraph(resolution, LoadGraph::Requests::needs).breadth_first(0) == std::vector<ObjectId>{0, 1});
}

}  // namespace
}  // namespace cudald
