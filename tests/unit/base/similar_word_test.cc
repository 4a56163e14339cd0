#include "base/similar_word.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cudald {
namespace {

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

TEST_CASE("a mistyped word finds the one that was meant") {
  const std::vector<std::string_view> known{"explain", "check", "tree", "why"};
  CHECK(edit_distance("exlpain", "explain") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(similar_word("exlpain", known) == "explain");
  CHECK(similar_word("tee", known) == "tree");
  CHECK(similar_word("expl", known) == "explain");
  CHECK(similar_word("nothing-like-it", known).empty());
  CHECK(similar_word("", known).empty());
  CHECK(did_you_mean("chekc", known) == "; did you mean `check`?");
  CHECK(did_you_mean("zzzzzz", known).empty());
}

TEST_CASE("a word may differ by a quarter of its letters, and by one in any case") {
  CHECK(similar_word("abcdefgh", {"abcdefXY"}) == "abcdefXY");
  CHECK(similar_word("abcdefg", {"abcdeXY"}) == "");
  CHECK(similar_word("abcdefg", {"abcdefX"}) == "abcdefX");
  CHECK(similar_word("abcdefghijkl", {"abcdefghiXYZ"}) == "abcdefghiXYZ");
  CHECK(similar_word("ab", {"aX"}) == "aX");
  CHECK(similar_word("a", {"X"}) == "X");
  CHECK(similar_word("ab", {"XY"}) == "");
  CHECK(similar_word(std::string(64, 'e'), {std::string_view("e")}) == "");
  const std::string longest(64, 'e');
  CHECK(similar_word(longest, {longest}) == longest);
}

TEST_CASE("of several words the nearest is meant, and of equally near ones the first") {
  CHECK(similar_word("abcdefgh", {"abcdefXY", "abcdefgX", "abcdefgY"}) == "abcdefgX");
  CHECK(similar_word("abcdefgh", {"abcdefgX", "abcdefXY"}) == "abcdefgX");
  CHECK(similar_word("exp", {"explain", "export"}) == "explain");
  CHECK(similar_word("ex", {"explain"}) == "");
  CHECK(similar_word("exp", {"explain", "exq"}) == "exq");
  CHECK(similar_word("exp", {"exq", "explain"}) == "exq");
  CHECK(did_you_mean("tree") == "; did you mean `tree`?");
  CHECK(did_you_mean("") == "");
  CHECK(edit_distance("abc", "acb") == 1);
  CHECK(edit_distance("ca", "abc") == 3);
  CHECK(edit_distance("ab", "ba") == 1);
  CHECK(edit_distance("abcd", "badc") == 2);
}

}  // namespace
}  // namespace cudald
