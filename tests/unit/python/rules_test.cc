#include "python/rules.h"

#include <doctest/doctest.h>

namespace cudald::python {
namespace {

/// Rules for the calls of a module that is called like the system they are for.
constexpr std::string_view table = R"({
  "standard_library": {"names": ["os", "sys"]},
  "rules": [
    {"call": "any.load", "source": "a.py"},
    {"call": "linux.load", "system": "linux", "source": "b.py",
     "steps": [{"load": ["libb.so"]}], "imports": ["extra"]},
    {"call": "windows.load", "system": "windows", "source": "c.py"},
    {"module": "pkg", "source": "d.py", "soft": [{"name": "libsoft.so", "gpu": true, "note": "no GPU"}]}],
  "libraries": {"rows": {"cudart": {"names": ["libcudart.so.12"], "folders": ["lib"], "needs": ["other"]}}}
})";

std::string calls_of(const Rules& rules) {
  std::string names;
  for (const auto& [name, rule] : rules.calls) names += name + " " + rule.source + "\n";
  return names;
}

TEST_CASE("rules are of the system that they name, or of both") {
  CHECK(calls_of(read_rules(table, false)) == "any.load a.py\nlinux.load b.py\n");
  CHECK(calls_of(read_rules(table, true)) == "any.load a.py\nwindows.load c.py\n");
}

TEST_CASE("what a rule imports is a step of it that may fail, behind its others") {
  const auto rules = read_rules(table, false);
  const auto& steps = rules.calls.at("linux.load").steps;
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].load == std::vector<std::string>{"libb.so"});
  CHECK(steps[0].required);
  CHECK(steps[1].import == "extra");
  CHECK_FALSE(steps[1].required);
}

TEST_CASE("rules of modules, names of Python's own modules and rows of libraries are tables of their own") {
  const auto rules = read_rules(table, false);
  CHECK(rules.standard_library.size() == 2);
  REQUIRE(rules.modules.size() == 1);
  const auto& soft = rules.modules.at("pkg").soft;
  REQUIRE(soft.size() == 1);
  CHECK(soft[0].name == "libsoft.so");
  CHECK(soft[0].note == "no GPU");
  CHECK(soft[0].gpu);
  CHECK_FALSE(soft[0].global);
  const auto& row = rules.libraries.at("cudart");
  CHECK(row.names == std::vector<std::string>{"libcudart.so.12"});
  CHECK(row.folders == std::vector<std::string>{"lib"});
  CHECK(row.needs == std::vector<std::string>{"other"});
}

}  // namespace
}  // namespace cudald::python
