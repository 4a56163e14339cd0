#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("libraries that need one another are noted; a dlopen closes no circle") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so", "libd.so"}}));
  world.add("/lib/liba.so", {.needed = {"libb.so"}});
  world.add("/lib/libb.so", {.needed = {"libc.so"}});
  world.add("/lib/libc.so", {.needed = {"liba.so"}});
  world.add("/lib/libd.so", {});
  world.query.dlopens = {{.name = "libb.so", .caller = "libd.so"}, {.name = "libd.so", .caller = "libb.so"}};
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD113 note liba.so: liba.so\n");
  CHECK(in_full(report) ==
        R"(CUD113 | note | /lib/liba.so | liba.so
  liba.so, libb.so, libc.so need one another in a circle
  - libc.so needs liba.so | /lib/libc.so | proven
  = Each is mapped once; constructors of one of them run before those of a library that it needs.
)");
  CHECK(report.findings[0].message == "liba.so, libb.so, libc.so need one another in a circle");
  CHECK(report.verdict == Verdict::loads);
}

TEST_CASE("of a circle five names and five who need the first are shown, and a library that needs itself is none") {
  auto report = made_report({made_object("/bin/app")});
  auto& objects = report.resolution.objects;
  for (int i = 1; i <= 8; ++i) objects.push_back(made_object("/lib/lib" + std::to_string(i) + ".so"));
  for (ObjectId id = 1; id <= 8; ++id) {
    objects[id].edges = {made_edge("lib1.so", EdgeStatus::already_loaded, 1)};
    if (id < 8) objects[id].edges.push_back(made_edge("next", EdgeStatus::loaded, id + 1));
  }
  objects[2].edges[0].kind = EdgeKind::filter;
  CHECK(made_findings(check_cycles, report) == R"(CUD113 | note | /lib/lib1.so | lib1.so
  lib1.so, lib2.so, lib3.so, lib4.so, lib5.so and 3 more need one another in a circle
  - lib1.so needs lib1.so | /lib/lib1.so | proven
  - lib3.so needs lib1.so | /lib/lib3.so | proven
  - lib4.so needs lib1.so | /lib/lib4.so | proven
  - lib5.so needs lib1.so | /lib/lib5.so | proven
  - lib6.so needs lib1.so | /lib/lib6.so | proven
  = Each is mapped once; constructors of one of them run before those of a library that it needs.
)");
  auto alone = made_report({made_object("/bin/app"), made_object("/lib/lib1.so")});
  alone.resolution.objects[1].edges = {made_edge("lib1.so", EdgeStatus::already_loaded, 1)};
  CHECK(made_findings(check_cycles, alone) == "");
}

}  // namespace
}  // namespace cudald
