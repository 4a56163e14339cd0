#include "python/scanner.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace cudald::python;

namespace {

std::shared_ptr<const Source> parse(std::string path, std::string text) {
  cudald::Budget budget;
  return Source::parse(std::move(path), std::move(text), budget);
}

std::vector<Token> scan_all(std::string_view text) {
  cudald::Budget budget;
  bool complete = false;
  return scan(text, budget, complete);
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  for (const auto& token : scan_all(text)) {
    if (token.kind == TokenKind::line_end)
      result.push_back("NEWLINE");
    else if (token.kind == TokenKind::indent)
      result.push_back("INDENT");
    else if (token.kind == TokenKind::dedent)
      result.push_back("DEDENT");
    else
      result.emplace_back(text.substr(token.begin, token.size));
  }
  return result;
}

std::string head(const Source& source, const Statement& statement) {
  std::string result;
  for (const auto& token : statement.head) (result += result.empty() ? "" : " ") += source.text(token);
  return result;
}

std::string value(std::string_view literal) {
  bool formatted = false;
  return string_value(literal, formatted);
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a line goes on inside brackets and after a backslash") {
  CHECK(words("f(a,\n  b)\n") == Words{"f", "(", "a", ",", "b", ")", "NEWLINE"});
  CHECK(words("a = 1 + \\\n  2\n") == Words{"a", "=", "1", "+", "2", "NEWLINE"});
  CHECK(words("x = [ # [\n]\n") == Words{"x", "=", "[", "]", "NEWLINE"});
}

TEST_CASE("indentation opens and closes blocks; empty lines and comments do not count") {
  CHECK(words("if a:\n    b\n\n  # no\n    c\nd\n") ==
        Words{"if", "a", ":", "NEWLINE", "INDENT", "b", "NEWLINE", "c", "NEWLINE", "DEDENT", "d", "NEWLINE"});
  CHECK(words("if a:\n\tb\n        c") ==
        Words{"if", "a", ":", "NEWLINE", "INDENT", "b", "NEWLINE", "c", "NEWLINE", "DEDENT"});
}

TEST_CASE("strings of all kinds are one token") {
  CHECK(words("'a#b' \"\"\"x\nimport y\n\"\"\" rb'\\''\n") ==
        Words{"'a#b'", "\"\"\"x\nimport y\n\"\"\"", "rb'\\''", "NEWLINE"});
  CHECK(words("f\"{d[\"k\"]}-{{\" + 1\n") == Words{"f\"{d[\"k\"]}-{{\"", "+", "1", "NEWLINE"});
  CHECK(words("f'{a' + b\n").front() == "f'{a'");
}

TEST_CASE("an open string or bracket ends with its line or the text") {
  CHECK(words("'abc\nimport x\n") == Words{"'abc", "NEWLINE", "import", "x", "NEWLINE"});
  CHECK(words("\"\"\"abc").size() == 2);
  CHECK(words("(((").back() == "NEWLINE");
  CHECK(words("").empty());
}

TEST_CASE("lines are counted through strings and continuations") {
  const auto source = parse("m.py", "\"\"\"one\ntwo\"\"\"\na = (1,\n2)\nimport last\n");
  REQUIRE(source->statements().size() == 3);
  CHECK(source->statements()[1].line == 3);
  CHECK(source->statements()[2].line == 5);
}

TEST_CASE("literals have values") {
  CHECK(value("'a\\n\\x41\\u00e9'") == "a\nA\xc3\xa9");
  CHECK(value("r'\\n'") == "\\n");
  CHECK(value("'''a'b'''") == "a'b");
  CHECK(value("'") == "");
  bool formatted = false;
  string_value("rf'{x}'", formatted);
  CHECK(formatted);
}

TEST_CASE("statements have kinds, heads and bodies") {
  const auto source = parse("m.py",
                            "import a.b as c, d\nfrom .x import (y,\n  z)\n"
                            "if a: import e; f = {1: 2}\nelse:\n  pass\n"
                            "@deco(1)\nasync def g(x: int = {2: 3}) -> y:\n  import h\n"
                            "class K(B):\n  import i\n");
  const auto& all = source->statements();
  REQUIRE(all.size() == 7);
  CHECK(all[0].kind == StatementKind::import_names);
  CHECK(head(*source, all[0]) == "a . b as c , d");
  CHECK(all[1].kind == StatementKind::from_import);
  CHECK(head(*source, all[1]) == ". x import ( y , z )");
  CHECK(all[2].kind == StatementKind::if_);
  REQUIRE(all[2].body.size() == 2);
  CHECK(all[2].body[0].kind == StatementKind::import_names);
  CHECK(head(*source, all[2].body[1]) == "f = { 1 : 2 }");
  CHECK(all[3].kind == StatementKind::else_);
  CHECK(all[4].kind == StatementKind::decorator);
  CHECK(all[5].kind == StatementKind::function);
  CHECK(all[5].asynchronous);
  REQUIRE(all[5].body.size() == 1);
  CHECK(all[6].kind == StatementKind::class_);
}

TEST_CASE("a colon inside a lambda or a slice does not open a block") {
  const auto source = parse("m.py", "if f(lambda: 1) and a[1:2]:\n  import x\nwhile lambda: 0:\n  import y\n");
  REQUIRE(source->statements().size() == 2);
  CHECK(source->statements()[0].body.size() == 1);
  CHECK(source->statements()[1].body.size() == 1);
}

TEST_CASE("match is a statement only where its line ends in a colon") {
  const auto source = parse("m.py", "match = 1\nmatch(x)\nmatch x:\n  case [1, 2]:\n    import a\nmatch: int = 3\n");
  const auto& all = source->statements();
  REQUIRE(all.size() == 4);
  CHECK(all[0].kind == StatementKind::simple);
  CHECK(all[1].kind == StatementKind::simple);
  CHECK(all[2].kind == StatementKind::match);
  REQUIRE(all[2].body.size() == 1);
  CHECK(all[2].body[0].kind == StatementKind::case_);
  CHECK(all[3].kind == StatementKind::simple);
}

TEST_CASE("Cython: cimport is told apart, cdef functions are functions, declarations nothing") {
  const auto source = parse("m.pyx",
                            "cimport a.b\nfrom .c cimport d\ncdef int x = 1\ncdef class K:\n  pass\n"
                            "cdef inline int f(int a) nogil:\n  import e\nimport g\n");
  const auto& all = source->statements();
  REQUIRE(all.size() == 6);
  CHECK(all[0].kind == StatementKind::cimport);
  CHECK(all[1].kind == StatementKind::cimport);
  CHECK(all[2].kind == StatementKind::pass_);
  CHECK(all[3].kind == StatementKind::class_);
  CHECK(all[4].kind == StatementKind::function);
  CHECK(all[5].kind == StatementKind::import_names);
}

TEST_CASE("hostile texts end in time and without deep recursion") {
  for (const std::string part : {"(", "[", "{", "'", "\"\"\"", "f'{", "f\"\"\"{", "if a:\n", "if a: ", "\\\n", "\n ",
                                 "@", "lambda:", "\xff", "def f("}) {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += part;
    CHECK(parse("m.py", text)->tokens().size() <= 2 * text.size() + 2);
  }
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "if a:\n";
  CHECK(parse("m.py", deep)->statements().size() >= 1);
}

TEST_CASE("a source that costs too much is cut short, and says so") {
  cudald::Budget little(cudald::CostLimits{.kept = 100'000});
  const auto source = Source::parse("m.py", std::string(80'000, 'a') + "\n" + std::string(50'000, '('), little);
  CHECK_FALSE(source->complete());
  CHECK(source->tokens().size() < 5000);
  CHECK(little.exhausted());
  std::string long_text;
  for (int i = 0; i < 700'000; ++i) long_text += "a,";
  cudald::Budget enough;
  const auto longer = Source::parse("m.py", long_text, enough);
  CHECK_FALSE(longer->complete());
  CHECK_FALSE(enough.exhausted());
  CHECK(parse("m.py", "a, b\n")->complete());
}
