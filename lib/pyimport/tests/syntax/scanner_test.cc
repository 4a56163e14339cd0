#include "pyimport/syntax/scanner.h"

#include <string>
#include <string_view>
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

struct SpelledWord {
  std::string_view text;
  Word word;
};

constexpr SpelledWord all_keywords[] = {{"and", Word::and_},
                                        {"as", Word::as},
                                        {"assert", Word::assert_},
                                        {"async", Word::async},
                                        {"await", Word::await},
                                        {"break", Word::break_},
                                        {"case", Word::case_},
                                        {"cdef", Word::cdef},
                                        {"cimport", Word::cimport},
                                        {"class", Word::class_},
                                        {"continue", Word::continue_},
                                        {"cpdef", Word::cpdef},
                                        {"ctypedef", Word::ctypedef},
                                        {"def", Word::def},
                                        {"del", Word::del},
                                        {"elif", Word::elif},
                                        {"else", Word::else_},
                                        {"except", Word::except},
                                        {"False", Word::false_},
                                        {"finally", Word::finally},
                                        {"for", Word::for_},
                                        {"from", Word::from},
                                        {"global", Word::global},
                                        {"if", Word::if_},
                                        {"import", Word::import},
                                        {"in", Word::in},
                                        {"include", Word::include},
                                        {"is", Word::is},
                                        {"lambda", Word::lambda},
                                        {"match", Word::match},
                                        {"None", Word::none_},
                                        {"nonlocal", Word::nonlocal},
                                        {"not", Word::not_},
                                        {"or", Word::or_},
                                        {"pass", Word::pass},
                                        {"raise", Word::raise},
                                        {"return", Word::return_},
                                        {"True", Word::true_},
                                        {"try", Word::try_},
                                        {"type", Word::type},
                                        {"while", Word::while_},
                                        {"with", Word::with},
                                        {"yield", Word::yield},
                                        {"i", Word::none},
                                        {"iff", Word::none},
                                        {"continued", Word::none},
                                        {"If", Word::none},
                                        {"not_", Word::none}};

constexpr SpelledWord all_signs[] = {
    {"...", Word::dots},      {"**=", Word::augmented}, {"//=", Word::augmented}, {"<<=", Word::augmented},
    {">>=", Word::augmented}, {"!=", Word::unequal},    {"==", Word::equal},      {"<=", Word::at_most},
    {">=", Word::at_least},   {"->", Word::arrow},      {"+=", Word::augmented},  {"-=", Word::augmented},
    {"*=", Word::augmented},  {"/=", Word::augmented},  {"%=", Word::augmented},  {"&=", Word::augmented},
    {"|=", Word::augmented},  {"^=", Word::augmented},  {"@=", Word::augmented},  {":=", Word::becomes},
    {"**", Word::stars},      {"//", Word::slashes},    {"<<", Word::left_shift}, {">>", Word::right_shift},
    {"(", Word::open_round},  {")", Word::close_round}, {"[", Word::open_square}, {"]", Word::close_square},
    {"{", Word::open_curly},  {"}", Word::close_curly}, {",", Word::comma},       {":", Word::colon},
    {";", Word::semicolon},   {".", Word::dot},         {"=", Word::equals},      {"@", Word::at},
    {"!", Word::exclamation}, {"*", Word::star},        {"+", Word::plus},        {"-", Word::minus},
    {"/", Word::slash},       {"%", Word::percent},     {"~", Word::tilde},       {"|", Word::pipe},
    {"^", Word::caret},       {"&", Word::ampersand},   {"<", Word::less},        {">", Word::greater},
    {"$", Word::none},        {"?", Word::none}};

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

TEST_CASE("each keyword has a word of its own") {
  for (const auto& row : all_keywords) {
    CAPTURE(row.text);
    const auto& [text, word] = row;
    const auto tokens = scan_all(text);
    REQUIRE(tokens.size() == 2);
    CHECK(tokens[0].word == word);
    CHECK(tokens[0].kind == TokenKind::name);
    CHECK(tokens[0].begin == 0);
    CHECK(tokens[0].size == text.size());
    CHECK(tokens[1].kind == TokenKind::line_end);
  }
}

TEST_CASE("each sign has a word, the longest that stands there") {
  for (const auto& row : all_signs) {
    CAPTURE(row.text);
    const auto& [text, word] = row;
    const auto tokens = scan_all(text);
    REQUIRE(tokens.size() == 2);
    CHECK(tokens[0].word == word);
    CHECK(tokens[0].kind == TokenKind::symbol);
    CHECK(tokens[0].begin == 0);
    CHECK(tokens[0].size == text.size());
    CHECK(tokens[1].kind == TokenKind::line_end);
  }
  CHECK(words("a..b") == Words{"a", ".", ".", "b", "NEWLINE"});
}

