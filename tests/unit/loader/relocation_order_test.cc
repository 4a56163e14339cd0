#include "loader/relocation_order.h"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "unit/loader/loaded.h"

namespace cudald {
namespace {

/// Objects of one request, "0" asked for, that need one another; in the order of relocation.
SearchList order_of(std::size_t count, const std::vector<std::pair<ObjectId, ObjectId>>& needs,
                    const LibcVersion& libc = {}) {
  Resolution resolution;
  resolution.libc = libc;
  for (ObjectId id = 0; id < count; ++id) {
    add(resolution, "/" + std::to_string(id), good_image());
    resolution.targets[0].search_list.push_back(id);
  }
  for (const auto& [one, other] : needs) {
    Edge edge;
    edge.object = other;
    resolution.objects[one].edges.push_back(edge);
  }
  resolution.targets[0].object = 0;
  return relocation_order(resolution, 0);
}

// Source: glibc elf/dl-sort-maps.c, _dl_sort_maps_dfs: the list is searched from its end.
TEST_CASE("what is needed comes before what needs it, otherwise the last that was loaded first") {
  CHECK(order_of(3, {{0, 1}, {0, 2}}) == SearchList{2, 1, 0});
  CHECK(order_of(3, {{0, 1}, {0, 2}, {2, 1}}) == SearchList{1, 2, 0});
  CHECK(order_of(3, {{0, 1}, {0, 2}, {1, 2}}) == SearchList{2, 1, 0});
  // In a circle the one that was asked for comes last.
  CHECK(order_of(3, {{0, 1}, {1, 2}, {2, 0}}) == SearchList{2, 1, 0});
  CHECK(order_of(3, {{0, 1}, {1, 2}, {2, 1}}) == SearchList{1, 2, 0});
}

TEST_CASE("what another request brought in is not of this one, and a dlopen is no need") {
  Resolution resolution;
  const auto app = add(resolution, "/app", good_image());
  resolution.targets[0].search_list = {app};
  resolution.targets[0].object = app;
  resolution.targets.emplace_back();
  const auto plugin = add(resolution, "/plugin", good_image()), other = add(resolution, "/other", good_image());
  resolution.targets[1].search_list = {plugin, app, other};
  Edge edge;
  edge.kind = EdgeKind::dlopen;
  edge.object = plugin;
  resolution.objects[other].edges.push_back(edge);
  CHECK(relocation_order(resolution, 0) == SearchList{app});
  CHECK(relocation_order(resolution, 1) == SearchList{other, plugin});
}

// Source: musl ldso/dynlink.c, __dls3.
TEST_CASE("musl takes libraries as they were loaded, and the program last") {
  CHECK(order_of(3, {{0, 1}, {1, 2}}, {LibcKind::musl, 1, 2}) == SearchList{1, 2, 0});
}

}  // namespace
}  // namespace cudald
