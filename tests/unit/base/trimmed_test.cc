#include "base/trimmed.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("blanks around a text go, and those in it stay") {
  CHECK(trimmed(" \ta b\r") == "a b");
  CHECK(trimmed("a\n") == "a\n");
  CHECK(trimmed("\v\fa\n", all_blanks) == "a");
  CHECK(trimmed(" \t ").empty());
  CHECK(trimmed("").empty());
}

}  // namespace
}  // namespace cudald
