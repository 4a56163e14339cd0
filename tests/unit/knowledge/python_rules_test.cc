#include "knowledge/python_rules.h"

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/table.h"
#include "embedded.h"

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
  for (const auto& [name, rule] : rules.calls) names += std::string(name) + " " + rule->source + "\n";
  return names;
}

TEST_CASE("rules are of the system that they name, or of both") {
  CHECK(calls_of(read_rules(table, false)) == "any.load a.py\nlinux.load b.py\n");
  CHECK(calls_of(read_rules(table, true)) == "any.load a.py\nwindows.load c.py\n");
}

TEST_CASE("what a rule imports is a step of it that may fail, behind its others") {
  const auto rules = read_rules(table, false);
  const auto& steps = rules.calls.at("linux.load")->steps;
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].load == std::vector<std::string>{"libb.so"});
  CHECK(steps[0].required);
  CHECK(steps[1].import == "extra");
  CHECK_FALSE(steps[1].required);
}

TEST_CASE("charset_normalizer asks the codecs only where its source has the line that does") {
  const auto rules = read_rules(embedded_python_rules(), false);
  const auto rule = rules.modules.find("charset_normalizer.api");
  REQUIRE(rule != rules.modules.end());
  CHECK(rule->second->steps.size() == 7);
  for (const auto& step : rule->second->steps) CHECK(step.if_source == "not is_multi_byte_encoding(encoding)");
}

TEST_CASE("rules of modules, names of Python's own modules and rows of libraries are tables of their own") {
  const auto rules = read_rules(table, false);
  CHECK(rules.standard_library.size() == 2);
  REQUIRE(rules.modules.size() == 1);
  const auto& soft = rules.modules.at("pkg")->soft;
  REQUIRE(soft.size() == 1);
  CHECK(soft[0].names == std::vector<std::string>{"libsoft.so"});
  CHECK(soft[0].note == "no GPU");
  CHECK(soft[0].gpu);
  CHECK_FALSE(soft[0].global);
  const auto& row = *rules.libraries.at("cudart");
  CHECK(row.names == std::vector<std::string>{"libcudart.so.12"});
  CHECK(row.folders == std::vector<std::string>{"lib"});
  CHECK(row.needs == std::vector<std::string>{"other"});
}

TEST_CASE("a rule is read when it is asked for, and one without a source is a fault of the table") {
  const auto bytes = table_of(R"({"standard_library": {"names": []}, "libraries": {"rows": {}}, "rules": [
      {"call": "f", "source": "s"}, {"call": "g"}]})");
  const auto rules = read_rules(bytes, false);
  CHECK(rules.calls.at("f")->source == "s");
  CHECK(&*rules.calls.at("f") == &*rules.calls.at("f"));
  CHECK_THROWS_AS(static_cast<void>(*rules.calls.at("g")), std::invalid_argument);
}

TEST_CASE("each rule that was compiled in can be read") {
  for (const bool windows : {false, true}) {
    const auto rules = read_rules(embedded_python_rules(), windows);
    REQUIRE(rules.calls.size() > 5);
    for (const auto& [name, rule] : rules.calls) CHECK_FALSE(rule->source.empty());
    for (const auto& [name, rule] : rules.modules) CHECK_FALSE(rule->source.empty());
    for (const auto& [name, row] : rules.libraries) CHECK_FALSE(row->names.empty());
  }
}

/// The only step of a rule with these fields.
RuleStep step_with(const std::string& fields) {
  const auto bytes = table_of(R"({"standard_library": {"names": []}, "libraries": {"rows": {}}, "rules": [
      {"call": "f", "source": "s", "steps": [{)" +
                              fields + "}]}]}");
  const auto rules = read_rules(bytes, false);
  return rules.calls.at("f")->steps.at(0);
}

TEST_CASE("a step that says nothing is required, and does nothing else") {
  const auto step = step_with("");
  CHECK(step.load.empty());
  CHECK_FALSE(step.all);
  CHECK_FALSE(step.global);
  CHECK(step.required);
  CHECK(step.import.empty());
  CHECK(step.library.empty());
  CHECK(step.if_value.empty());
  CHECK(step.if_at_least.empty());
  CHECK(step.if_source.empty());
  CHECK(step.if_mapped.empty());
  CHECK(step.then.empty());
  CHECK(step.on_failure.empty());
  CHECK(step.raises.empty());
}

TEST_CASE("each field of a step has its own place") {
  using List = std::vector<std::string>;
  CHECK(step_with(R"("load": "a")").load == List{"a"});
  CHECK(step_with(R"("load": ["a", "b"])").load == List{"a", "b"});
  CHECK(step_with(R"("all": true)").all);
  CHECK_FALSE(step_with(R"("all": true)").global);
  CHECK(step_with(R"("global": true)").global);
  CHECK_FALSE(step_with(R"("global": true)").as_module);
  CHECK_FALSE(step_with(R"("required": false)").required);
  CHECK(step_with(R"("import": "a")").import == "a");
  CHECK(step_with(R"("library": "a")").library == "a");
  CHECK(step_with(R"("if_value": "a")").if_value == "a");
  CHECK(step_with(R"("if_at_least": ["a", "b"])").if_at_least == List{"a", "b"});
  CHECK(step_with(R"("if_source": "a")").if_source == "a");
  CHECK(step_with(R"("if_mapped": "a")").if_mapped == "a");
  CHECK(step_with(R"("then": [{"load": "a"}])").then.at(0).load == List{"a"});
  CHECK(step_with(R"("on_failure": [{"load": "a"}])").on_failure.at(0).load == List{"a"});
  CHECK(step_with(R"("raises": "a")").raises == "a");
}

TEST_CASE("a rule has its name, what it returns, its values and where it is from") {
  const auto bytes = table_of(R"({"standard_library": {"names": ["b", "a"]}, "libraries": {"rows": {}}, "rules": [
      {"call": "f.g", "source": "s", "returns": "r", "values": {"k": "v"}},
      {"call": ["f", "h"], "source": "u"},
      {"module": "m", "source": "t", "imports": "x", "soft": [{"name": "n", "global": true}, {"name": "o"}]}]})");
  const auto rules = read_rules(bytes, false);
  CHECK(rules.standard_library == std::set<std::string_view>{"a", "b"});
  REQUIRE(rules.calls.size() == 3);
  for (const auto* name : {"f", "h"}) CHECK(rules.calls.at(name)->source == "u");
  const auto& call = *rules.calls.at("f.g");
  CHECK(call.returns == "r");
  CHECK(call.source == "s");
  CHECK(call.values == std::map<std::string, std::string>{{"k", "v"}});
  CHECK(call.steps.empty());
  CHECK(call.soft.empty());
  const auto& module = *rules.modules.at("m");
  CHECK(module.returns.empty());
  CHECK(module.source == "t");
  REQUIRE(module.soft.size() == 2);
  CHECK(module.soft[0].global);
  CHECK_FALSE(module.soft[0].gpu);
  CHECK_FALSE(module.soft[1].global);
  CHECK(module.soft[1].note.empty());
  REQUIRE(module.steps.size() == 1);
  CHECK(module.steps[0].import == "x");
}

}  // namespace
}  // namespace cudald::python
