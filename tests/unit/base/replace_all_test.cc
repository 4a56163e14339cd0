#include "base/replace_all.h"

#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a text is put in the place of each other, and not looked at again") {
  const auto replaced = [](std::string text, const char* from, const char* to) {
    replace_all(text, from, to);
    return text;
  };
  CHECK(replaced("a.b.c", ".", "::") == "a::b::c");
  CHECK(replaced("aaaa", "aa", "a") == "aa");
  CHECK(replaced("aaa", "a", "aa") == "aaaaaa");
  CHECK(replaced("abc", "b", "") == "ac");
  CHECK(replaced("abc", "x", "y") == "abc");
  CHECK(replaced("", "x", "y") == "");
}

}  // namespace
}  // namespace cudald
