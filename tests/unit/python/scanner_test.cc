#include "python/scanner.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace cudald::python;

namespace {

std::vector<Token> scan_all(std::string_view text) {
  cudald::Budget budget;
  bool complete = false;
  return scan(text, {0, text.size()}, budget, complete);
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
  const auto tokens = scan_all("\"\"\"one\ntwo\"\"\"\na = (1,\n2)\nimport last\n");
  CHECK(tokens.front().line == 1);
  CHECK(tokens[2].line == 3);
  CHECK(tokens[tokens.size() - 2].line == 5);
}

TEST_CASE("keywords and signs are told by their word") {
  const auto tokens = scan_all("if not x **= y: iffy\n");
  CHECK(tokens[0].word == Word::if_);
  CHECK(tokens[1].word == Word::not_);
  CHECK(tokens[2].word == Word::none);
  CHECK(tokens[3].word == Word::augmented);
  CHECK(tokens[5].word == Word::colon);
  CHECK(tokens[6].word == Word::none);
}

TEST_CASE("a part of a text is scanned as if it stood alone, with its places in the whole") {
  const std::string text = "class A:\n  def f():\n    a\n    b\n";
  cudald::Budget budget;
  bool complete = false;
  const auto body = scan(text, {text.find("    a"), text.size(), 3}, budget, complete);
  REQUIRE(body.size() == 6);
  CHECK(body[0].kind == TokenKind::indent);
  CHECK(body[1].begin == text.find("a\n    b"));
  CHECK(body[1].line == 3);
  CHECK(body.back().kind == TokenKind::dedent);
  const auto inside = scan("(a\n +b)", {1, 6, 1, true}, budget, complete);
  REQUIRE(inside.size() == 4);
  CHECK(inside.back().kind == TokenKind::line_end);
}

TEST_CASE("of the bodies of functions only indents and dedents are told, where that is asked for") {
  const std::string text =
      "class A:\n"
      "  async def f(self, a={1: 2}) -> int:  # text\n"
      "    \"\"\"def:\n\"\"\"\n"
      "    if a: c = f'{a[\"]\"]}(' + rb'\\'(' # (\n"
      "      b = (1,\n"
      "  2)\n"
      "\n"
      "    def g(): pass\n"
      "  def h(self): return 1\n"
      "  x = def_\n"
      "def k():\n"
      "  return 1\n"
      "last: int\n";
  cudald::Budget budget;
  bool complete = false;
  const auto tokens = scan(text, {.end = text.size(), .skips_bodies = true}, budget, complete);
  std::string kept;
  for (const auto& token : tokens)
    kept += token.kind == TokenKind::indent     ? "> "
            : token.kind == TokenKind::dedent   ? "< "
            : token.kind == TokenKind::line_end ? "| "
                                                : text.substr(token.begin, token.size) + " ";
  CHECK(kept ==
        "class A : | > async def f ( self , a = { 1 : 2 } ) -> int : | > > < < def h ( self ) : return 1 | "
        "x = def_ | < def k ( ) : | > < last : int | ");
  CHECK(tokens.back().line == 14);
}

TEST_CASE("hostile texts are scanned in time") {
  for (const std::string part : {"(", "[", "{", "'", "\"\"\"", "f'{", "f\"\"\"{", "if a:\n", "if a: ", "\\\n", "\n ",
                                 "@", "lambda:", "\xff", "def f("}) {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += part;
    CHECK(scan_all(text).size() <= 2 * text.size() + 2);
  }
}

TEST_CASE("too many tokens, or too little room, cut the text short") {
  std::string text;
  for (int i = 0; i < 700'000; ++i) text += "a,";
  cudald::Budget enough;
  bool complete = true;
  scan(text, {0, text.size()}, enough, complete);
  CHECK_FALSE(complete);
  CHECK_FALSE(enough.exhausted());
  cudald::Budget little(cudald::CostLimits{.steps = 5'000});
  CHECK(scan(text, {0, text.size()}, little, complete).size() < 10'000);
  CHECK_FALSE(complete);
}