TEST_CASE("brackets open and close by their own signs") {
  for (const auto word : {Word::open_round, Word::open_square, Word::open_curly}) {
    CHECK(opens(word));
    CHECK_FALSE(closes(word));
  }
  for (const auto word : {Word::close_round, Word::close_square, Word::close_curly}) {
    CHECK(closes(word));
    CHECK_FALSE(opens(word));
  }
  CHECK_FALSE(opens(Word::comma));
  CHECK_FALSE(closes(Word::comma));
}

TEST_CASE("numbers go on through points, underscores and the sign of an exponent") {
  for (const std::string number :
       {"0", "12", "1_000", "0x1F", "0XeF", "0b1", "1.5", ".5", "1.", "1e5", "1e+5", "1E-5", "1.5e-3j", "1.e+9"}) {
    CAPTURE(number);
    const auto tokens = scan_all(number + "\n");
    REQUIRE(tokens.size() == 2);
    CHECK(tokens[0].kind == TokenKind::number);
    CHECK(tokens[0].word == Word::none);
    CHECK(tokens[0].size == number.size());
  }
  CHECK(words("1+5") == Words{"1", "+", "5", "NEWLINE"});
  CHECK(words("1-5") == Words{"1", "-", "5", "NEWLINE"});
  CHECK(words("0x1e+5") == Words{"0x1e", "+", "5", "NEWLINE"});
  CHECK(words("0x1E-5") == Words{"0x1E", "-", "5", "NEWLINE"});
  CHECK(words("a.5") == Words{"a", ".5", "NEWLINE"});
  CHECK(words("a.b") == Words{"a", ".", "b", "NEWLINE"});
  CHECK(words("a.") == Words{"a", ".", "NEWLINE"});
}

TEST_CASE("a string begins with its prefix, if that is one") {
  for (const std::string prefix : {"", "r", "R", "b", "B", "u", "U", "f", "F", "t", "T", "rb", "Rf"}) {
    CAPTURE(prefix);
    const auto tokens = scan_all(prefix + "'x'");
    REQUIRE(tokens.size() == 2);
    CHECK(tokens[0].kind == TokenKind::string);
    CHECK(tokens[0].word == Word::none);
    CHECK(tokens[0].size == prefix.size() + 3);
  }
  CHECK(words("rbf'x'") == Words{"rbf", "'x'", "NEWLINE"});
  CHECK(words("a'x'") == Words{"a", "'x'", "NEWLINE"});
  CHECK(words("ra\"x\"") == Words{"ra", "\"x\"", "NEWLINE"});
  CHECK(words("r\"x'y\"") == Words{"r\"x'y\"", "NEWLINE"});
}

TEST_CASE("strings end at their own quotes") {
  CHECK(words("'a\"b' + \"c'd\"") == Words{"'a\"b'", "+", "\"c'd\"", "NEWLINE"});
  CHECK(words("'''a''b'c''' + 1") == Words{"'''a''b'c'''", "+", "1", "NEWLINE"});
  CHECK(words("'' 'a'") == Words{"''", "'a'", "NEWLINE"});
  CHECK(words("'''a''") == Words{"'''a''", "NEWLINE"});
  CHECK(words("'''a'") == Words{"'''a'", "NEWLINE"});
  CHECK(words("'a\\\\' + 'b'") == Words{"'a\\\\'", "+", "'b'", "NEWLINE"});
  CHECK(words("'a\\\nb' + 1") == Words{"'a\\\nb'", "+", "1", "NEWLINE"});
  CHECK(words("'a\\") == Words{"'a\\", "NEWLINE"});
  CHECK(words("'0123456789abcdef\"0123456789abcdef' + 1") ==
        Words{"'0123456789abcdef\"0123456789abcdef'", "+", "1", "NEWLINE"});
}

TEST_CASE("fields of formatted strings hold strings of their own, and braces of others do not count") {
  CHECK(words("f'{a['b']}' + 1") == Words{"f'{a['b']}'", "+", "1", "NEWLINE"});
  CHECK(words("f'{{' + 'b'") == Words{"f'{{'", "+", "'b'", "NEWLINE"});
  CHECK(words("'{a' + 'b}'") == Words{"'{a'", "+", "'b}'", "NEWLINE"});
  CHECK(words("f'{ {1: \"}\"}[1] }' + 1") == Words{"f'{ {1: \"}\"}[1] }'", "+", "1", "NEWLINE"});
  CHECK(words("f'{a\n") == Words{"f'{a", "NEWLINE"});
  CHECK(words("f'''{a\n + 'b'\n}''' + 1") == Words{"f'''{a\n + 'b'\n}'''", "+", "1", "NEWLINE"});
  CHECK(words("f'{a} {b' + 'c'") == Words{"f'{a} {b'", "+", "'c'", "NEWLINE"});
  CHECK(words("t'{a['b']}' + 1") == Words{"t'{a['b']}'", "+", "1", "NEWLINE"});
  CHECK(words("f'{") == Words{"f'{", "NEWLINE"});
}

