#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"

using namespace cudald;

namespace {

/// Which clause of a match runs, "1" or "2" for these patterns and "3" for another, "open" if that is not known.
std::string clause_of(const std::string& subject, const std::string& first, const std::string& second = "_") {
  const auto code =
      "class K: pass\nr = 3\nmatch " + subject + ":\n  case " + first + ": r = 1\n  case " + second + ": r = 2\nr == ";
  for (const std::string answer : {"1", "2", "3"}) {
    AnswerWorld world;
    const auto said = world(code + answer);
    if (said == "true") return answer;
    if (said == "open") return said;
  }
  return "none";
}

struct PatternRow {
  std::string subject, pattern, clause;
};

const PatternRow patterns_of_types[] = {
    {"'x'", "str()", "1"},           {"5", "str()", "2"},         {"5", "int()", "1"},
    {"True", "int()", "1"},          {"'x'", "int()", "2"},       {"None", "int()", "2"},
    {"True", "bool()", "1"},         {"5", "bool()", "2"},        {"{}", "dict()", "1"},
    {"'x'", "dict()", "2"},          {"[1]", "dict()", "2"},      {"[1]", "list()", "open"},
    {"[1]", "tuple()", "open"},      {"[1]", "str()", "2"},       {"'x'", "list()", "2"},
    {"'x'", "tuple()", "2"},         {"what()", "str()", "open"}, {"K()", "str()", "open"},
    {"os.environ", "str()", "open"}, {"'x'", "str(y)", "open"},   {"'x'", "str(y=1)", "open"},
    {"'x'", "K.str()", "open"},      {"5", "float()", "2"},
};

const PatternRow patterns_of_values[] = {
    {"1", "1", "1"},
    {"1", "2", "2"},
    {"'a'", "'a'", "1"},
    {"'a'", "'a' 'b'", "2"},
    {"'ab'", "'a' 'b'", "1"},
    {"True", "True", "1"},
    {"False", "True", "2"},
    {"False", "False", "1"},
    {"True", "False", "2"},
    {"None", "None", "1"},
    {"0", "None", "2"},
    {"what()", "1", "open"},
    {"1", "_", "1"},
    {"1", "x", "1"},
    {"1", "2 | 1", "1"},
    {"1", "2 | 3", "2"},
    {"1", "what.a | 1", "1"},
    {"1", "what.a | 2", "open"},
    {"1", "-1", "open"},
    {"1", "1 as x", "1"},
    {"1", "2 as x", "2"},
    {"1", "x if True", "1"},
    {"1", "x if False", "2"},
    {"1", "2 if what()", "2"},
    {"1", "1 if what()", "open"},
    {"what()", "1 if False", "2"},
    {"what()", "1 if True", "open"},
    {"'linux'", "sys.platform", "1"},
    {"'win32'", "sys.platform", "2"},
};

const PatternRow patterns_of_sequences[] = {
    {"[1, 2]", "[1, 2]", "1"},
    {"[1, 2]", "(1, 2)", "1"},
    {"[1, 2]", "1, 2", "1"},
    {"[1, 2]", "[1]", "2"},
    {"[1]", "[1, 2]", "2"},
    {"[]", "[]", "1"},
    {"[1, 2]", "[1, *_]", "1"},
    {"[1, 2]", "[*_, 2]", "1"},
    {"[1, 2]", "[1, *_, 2]", "1"},
    {"[1]", "[1, *_, 1]", "2"},
    {"[1, 2, 3]", "[1, *_, 2]", "2"},
    {"[1, 2, 3]", "[2, *_]", "2"},
    {"[]", "[*_]", "1"},
    {"[1, 2]", "[what.a, 3]", "2"},
    {"[1, 2]", "[what.a, 2]", "open"},
    {"[1, 2]", "[3, what.a]", "2"},
    {"[what(), 2]", "[1, 2]", "open"},
    {"[what(), 2]", "[1, 3]", "2"},
    {"'ab'", "[_, _]", "2"},
    {"{}", "[]", "2"},
    {"None", "[]", "2"},
    {"5", "[_]", "2"},
    {"True", "[_]", "2"},
    {"what()", "[_]", "open"},
    {"K()", "[_]", "open"},
    {"sys", "[_]", "open"},
};

const PatternRow patterns_of_mappings[] = {
    {"{'a': 1}", "{'a': 1}", "1"},
    {"{'a': 1}", "{'a': 2}", "2"},
    {"{'a': 1}", "{'b': 1}", "2"},
    {"{'a': 1}", "{'b': 1, 'a': 1}", "2"},
    {"{'a': 1, 'b': 2}", "{'a': 1}", "1"},
    {"{}", "{}", "1"},
    {"{'a': 1}", "{}", "1"},
    {"{'a': 1}", "{**x}", "1"},
    {"{'a': 1}", "{what.a: 1}", "open"},
    {"{what(): 1}", "{'a': 1}", "open"},
    {"{'a': 1, what(): 1}", "{'a': 1}", "1"},
    {"{'a': what()}", "{'a': 1}", "open"},
    {"{'a': what(), 'b': 1}", "{'a': 1, 'b': 2}", "2"},
    {"what()", "{'a': 1}", "open"},
    {"'x'", "{'a': 1}", "2"},
    {"[1]", "{'a': 1}", "2"},
    {"5", "{}", "2"},
    {"K()", "{}", "open"},
    {"None", "{'a': 1}", "2"},
};

}  // namespace

