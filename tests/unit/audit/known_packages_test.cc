#include "audit/known_packages.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("of a distribution that release is known which pip would take") {
  const auto* newest = known_release("cuda-toolkit", "");
  const auto* older = known_release("cuda-toolkit", "<13");
  REQUIRE(newest != nullptr);
  REQUIRE(older != nullptr);
  CHECK(newest->version > older->version);
  CHECK(older->version.starts_with("12."));
  CHECK(known_release("cuda-toolkit", "<11") == nullptr);
  CHECK(known_release("no-such-distribution", "") == nullptr);
}

TEST_CASE("what brings and requires nothing is known of every release") {
  const auto* click = known_release("click", "==7.0");
  REQUIRE(click != nullptr);
  CHECK(click->modules == std::vector<std::string>{"click"});
  CHECK(click->libraries.empty());
}

}  // namespace
}  // namespace cudald
