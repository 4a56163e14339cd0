// Which needed library should have a function of C; tests/unit/check/symbols/lacking_library_test.cc has what is said.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

/// Whether a library of that name, which has image_open, is named as the one that should have image_error.
bool is_held_to_lack(const std::string& library) {
  TestWorld world;
  world.add("/bin/app", program({.needed = {library}, .uses = {{.name = "image_error"}}}));
  world.add("/lib/" + library, {.soname = library, .defines = {{.name = "image_open"}}});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  return says(report.findings[0], "has image_open, and not this one");
}

TEST_CASE("a library is held to lack a function that begins like its own, but for the C library") {
  CHECK(is_held_to_lack("libimage.so.1"));
  for (const auto* name : {"libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"}) CHECK_FALSE(is_held_to_lack(name));
}

}  // namespace
}  // namespace cudald
