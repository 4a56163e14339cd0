// A program that brings a library along, and takes what that one needs from an older system.

#include "check/fixes/system_copy.h"

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

/// What is offered where the system's copy of the bundled library has one function, and calls another.
std::string offered(const std::string& has, const std::string& calls) {
  TestWorld world;
  world.add("/app/bin/p", program({.runpath = "/app/lib", .needed = {"libpx.so.0"}, .uses = {{.name = "pango_new"}}}));
  world.add("/app/lib/libpx.so.0", {.soname = "libpx.so.0",
                                    .needed = {"libhx.so.0"},
                                    .defines = {{.name = "pango_new"}},
                                    .uses = {{.name = "hb_shape"}, {.name = "hb_later"}}});
  world.add("/lib/libhx.so.0", {.soname = "libhx.so.0", .defines = {{.name = "hb_shape"}}});
  world.add("/lib/libpx.so.0",
            {.soname = "libpx.so.0", .needed = {"libhx.so.0"}, .defines = {{.name = has}}, .uses = {{.name = calls}}});
  return commands(world.explain({"/app/bin/p"}).findings.at(0));
}

TEST_CASE("the system's own copy serves where it goes with the system and has what is used") {
  CHECK(offered("pango_new", "hb_shape").find("LD_PRELOAD=/lib/libpx.so.0") != std::string::npos);
  CHECK(offered("pango_new", "hb_later").find("LD_PRELOAD") == std::string::npos);
  CHECK(offered("pango_other", "hb_shape").find("LD_PRELOAD") == std::string::npos);
  CHECK(offered("pango_new", "hb_other").find("LD_PRELOAD") == std::string::npos);
}

}  // namespace
}  // namespace cudald
