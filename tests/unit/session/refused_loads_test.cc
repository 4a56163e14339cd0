// Loads that only their symbols refuse, and that code takes as attempts.
#include "session/refused_loads.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

Target asked_load(const std::string& name, bool optional, const std::string& error = "") {
  Target target;
  target.given = name;
  target.part_of = 0;
  target.error = error;
  target.traits.optional = optional;
  target.traits.asked_at = "a.py:1";
  return target;
}

TEST_CASE("a refused load is known by its name, and by how often that was asked for before") {
  const std::vector<Target> targets{asked_load("a.so", true, "one"), asked_load("b.so", true),
                                    asked_load("a.so", true, "two"), asked_load("a.so", false, "three")};
  CHECK(times_asked(targets, "a.so", 0) == 0);
  CHECK(times_asked(targets, "a.so", 2) == 1);
  CHECK(times_asked(targets, "a.so", 9) == 3);
  const auto loads = refused_attempts(targets, {2, 3});  // nobody catches what the last one raises
  REQUIRE(loads.size() == 1);
  CHECK(loads.at({"a.so", 1}) == "two");
}

}  // namespace
}  // namespace cudald
