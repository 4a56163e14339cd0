#include "loader/relocation_order.h"

#include <algorithm>

namespace cudald {
namespace {

/// Depth-first search without recursion: a chain of libraries may be thousands long.
class PostOrder {
 public:
  explicit PostOrder(const Resolution& resolution)
      : objects_(resolution.objects), visited_(resolution.objects.size(), false) {}

  void visit(ObjectId root) {
    if (visited_[root]) return;
    std::vector<std::pair<ObjectId, std::size_t>> path{{root, 0}};
    visited_[root] = true;
    while (!path.empty()) {
      auto& [id, next] = path.back();
      const auto& edges = objects_[id].edges;
      while (next < edges.size() && !leads_on(edges[next])) ++next;
      if (next == edges.size()) {
        order_.push_back(id);
        path.pop_back();
      } else {
        const auto needed = *edges[next++].object;
        visited_[needed] = true;
        path.emplace_back(needed, 0);
      }
    }
  }

  SearchList take() { return std::move(order_); }

 private:
  bool leads_on(const Edge& edge) const {
    return edge.object && edge.kind != EdgeKind::dlopen && !visited_[*edge.object] &&
           !objects_[*edge.object].main_program;
  }

  const std::vector<Object>& objects_;
  std::vector<bool> visited_;
  SearchList order_;
};

}  // namespace

SearchList relocation_order(const Resolution& resolution, std::size_t target) {
  const auto& list = resolution.targets[target].search_list;
  if (resolution.libc.kind == LibcKind::musl) {
    // musl ldso/dynlink.c, __dls3: all libraries as they were loaded, then the program.
    SearchList order;
    for (const auto id : list)
      if (resolution.objects[id].target == target && !resolution.objects[id].main_program) order.push_back(id);
    for (const auto id : list)
      if (resolution.objects[id].main_program) order.push_back(id);
    return order;
  }
  PostOrder search(resolution);
  for (auto id = list.rbegin(); id != list.rend(); ++id) search.visit(*id);
  auto order = search.take();
  std::erase_if(order, [&](ObjectId id) { return resolution.objects[id].target != target; });
  // The one that was asked for comes last, whatever circle it is part of.
  const auto& first = resolution.targets[target].object;
  if (first && std::erase(order, *first) != 0) order.push_back(*first);
  return order;
}

}  // namespace cudald