TEST_CASE("lines of strings, of their fields and behind backslashes are counted") {
  const auto line_of_last = [](const std::string& text) {
    const auto tokens = scan_all(text + " last");
    return tokens[tokens.size() - 2].line;
  };
  CHECK(line_of_last("") == 1);
  CHECK(line_of_last("'''a\nb\n''' +") == 3);
  CHECK(line_of_last("'a\\\nb' +") == 2);
  CHECK(line_of_last("'a\\nb' +") == 1);
  CHECK(line_of_last("f'''{a\n}\n''' +") == 3);
  CHECK(line_of_last("f'''{a\n''' +") == 2);
  CHECK(line_of_last("a + \\\n") == 2);
  CHECK(line_of_last("a + \\\r\n") == 2);
  CHECK(line_of_last("(a\n\n+") == 3);
  CHECK(line_of_last("# remark\n\n") == 3);
  CHECK(scan_all("'''a\nb''' + 1").front().line == 1);
}

TEST_CASE("blanks, form feeds, ends of lines of Windows and a mark of the byte order do not count") {
  CHECK(words("\xef\xbb\xbf"
              "a\n") == Words{"a", "NEWLINE"});
  CHECK(words("a\t+\f b\r\nc\r\n") == Words{"a", "+", "b", "NEWLINE", "c", "NEWLINE"});
  CHECK(words("a = 1 + \\\r\n  2\r\n") == Words{"a", "=", "1", "+", "2", "NEWLINE"});
  CHECK(words("a \\ b\n") == Words{"a", "\\", "b", "NEWLINE"});
  CHECK(words("a \\") == Words{"a", "\\", "NEWLINE"});
  CHECK(words("# remark") == Words{});
  CHECK(words("a # remark") == Words{"a", "NEWLINE"});
  CHECK(words("if a:\n  b\n\r\n \r\n  c\n") ==
        Words{"if", "a", ":", "NEWLINE", "INDENT", "b", "NEWLINE", "c", "NEWLINE", "DEDENT"});
  CHECK(words("if a:\n  b\n \f  c\n") ==
        Words{"if", "a", ":", "NEWLINE", "INDENT", "b", "NEWLINE", "c", "NEWLINE", "DEDENT"});
  CHECK(words("a\n   ") == Words{"a", "NEWLINE"});
}

TEST_CASE("a tab goes to the next column of eight") {
  for (const std::string blanks : {"\t", " \t", "       \t", "        "}) {
    CAPTURE(blanks);
    CHECK(words("if a:\n" + blanks + "b\n        c\n") ==
          Words{"if", "a", ":", "NEWLINE", "INDENT", "b", "NEWLINE", "c", "NEWLINE", "DEDENT"});
  }
  CHECK(words("if a:\n        \tb\n                c\n").size() == 10);
  CHECK(words("if a:\n  b\n   c\n d\n") == Words{"if", "a", ":", "NEWLINE", "INDENT", "b", "NEWLINE", "INDENT", "c",
                                                 "NEWLINE", "DEDENT", "DEDENT", "d", "NEWLINE"});
}

TEST_CASE("closing brackets without an opening one do not join lines") {
  CHECK(words(")\na\n") == Words{")", "NEWLINE", "a", "NEWLINE"});
  CHECK(words("(a))\n(b\n)\n") == Words{"(", "a", ")", ")", "NEWLINE", "(", "b", ")", "NEWLINE"});
  CHECK(words("{a: [\n(b)\n]}\nc") == Words{"{", "a", ":", "[", "(", "b", ")", "]", "}", "NEWLINE", "c", "NEWLINE"});
}

TEST_CASE("indentation is followed to a depth of a hundred") {
  std::string text;
  for (std::size_t i = 0; i < 101; ++i) text += std::string(i, ' ') + "a\n";
  std::size_t indents = 0, dedents = 0;
  for (const auto& token : scan_all(text)) {
    indents += token.kind == TokenKind::indent ? 1 : 0;
    dedents += token.kind == TokenKind::dedent ? 1 : 0;
  }
  CHECK(indents == 99);
  CHECK(dedents == 99);
}

