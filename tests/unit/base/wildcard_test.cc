#include "base/wildcard.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a pattern is about the whole text") {
  for (const auto* pattern :
       {"libcurand*", "*", "lib*.so.10", "lib[bc]urand.so.10", "lib?urand.so.10", "libcurand.so.10", "**10*"}) {
    CAPTURE(pattern);
    CHECK(matches("libcurand.so.10", pattern));
  }
  for (const auto* pattern : {"", "curand*", "libcurand", "lib?.so.10", "*.so", "libcurand.so.10?"}) {
    CAPTURE(pattern);
    CHECK_FALSE(matches("libcurand.so.10", pattern));
  }
  CHECK(matches("", "*"));
  CHECK(matches("", ""));
  CHECK_FALSE(matches("", "?"));
  CHECK(matches_any("b", {"a", "b"}));
  CHECK_FALSE(matches_any("b", {}));
}

}  // namespace
}  // namespace cudald
