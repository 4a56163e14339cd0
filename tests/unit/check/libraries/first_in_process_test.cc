// A runtime that has to be the first library.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("AddressSanitizer's runtime ends the process where another library comes first") {
  TestWorld world;
  world.add("/lib/libasan.so.8", {.soname = "libasan.so.8"});
  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  world.add("/bin/app", program({.needed = {"libc.so.6"}}));
  world.add("/m/x.so", {.needed = {"libasan.so.8"}});
  world.query.dlopens = {{.name = "/m/x.so"}};
  const auto report = world.explain({"/bin/app"});
  CHECK(report.verdict == Verdict::fails);
  CHECK(report.findings.at(0).code == "CUD125");
  CHECK(report.findings[0].fixes.at(0).command == "export LD_PRELOAD=/lib/libasan.so.8${LD_PRELOAD:+:$LD_PRELOAD}");
  world.set("ASAN_OPTIONS", "halt_on_error=1:verify_asan_link_order=0");
  CHECK(world.explain({"/bin/app"}).verdict == Verdict::loads);
  world.set("ASAN_OPTIONS", "verify_asan_link_order=1");
  CHECK(world.explain({"/bin/app"}).verdict == Verdict::fails);
  world.set("LD_PRELOAD", "/lib/libasan.so.8");
  CHECK(world.explain({"/bin/app"}).verdict == Verdict::loads);
  // Linked by hand, behind the C library.
  TestWorld linked;
  linked.add("/lib/libasan.so.8", {.soname = "libasan.so.8"});
  linked.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  linked.add("/bin/first", program({.needed = {"libasan.so.8", "libc.so.6"}}));
  linked.add("/bin/last", program({.needed = {"libc.so.6", "libasan.so.8"}}));
  CHECK(linked.explain({"/bin/first"}).verdict == Verdict::loads);
  CHECK(linked.explain({"/bin/last"}).verdict == Verdict::fails);
  // A library alone: no program is known that opens it.
  CHECK(linked.explain({"/lib/libasan.so.8"}).verdict == Verdict::loads);
}

}  // namespace
}  // namespace cudald
