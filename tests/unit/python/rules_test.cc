#include "python/rules.h"

#include <stdexcept>

#include <doctest/doctest.h>

#include "common/table.h"

namespace cudald::python {
namespace {

/// Rules for the calls of a module that is called like the system they are for.
const std::string table = table_of(R"({
  "standard_library": {"names": ["os", "sys"]},
  "rules": [
    {"call": "any.load", "source": "a.py"},
    {"call": "linux.load", "system": "linux", "source": "b.py",
     "steps": [{"load": ["libb.so"]}], "imports": ["extra"]},
    {"call": "windows.load", "system": "windows", "source": "c.py"},
    {"module": "pkg", "source": "d.py", "soft": [{"name": "libsoft.so", "gpu": true, "note": "no GPU"}]}],
  "libraries": {"rows": {"cudart": {"names": ["libcudart.so.12"], "folders": ["lib"], "needs": ["other"]}}}
})");

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

TEST_CASE("the words of a row are a list, or one text alone; what is not said is false or empty") {
  const auto bytes = table_of(R"({"standard_library": {"names": []}, "libraries": {"rows": {}}, "rules": [
    {"call": "f", "source": "a.py", "imports": "one", "values": {"cuda": "torch.version.cuda"}, "returns": "{file}",
     "steps": [{"load": "liba.so", "required": false, "again": true, "raises": "OSError: {error}",
                "mentions": ["x", "y"], "then": [{"import": "late"}], "on_failure": [{"library": "cudart"}]},
               {"all": true, "global": true, "if_value": "{cuda}", "if_at_least": ["{cuda}", "12"],
                "if_source": "text", "if_mapped": "libb.so"}]}]})");
  const auto rules = read_rules(bytes, false);
  const auto& rule = rules.calls.at("f");
  CHECK(rule.returns == "{file}");
  CHECK(rule.values == std::map<std::string, std::string>{{"cuda", "torch.version.cuda"}});
  REQUIRE(rule.steps.size() == 3);
  const auto& [first, second, third] = std::tie(rule.steps[0], rule.steps[1], rule.steps[2]);
  CHECK(first.load == std::vector<std::string>{"liba.so"});
  CHECK_FALSE(first.required);
  CHECK(first.again);
  CHECK_FALSE(first.all);
  CHECK_FALSE(first.global);
  CHECK(first.raises == "OSError: {error}");
  CHECK(first.mentions == std::vector<std::string>{"x", "y"});
  REQUIRE(first.then.size() == 1);
  CHECK(first.then[0].import == "late");
  REQUIRE(first.on_failure.size() == 1);
  CHECK(first.on_failure[0].library == "cudart");
  CHECK(second.required);
  CHECK(second.all);
  CHECK(second.global);
  CHECK_FALSE(second.again);
  CHECK(second.if_value == "{cuda}");
  CHECK(second.if_at_least == std::vector<std::string>{"{cuda}", "12"});
  CHECK(second.if_source == "text");
  CHECK(second.if_mapped == "libb.so");
  CHECK(third.import == "one");
}

TEST_CASE("a rule without a source is a fault of the table") {
  const auto bytes = table_of(R"({"standard_library": {"names": []}, "libraries": {"rows": {}},
                                  "rules": [{"call": "f"}]})");
  CHECK_THROWS_AS(read_rules(bytes, false), std::invalid_argument);
}

}  // namespace
}  // namespace cudald::python
