#include <cudald/load_graph.h>

#include <algorithm>
#include <map>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/strong_components.hpp>

namespace cudald {
namespace {

using Adjacency = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property, Hop>;
using Visited = std::vector<ObjectId>;

/// Calls a function for each object that a breadth-first search reaches.
template <typename Function>
class OnDiscovery : public boost::default_bfs_visitor {
 public:
  explicit OnDiscovery(Function function) : function_(std::move(function)) {}

  template <typename AnyGraph>
  void discover_vertex(ObjectId id, const AnyGraph&) {
    function_(id);
  }

 private:
  Function function_;
};

/// Notes through which request a breadth-first search first reached each object.
class FirstHops : public boost::default_bfs_visitor {
 public:
  explicit FirstHops(std::vector<std::optional<Hop>>& hops) : hops_(&hops) {}

  template <typename AnyGraph, typename EdgeOfGraph>
  void tree_edge(EdgeOfGraph edge, const AnyGraph& graph) {
    (*hops_)[target(edge, graph)] = graph[edge];
  }

 private:
  std::vector<std::optional<Hop>>* hops_;
};

}  // namespace

/// Besides the objects there is one vertex more, the user, who asks for each target.
struct LoadGraph::Graph {
  explicit Graph(std::size_t objects) : adjacency(objects + 1), user(objects) {}

  Adjacency adjacency;
  ObjectId user;
};

LoadGraph::LoadGraph(const Resolution& resolution, Requests requests)
    : graph_(std::make_unique<Graph>(resolution.objects.size())) {
  for (ObjectId id = 0; id < resolution.objects.size(); ++id) {
    const auto& edges = resolution.objects[id].edges;
    for (std::size_t i = 0; i < edges.size(); ++i)
      if (edges[i].object &&
          (requests == Requests::all || (edges[i].kind != EdgeKind::dlopen && edges[i].kind != EdgeKind::preload)))
        add_edge(id, *edges[i].object, Hop{id, *edges[i].object, i}, graph_->adjacency);
  }
  for (const Target& target : resolution.targets)
    if (target.object) add_edge(graph_->user, *target.object, Hop{}, graph_->adjacency);
}

LoadGraph::~LoadGraph() = default;
LoadGraph::LoadGraph(LoadGraph&&) noexcept = default;

std::vector<ObjectId> LoadGraph::breadth_first(ObjectId from) const {
  std::vector<ObjectId> order;
  const OnDiscovery visitor([&order](ObjectId id) { order.push_back(id); });
  boost::breadth_first_search(graph_->adjacency, from, boost::visitor(visitor));
  return order;
}

std::vector<std::vector<ObjectId>> LoadGraph::cycles() const {
  const Adjacency& graph = graph_->adjacency;
  std::vector<std::size_t> component(num_vertices(graph));
  boost::strong_components(graph,
                           boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, graph)));

  std::map<std::size_t, std::vector<ObjectId>> members;
  for (ObjectId id = 0; id < component.size(); ++id) members[component[id]].push_back(id);
  std::vector<std::vector<ObjectId>> result;
  for (auto& [number, ids] : members)
    if (ids.size() > 1 || edge(ids.front(), ids.front(), graph).second) result.push_back(std::move(ids));
  std::sort(result.begin(), result.end());
  return result;
}

std::optional<Chain> LoadGraph::shortest_chain(ObjectId to) const {
  std::vector<std::optional<Hop>> first_hops(num_vertices(graph_->adjacency));
  boost::breadth_first_search(graph_->adjacency, graph_->user, boost::visitor(FirstHops(first_hops)));
  if (!first_hops[to]) return std::nullopt;

  const auto [first, last] = adjacent_vertices(graph_->user, graph_->adjacency);
  Chain chain;
  for (ObjectId id = to; std::find(first, last, id) == last; id = chain.back().from) chain.push_back(*first_hops[id]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

namespace {

/// A depth-first walk over the objects from which the goal can be reached.
class ChainSearch {
 public:
  ChainSearch(const Adjacency& graph, ObjectId goal, std::size_t limit) : graph_(graph), goal_(goal), limit_(limit) {
    leads_to_goal_.resize(num_vertices(graph));
    on_chain_.resize(num_vertices(graph));
    const OnDiscovery visitor([this](ObjectId id) { leads_to_goal_[id] = true; });
    boost::breadth_first_search(boost::make_reverse_graph(graph), goal, boost::visitor(visitor));
  }

  void from(ObjectId id) {
    if (id == goal_) {
      if (result_.chains.size() == limit_) result_.complete = false;
      if (result_.complete) result_.chains.push_back(chain_);
      return;
    }
    on_chain_[id] = true;
    std::vector<ObjectId> tried;  // a library that is asked for twice, under two names, makes one chain
    for (auto [at, end] = out_edges(id, graph_); at != end && result_.complete; ++at) {
      const ObjectId next = target(*at, graph_);
      if (!leads_to_goal_[next] || on_chain_[next]) continue;
      if (std::find(tried.begin(), tried.end(), next) != tried.end()) continue;
      tried.push_back(next);
      if (--steps_left_ == 0) result_.complete = false;
      chain_.push_back(graph_[*at]);
      from(next);
      chain_.pop_back();
    }
    on_chain_[id] = false;
  }

  Chains take() { return std::move(result_); }

 private:
  const Adjacency& graph_;
  ObjectId goal_;
  std::size_t limit_;
  // Among cycles a walk can meet many dead ends before the next chain.
  std::size_t steps_left_ = 1'000'000;
  std::vector<bool> leads_to_goal_, on_chain_;
  Chain chain_;
  Chains result_;
};

}  // namespace

Chains LoadGraph::all_chains(ObjectId to, std::size_t limit) const {
  ChainSearch search(graph_->adjacency, to, limit);
  std::vector<ObjectId> started;
  for (auto [at, end] = adjacent_vertices(graph_->user, graph_->adjacency); at != end; ++at) {
    if (std::find(started.begin(), started.end(), *at) != started.end()) continue;
    started.push_back(*at);
    search.from(*at);
  }
  return search.take();
}

std::vector<Hop> LoadGraph::requests_for(ObjectId id) const {
  std::vector<Hop> hops;
  for (auto [at, end] = in_edges(id, graph_->adjacency); at != end; ++at)
    if (source(*at, graph_->adjacency) != graph_->user) hops.push_back(graph_->adjacency[*at]);
  std::sort(hops.begin(), hops.end(),
            [](const Hop& a, const Hop& b) { return a.from != b.from ? a.from < b.from : a.edge < b.edge; });
  return hops;
}

}  // namespace cudald
