#include <doctest/doctest.h>

#include "base/shell_word.h"
#include "base/similar_word.h"
#include "base/version_order.h"

namespace cudald {
namespace {

TEST_CASE("versions are ordered by number") {
  const std::string ordered[] = {"",          "GCC_3.0",    "GLIBC_2",       "GLIBC_2.2.5",
                                 "GLIBC_2.9", "GLIBC_2.17", "GLIBC_2.017.1", "GLIBC_10"};
  for (std::size_t a = 0; a < std::size(ordered); ++a)
    for (std::size_t b = 0; b < std::size(ordered); ++b) {
      CAPTURE(ordered[a]);
      CAPTURE(ordered[b]);
      CHECK(version_less(ordered[a], ordered[b]) == (a < b));
    }
}

TEST_CASE("a word for the shell is quoted only where it must be") {
  struct Row {
    std::string text, word;
  };
  const Row rows[] = {
      {"/opt/lib-1.2/a_b+c:d,e=f@g%h", "/opt/lib-1.2/a_b+c:d,e=f@g%h"},
      {"", "''"},
      {"a b", "'a b'"},
      {"$ORIGIN/lib", "'$ORIGIN/lib'"},
      {"`id`", "'`id`'"},
      {"it's", "'it'\\''s'"},
      {"a\\b", "'a\\b'"},
      {"~", "'~'"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(shell_word(row.text) == row.word);
  }
}

TEST_CASE("what a terminal would obey never stands in a word as it is") {
  CHECK(shell_word("a\x1b[31mb") == "$'a\\x1b[31mb'");
  CHECK(shell_word("a\nb'c\\d") == "$'a\\x0ab\\'c\\\\d'");
  for (int c = 0; c < 256; ++c) {
    const auto word = shell_word(std::string(1, static_cast<char>(c)));
    CAPTURE(c);
    for (const char shown : word) CHECK((shown >= 0x20 && shown < 0x7f));
  }
}

TEST_CASE("letters put in, left out, replaced or swapped are counted") {
  struct Row {
    std::string a, b;
    std::size_t distance;
  };
  const Row rows[] = {
      {"", "", 0},          {"", "tree", 4},     {"tree", "tree", 0}, {"tre", "tree", 1},
      {"treee", "tree", 1}, {"trae", "tree", 1}, {"rtee", "tree", 1}, {"why", "tree", 4},
  };
  for (const Row& row : rows) {
    CAPTURE(row.a);
    CAPTURE(row.b);
    CHECK(edit_distance(row.a, row.b) == row.distance);
    CHECK(edit_distance(row.b, row.a) == row.distance);
  }
}

TEST_CASE("the word that was probably meant is offered, and no far-fetched one") {
  const std::vector<std::string_view> known = {"explain", "tree", "why", "show", "rule"};
  CHECK(similar_word("tre", known) == "tree");
  CHECK(similar_word("expalin", known) == "explain");
  CHECK(similar_word("expl", known) == "explain");
  CHECK(similar_word("wyh", known) == "why");
  CHECK(similar_word("zzzz", known) == "");
  CHECK(similar_word("", known) == "");
  CHECK(similar_word(std::string(65, 'e'), known) == "");
  CHECK(did_you_mean("tre", known).find("tree") != std::string::npos);
  CHECK(did_you_mean("zzzz", known) == "");
}

}  // namespace
}  // namespace cudald
