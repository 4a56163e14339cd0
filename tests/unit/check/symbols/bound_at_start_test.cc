// Functions that only LD_BIND_NOW has looked up at the start.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

/// What is said of a program whose library calls a function that nothing has.
Report told_of_lazy(bool by_variable) {
  TestWorld world;
  if (by_variable) world.set("LD_BIND_NOW", "1");
  world.add("/bin/app", program({.needed = {"libx.so.1"}}));
  world.add("/lib/libx.so.1", {.soname = "libx.so.1", .uses = {{.name = "absent_call", .use = ElfUse::call}}});
  return world.explain({"/bin/app"});
}

TEST_CASE("a function that is missing and called later fails at once by LD_BIND_NOW, which can be unset") {
  const auto report = told_of_lazy(true);
  REQUIRE(report.verdict == Verdict::fails);
  REQUIRE(report.findings.size() == 1);
  CHECK(says(report.findings[0], "LD_BIND_NOW looks up all functions at the start"));
  CHECK(commands(report.findings[0]).find("unset LD_BIND_NOW\n") != std::string::npos);
  const auto lazy = told_of_lazy(false);
  CHECK(lazy.verdict == Verdict::risk);
  CHECK(in_full(lazy).find("unset LD_BIND_NOW") == std::string::npos);
}

}  // namespace
}  // namespace cudald
