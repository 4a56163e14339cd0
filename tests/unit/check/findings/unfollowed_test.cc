#include "check/findings/unfollowed.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("what is certainly asked for is told in order, over all imports; what may be asked for is not") {
  Report report;
  CHECK(certainly_unfollowed(report).empty());
  Import first, second;
  first.unfollowed = {{.what = "a", .certain = false}, {.what = "b"}};
  second.unfollowed = {{.what = "c"}, {.what = "d", .certain = false}};
  report.resolution.imports = {first, second};
  const auto found = certainly_unfollowed(report);
  REQUIRE(found.size() == 2);
  CHECK(found[0]->what == "b");
  CHECK(found[1]->what == "c");
}

}  // namespace
}  // namespace cudald
