#include "pyimport/syntax/string_literal.h"

#include <doctest/doctest.h>

using namespace cudald::python;

namespace {

std::string value(std::string_view literal) {
  const auto opened = open_literal(literal);
  return unescaped(opened.inside, opened.raw);
}

}  // namespace

TEST_CASE("literals have values") {
  CHECK(value("'a\\n\\x41\\u00e9'") == "a\nA\xc3\xa9");
  CHECK(value("r'\\n'") == "\\n");
  CHECK(value("'''a'b'''") == "a'b");
  CHECK(value("'a\\\nb'") == "ab");
  CHECK(value("'\\d'") == "\\d");
}

TEST_CASE("escapes stand for characters, which are kept as UTF-8") {
  struct Row {
    std::string_view literal, held;
  };
  for (const auto& [literal, held] : {
           Row{R"('\t\r\n')", "\t\r\n"},
           Row{R"('\a\b\f\v')", "\a\b\f\v"},
           Row{R"('\\\'\"')", "\\'\""},
           Row{R"('\x7f')", "\x7f"},
           Row{R"('\x80')", "\xc2\x80"},
           Row{R"('\u07ff\u0800')", "\xdf\xbf\xe0\xa0\x80"},
           Row{R"('\uffff')", "\xef\xbf\xbf"},
           Row{R"('\U00010000')", "\xf0\x90\x80\x80"},
           Row{R"('\U0010FFFF')", "\xf4\x8f\xbf\xbf"},
           Row{R"('\x4a4')", "J4"},    // two digits
           Row{R"('\u004a4')", "J4"},  // four
           Row{R"('\1011')", "A1"},    // three octal ones
           Row{R"('\778')", "?8"},     // 8 is none
           Row{R"('\9')", "\\9"},
           Row{R"('\x4')", "\x04"},  // as far as there are digits
           Row{R"('\N{DASH}')", "\\N{DASH}"},
       }) {
    const auto& seen_literal = literal;
    CAPTURE(seen_literal);
    CHECK(value(literal) == held);
  }
  CHECK(value(R"('a\0b')") == std::string("a\0b", 3));
  CHECK(unescaped("a\\", false) == "a\\");
}

TEST_CASE("a literal that does not end has nothing inside") {
  CHECK(value("'") == "");
  CHECK(value("'abc") == "");
  CHECK(value("abc") == "");
}

TEST_CASE("prefixes say what a literal is") {
  struct Row {
    std::string_view literal;
    bool raw, bytes, formatted, templated;
  };
  for (const auto& [literal, raw, bytes, formatted, templated] : {
           Row{"'rbft'", false, false, false, false},
           Row{"r'x'", true, false, false, false},
           Row{"R\"x\"", true, false, false, false},
           Row{"b'x'", false, true, false, false},
           Row{"B'x'", false, true, false, false},
           Row{"f'x'", false, false, true, false},
           Row{"F'x'", false, false, true, false},
           Row{"rf'x'", true, false, true, false},
           Row{"t'x'", false, false, true, true},
           Row{"T'x'", false, false, true, true},
       }) {
    const auto& seen_literal = literal;
    CAPTURE(seen_literal);
    const auto opened = open_literal(literal);
    CHECK(opened.raw == raw);
    CHECK(opened.bytes == bytes);
    CHECK(opened.formatted == formatted);
    CHECK(opened.templated == templated);
  }
  CHECK(open_literal("''").inside == "");
  CHECK(open_literal("'''a'''").inside == "a");
  CHECK(open_literal("''''''").inside == "");
}

TEST_CASE("digits of an escape end at what is none, and quotes of a literal are its first ones") {
  CHECK(value(R"('\xg')") == std::string("\0g", 2));
  CHECK(value(R"('\u4g')") == "\x04g");
  CHECK(value(R"('\x4A\x4f')") == "JO");
  CHECK(value(R"('\x:')") == std::string("\0:", 2));
  CHECK(value(R"('\7')") == "\x07");
  CHECK(value(R"('\8')") == "\\8");
  CHECK(value(R"('\/')") == "\\/");
  CHECK(value(R"('\u007F\u0080')") == "\x7f\xc2\x80");
  CHECK(value("'' 'a'") ==
        "' '"
        "a");
  CHECK(value("''a'''") == "'a''");
  CHECK(value("\"a'b\"") == "a'b");
  CHECK(value("'a\"") == "");
  CHECK(value("'''a") == "");
  CHECK(open_literal("''''").inside == "''");
  CHECK(unescaped("\\n", true) == "\\n");
  CHECK(unescaped("\\n", false) == "\n");
}
