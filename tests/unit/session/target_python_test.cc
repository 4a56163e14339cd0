#include <doctest/doctest.h>

#include "common/world.h"

namespace cudald {
namespace {

TEST_CASE("a Python that is not there brings libm along") {
  TestWorld world;
  world.query.prefix = "/venv";
  const std::string packages = "/venv/lib/python3.11/site-packages/";
  world.add("/lib/libm.so.6", {.soname = "libm.so.6", .defines = {{"pow"}}});
  world.add(packages + "_links.so", {.needed = {"libm.so.6"}, .uses = {{"pow"}}});
  world.add(packages + "_leaves.so", {.uses = {{"pow"}, {"no_function"}}});
  const auto report = world.explain({"py:_links", "py:_leaves"});
  REQUIRE(report.symbols);
  REQUIRE(report.symbols->missing.size() == 1);
  CHECK(report.symbols->missing[0].name == "no_function");
}

}  // namespace
}  // namespace cudald
