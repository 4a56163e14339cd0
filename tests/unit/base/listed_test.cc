#include "base/listed.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a list names so many and counts the others") {
  CHECK(listed({}, 2).empty());
  CHECK(listed({"a"}, 2) == "a");
  CHECK(listed({"a", "b"}, 2) == "a, b");
  CHECK(listed({"a", "b", "c", "d"}, 2) == "a, b and 2 more");
}

TEST_CASE("counting knows one from many") {
  CHECK(counted(1, "error") == "1 error");
  CHECK(counted(0, "error") == "0 errors");
  CHECK(counted(2, "error") == "2 errors");
}

}  // namespace
}  // namespace cudald
