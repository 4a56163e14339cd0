#include "knowledge/newest_releases.h"

#include <doctest/doctest.h>

namespace cudald {

TEST_CASE("the newest release is that for the Python") {
  CHECK(newest_release("jax", "3.8") == "0.4.13");
  CHECK(newest_release("jax", "3.9") == "0.4.30");
  CHECK(newest_release("jax", "3.9.18") == "0.4.30");
  CHECK(newest_release("jax", "3.10") != "0.4.30");
}

TEST_CASE("of an older Python, another project or none no release is known") {
  CHECK(newest_release("jax", "3.6").empty());
  CHECK(newest_release("jax", "").empty());
  CHECK(newest_release("nobody-knows", "3.11").empty());
}

}  // namespace cudald
