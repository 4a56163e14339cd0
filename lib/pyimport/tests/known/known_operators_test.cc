#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/code_outcome.h"

using namespace cudald;

namespace {

void with_operator(ImportWorld& world) {
  world.rules = R"({"standard_library": {"names": ["sys", "os", "importlib", "ctypes", "json", "operator"]},
                    "rules": [], "libraries": {"rows": {}}})";
}

}  // namespace

TEST_CASE("comparisons are chosen from a table by their sign") {
  const std::string_view table =
      "import operator\nops = {'<': operator.lt, '<=': operator.le, '>': operator.gt, '>=': operator.ge, "
      "'==': operator.eq, '!=': operator.ne}\n";
  for (const std::string_view yes :
       {"ops['<'](1, 2)", "ops['<=']((1, 2), (1, 2))", "ops['>']('b', 'a')", "ops['>='](2, 2)", "ops['=='](1, 1)",
        "ops['!='](1, 2)", "not ops['<'](2, 1)", "not ops['=='](1, 2)"})
    CHECK(outcome(std::string(table) + std::string(yes), with_operator) == "yes");
  CHECK(outcome(std::string(table) + "ops['<'](1, what())", with_operator) == "unknown");
  CHECK(outcome(std::string(table) + "ops['=='](what(), 1)", with_operator) == "unknown");
}
