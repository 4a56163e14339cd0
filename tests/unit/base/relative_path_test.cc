#include "base/relative_path.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("the way from one directory to another goes up, and then down") {
  CHECK(relative_path("/a/b", "/a/c/d") == "/../c/d");
  CHECK(relative_path("/a", "/a/b") == "/b");
  CHECK(relative_path("/a/b", "/a") == "/..");
  CHECK(relative_path("/a", "/a").empty());
}

TEST_CASE("what a search path went up is not gone up again") {
  CHECK(relative_path("/site/pkg/../torch/lib", "/site/nvidia/lib") == "/../../nvidia/lib");
  CHECK(relative_path("/site/torch/lib/../lib", "/site/torch/lib").empty());
}

}  // namespace
}  // namespace cudald
