#include <doctest/doctest.h>

#include "unit/check/finding_text.h"

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

}  // namespace
}  // namespace cudald