TEST_CASE("a pattern fits, does not, or may, by the kind and the value of the subject") {
  const auto check = [](const auto& rows) {
    for (const auto& [subject, pattern, clause] : rows) {
      const auto head = subject + " as " + pattern + ": ";
      CHECK(head + clause_of(subject, pattern) == head + clause);
    }
  };
  check(patterns_of_types);
  check(patterns_of_values);
  check(patterns_of_sequences);
  check(patterns_of_mappings);
}

TEST_CASE("the first clause that fits runs alone, and none if none does") {
  CHECK(clause_of("1", "1", "1") == "1");
  CHECK(clause_of("1", "2", "1") == "2");
  CHECK(clause_of("1", "2", "3") == "3");
  CHECK(clause_of("1", "x if what()", "1") == "open");
}

TEST_CASE("names in patterns are bound to what they stand for") {
  AnswerWorld world;
  const auto holds = [&](const std::string& subject, const std::string& pattern, const std::string& then) {
    return world("x = y = z = 0\nmatch " + subject + ":\n  case " + pattern + ": pass\n" + then);
  };
  CHECK(holds("5", "x", "x == 5") == "true");
  CHECK(holds("5", "5 as x", "x == 5") == "true");
  CHECK(holds("5", "6 as x", "x == 0") == "true");
  CHECK(holds("5", "(5 | 6) as x", "x == 5") == "true");
  CHECK(holds("[1, 2]", "[x, y]", "x == 1 and y == 2") == "true");
  CHECK(holds("[1, 2, 3, 4]", "[x, *y, z]", "x == 1 and y == [2, 3] and z == 4") == "true");
  CHECK(holds("[1, 2, 3]", "[*x, y]", "x == [1, 2] and y == 3") == "true");
  CHECK(holds("[1, 2, 3]", "[x, *y]", "x == 1 and y == [2, 3]") == "true");
  CHECK(holds("[1]", "[x, *y]", "x == 1 and y == []") == "true");
  CHECK(holds("[1, [2, 3]]", "[x, [y, z]]", "x == 1 and y == 2 and z == 3") == "true");
  CHECK(holds("{'a': 1, 'b': 2}", "{'b': x}", "x == 2") == "true");
  CHECK(holds("{'a': 1, 'b': 2}", "{'b': x, **y}", "x == 2 and y['a'] == 1 and len(y) == 1") == "true");
  CHECK(holds("{'a': 1}", "{'b': 1, **y}", "y == 0") == "true");
  CHECK(world("_ = 7\nmatch [1, 2]:\n  case [_, *_]: pass\n_ == 7") == "true");
}

TEST_CASE("a clause that may run leaves open what it does, and what it returns") {
  AnswerWorld world;
  CHECK(world("r = 0\nmatch what():\n  case 1: r = 1\nr == 0") == "open");
  CHECK(world("r = 0\nmatch what():\n  case 1: pass\n  case x: r = 1\nr == 0") == "open");
  CHECK(world("r = 0\nmatch what():\n  case 1: pass\n  case x: pass\n  case y: r = 1\nr == 0") == "true");
  CHECK(world("def f():\n  match 1:\n    case 1: return 'a'\n  return 'b'\nf() == 'a'") == "true");
  CHECK(world("def f():\n  match what():\n    case 1: return 'a'\n  return 'b'\nf() == 'b'") == "open");
}