TEST_CASE("a definition has a body of its own only where it begins a line that ends in a colon") {
  const auto kept = [](const std::string& text) {
    cudald::Budget budget;
    bool complete = false;
    std::string result;
    for (const auto& token : scan(text, {.end = text.size(), .skips_bodies = true}, budget, complete))
      if (token.kind == TokenKind::name) result += text.substr(token.begin, token.size) + " ";
    CHECK(complete);
    return result;
  };
  CHECK(kept("def f():\n  a\nb\n") == "def f b ");
  CHECK(kept("x; def f():\n  a\nb\n") == "x def f a b ");
  CHECK(kept("async def f():\n  a\nb\n") == "async def f b ");
  CHECK(kept("(def f):\n  a\nb\n") == "def f a b ");
  CHECK(kept("def f(): c\nif d:\n  a\n") == "def f c if d a ");
  CHECK(kept("def f()\nif d:\n  a\n") == "def f if d a ");
  CHECK(kept("if a:\n  def f():\n    b\n  def g():\n    c\n  d\ne\n") == "if a def f def g d e ");
  CHECK(kept("def f():\n  if a:\n    b\n  c\n\n  # d\n\n  e\nf\n") == "def f f ");
  CHECK(kept("def f():\n  (a,\nb)\n  '''\nc\n'''\n  '\\''\n  rb'\\'\n  d # '\n  e \\\nf\ng\n") == "def f g ");
  CHECK(kept("def f():\n  f'{\"'\"}'\n  a'{'\n  b)\nc\n") == "def f c ");
  CHECK(kept("def f():\n  a") == "def f ");
  CHECK(kept("def f():\n  abc'x'\n  a \\ '(' b\nc\n") == "def f c ");
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

TEST_CASE("what ends a line, opens a bracket or a string is seen in a body however long its lines are") {
  const std::string behind = "the_name_that_stands_behind_it";
  const auto kept = [&](const std::string& body) {
    const auto text = "def f():\n  x = " + body + "\n  y\n" + behind + "\n";
    cudald::Budget budget;
    bool complete = false;
    std::string seen;
    for (const auto& token : scan(text, {.end = text.size(), .skips_bodies = true}, budget, complete))
      if (token.kind == TokenKind::name) seen += text.substr(token.begin, token.size) + " ";
    return seen;
  };
  const std::string fill = "0123456789abcdef", wanted = "def f " + behind + " ";
  for (const std::string inside :
       {"a * b ^ c $ d", "a & b % c + d", "a - b ~ d ` e | f ! g , h . i / j", "a : b ; c"}) {
    CAPTURE(inside);
    CHECK(kept("(" + inside + ",\nd)") == wanted);
    CHECK(kept("[" + inside + ",\nd]") == wanted);
    CHECK(kept("{" + inside + ",\nd}") == wanted);
    CHECK(kept(fill + "(" + fill + inside + fill + ",\nd)") == wanted);
  }
  for (std::size_t i = 0; i < 17; ++i) {
    const auto front = fill.substr(0, i) + " ";
    CAPTURE(front);
    for (const std::string code : {"(a)", "[a]", "{a}", "'('", "\"(\"", "# '''", "a \\\nb", "(\na)", "[\na]", "{\na}"})
      CHECK(kept(front + code) == wanted);
  }
}

TEST_CASE("what ends a string, or begins a field of it, is seen however long it is") {
  const std::string fill = "0123456789abcdef";
  for (std::size_t i = 0; i < 17; ++i) {
    const auto front = fill.substr(0, i);
    CAPTURE(front);
    const std::vector<std::string> strings{"'" + front + "'", "\"" + front + "\"", "'" + front + "\\'" + fill + "'",
                                           "f'" + front + "{a['b']}" + fill + "'",
                                           "'''" + front + "'\n" + fill + "'''"};
    for (const auto& string : strings)
      CHECK(words(string + " + a" + fill) == Words{string, "+", "a" + fill, "NEWLINE"});
    CHECK(words("'" + front + "\n" + fill + "x\n").front() == "'" + front);
  }
}

TEST_CASE("a field of a formatted string is read for 64 KiB, and a megabyte of those that do not end") {
  const auto is_one = [](const std::string& before, std::size_t size) {
    const std::string field = "{" + std::string(size - 5, 'a') + "'b'}", string = "f'" + field + "'";
    const auto tokens = words(before + string + " + 1");
    return tokens.size() >= 4 && tokens[tokens.size() - 4] == string;
  };
  CHECK(is_one("", 100));
  CHECK(is_one("", 65'536));
  CHECK_FALSE(is_one("", 65'537));
  const auto open_fields = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "f'{" + std::string(65'534, 'a') + "\n";
    return text;
  };
  CHECK(is_one(open_fields(15), 100));
  CHECK_FALSE(is_one(open_fields(16), 100));
}
