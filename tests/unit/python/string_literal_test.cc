#include "python/string_literal.h"

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

TEST_CASE("a literal that does not end has nothing inside") {
  CHECK(value("'") == "");
  CHECK(value("'abc") == "");
  CHECK(value("abc") == "");
}

TEST_CASE("prefixes say what a literal is") {
  CHECK(open_literal("rf'{x}'").formatted);
  CHECK(open_literal("rf'{x}'").raw);
  CHECK(open_literal("B'x'").bytes);
  CHECK(open_literal("t'{x}'").templated);
  CHECK_FALSE(open_literal("'{x}'").formatted);
}
