#include "python/parser.h"

#include <string>

#include <doctest/doctest.h>

#include "python/source.h"

using namespace cudald::python;

namespace {

cudald::Budget budget;

std::shared_ptr<const Source> parse(std::string text) {
  budget.restart();
  return Source::parse("m.py", std::move(text), budget);
}

std::string kinds(const Node& block) {
  std::string result;
  for (const auto statement : block)
    (result += result.empty() ? "" : " ") += std::to_string(static_cast<int>(statement.kind()));
  return result;
}

std::string expected(std::initializer_list<NodeKind> all) {
  std::string result;
  for (const auto kind : all) (result += result.empty() ? "" : " ") += std::to_string(static_cast<int>(kind));
  return result;
}

using enum NodeKind;

}  // namespace

TEST_CASE("statements have kinds, and their parts as children") {
  const auto source = parse(
      "import a.b as c, d\nfrom ..x import (y,\n  z as w)\nif a: import e; f = {1: 2}\nelif b:\n  pass\nelse:\n"
      "  pass\n@deco(1)\nasync def g(x: int = {2: 3}, *, k=1) -> y:\n  import h\nclass K(B, metaclass=M):\n"
      "  import i\n");
  const auto all = source->block();
  REQUIRE(kinds(all) == expected({import, from_import, if_, function, class_}));
  CHECK(plain_dotted_name(all[0][0][0]) == "a.b");
  CHECK(all[0][0][1].text() == "c");
  CHECK_FALSE(all[0][1][1].there());
  CHECK(all[1].level() == 2);
  CHECK(all[1][2][1].text() == "w");
  REQUIRE(all[2].size() == 5);
  CHECK(kinds(all[2][1]) == expected({import, assignment}));
  CHECK(all[3].word() == Word::async);
  CHECK(all[3].line() == 10);
  CHECK(all[3][1].size() == 1);
  REQUIRE(all[3][2].size() == 3);
  CHECK(all[3][2][2].word() == Word::at);
  CHECK(all[3].back().is(unread_body));
  CHECK(kinds(source->body(all[3])) == expected({import}));
  CHECK(source->body(all[3])[0].line() == 11);
  CHECK(all[4][2][1].is(keyword));
}

TEST_CASE("a colon inside a lambda or a slice does not open a block") {
  const auto source = parse("if f(lambda: 1) and a[1:2]:\n  import x\nwhile lambda: 0:\n  import y\n");
  REQUIRE(kinds(source->block()) == expected({if_, while_}));
  CHECK(source->block()[0][1].size() == 1);
  CHECK(source->block()[1][1].size() == 1);
}

TEST_CASE("match is a statement only where its line ends in a colon") {
  const auto source = parse(
      "match = 1\nmatch(x)\nmatch x:\n  case [1, 2]:\n    import a\n  case 'b' | 'c' if d:\n    pass\nmatch: int = "
      "3\n");
  const auto all = source->block();
  REQUIRE(kinds(all) == expected({assignment, call, match, annotated}));
  REQUIRE(all[2].size() == 3);
  CHECK(all[2][1][0].is(list));
  CHECK(all[2][2][0].is(operation));
  CHECK(all[2][2][1].is(name));
}

TEST_CASE("operators of one rank are one node, from the left, under those that bind less") {
  const auto source = parse("a + b * c - d\nnot a in b\na not in b is not c\n");
  const auto sum = source->block()[0];
  REQUIRE(sum.is(operation));
  REQUIRE(sum.size() == 5);
  CHECK(sum[2].is(operation));
  CHECK(sum[3].word() == Word::minus);
  CHECK(source->block()[1].is(negation));
  CHECK(source->block()[2][3].word() == Word::is_not);
}

TEST_CASE("f-strings hold expressions, nested quotes and braces among them") {
  const auto source = parse("x = f'{{a}} {b[\"k\"]!r} {c:>{w}}' 'd'\n");
  const auto text_node = source->block()[0][0];
  REQUIRE(text_node.is(text));
  std::string shape;
  for (const auto part : text_node) shape += part.is(field) ? 'F' : part.is(fragment) ? 't' : 'l';
  CHECK(shape == "tttFtFl");
  CHECK(text_node[3][0].is(subscript));
  CHECK(text_node[3].word() == Word::colon);
}

TEST_CASE("what is not understood is one missing statement, and what follows is read") {
  for (const std::string wrong :
       {"print 'x' y", "a b c", "x = = 1", ")", "def", "import", "from x", "f(a b, c", "exec x in y"}) {
    const auto source = parse(wrong + "\nimport last\n");
    CAPTURE(wrong);
    REQUIRE(source->block().size() >= 1);
    if (wrong.find('(') == std::string::npos) CHECK(source->block().back().is(import));
  }
}

TEST_CASE("Cython: cimport is told apart, declarations are nothing") {
  const auto source = parse(
      "cimport a.b\nfrom .c cimport d\ncdef int x = 1\ncdef class K:\n  pass\ncdef inline int f(int a) nogil:\n"
      "  import e\nimport g\n");
  CHECK(kinds(source->block()) == expected({cimport, cimport, pass, class_, pass, import}));
}

TEST_CASE("hostile texts end in time and without deep recursion") {
  for (const std::string part :
       {"(",       "[",    "{",      "'",     "f'{",        "f\"\"\"{", "if a:\n", "if a: ", "\n ",      "@",
        "lambda:", "not ", "-",      "a.",    "a(",         "a[",       "a**",     "x=",     "a if ",    "await ",
        "yield ",  "\xff", "def f(", "else:", "match a:\n", "{**",      "*",       "a,(",    "for a in "}) {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += part;
    CAPTURE(part);
    CHECK(parse(text)->block().is(block));
  }
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "if a:\n";
  CHECK(parse(deep)->block().size() >= 1);
}
