#include "base/demangler.h"

#include <doctest/doctest.h>

#include <string>

namespace cudald {
namespace {

TEST_CASE("names of C++ are made readable, others are not") {
  Demangler demangler;
  CHECK(demangler("_ZN3c105ErrorD1Ev") == "c10::Error::~Error()");
  CHECK(demangler("_Z1fi") == "f(int)");
  CHECK(demangler("printf").empty());
  CHECK(demangler("_Znonsense").empty());
  CHECK(demangler("_Z" + std::string(100'000, 'P') + "i").empty());
}

/// A function of two references at each level, which twice stand for the level below: twice as long by each.
std::string growing(int levels) {
  const std::string digits = "_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1f1AIiiE";
  for (int level = 0; level < levels; ++level) {
    const auto below = std::string("S") + digits[static_cast<std::size_t>(level) + 1] + "_";
    name += "S_I" + below + below + "E";
  }
  return name;
}

TEST_CASE("a name is not made readable where that may come to more than a megabyte") {
  CHECK(Demangler()(growing(5)).size() > 1000);
  CHECK(Demangler()(growing(6)).size() > 2000);
  for (const int levels : {12, 20, 30, 36}) CHECK(Demangler()(growing(levels)).empty());
  // References that stand for little are many in real names.
  std::string plain = "_Z1fPKc";
  for (int i = 0; i < 20; ++i) plain += "S0_";
  CHECK(Demangler()(plain).starts_with("f(char const*, char const*, "));
}

TEST_CASE("one answer has only so many readable names") {
  Demangler demangler;
  const auto name = growing(6);
  const auto length = demangler(name).size();
  std::size_t all = length;
  int count = 1;
  for (; count < 100'000; ++count) {
    const auto readable = demangler(name);
    if (readable.empty()) break;
    all += readable.size();
  }
  CHECK(all <= (std::size_t{32} << 20) + length);
  CHECK(all > std::size_t{30} << 20);
  CHECK(demangler("_Z1fi").empty());
  CHECK(Demangler()("_Z1fi") == "f(int)");
}

TEST_CASE("only what may refer to an earlier part counts for the length") {
  // A long name, of letters that look like many references, or begin like one and go on as none.
  const auto identifier = [](const std::string& piece) {
    std::string text;
    while (text.size() + piece.size() <= 900) text += piece;
    return "_Z" + std::to_string(text.size()) + text + "v";
  };
  for (const std::string piece : {"S", "SS", "T0", "Sa_", "S0a", "S:_", "S/_", "S[_", "S@_", "s_", "U_", "R_"})
    CHECK_MESSAGE(!Demangler()(identifier(piece)).empty(), piece);
  for (const std::string piece : {"S_", "T_", "S0_", "SZ_", "S9_", "SA_", "T1Z9_"})
    CHECK_MESSAGE(Demangler()(identifier(piece)).empty(), piece);
}

TEST_CASE("a name may end where a reference would begin, and begins as names of C++ do") {
  CHECK(Demangler()("_Z4fooS") == "fooS");
  CHECK(Demangler()("_Z6fooS0A") == "fooS0A");
  CHECK(Demangler()("_").empty());
  CHECK(Demangler()("Z1fv").empty());
  CHECK(Demangler()("").empty());
}

TEST_CASE("a name may come to a mebibyte") {
  // Each reference may make it half as long again: 1.445 ^ 25 * 82 is less than that, 1.445 ^ 26 * 85 is more.
  std::string plain = "_Z1fPKc";
  for (int i = 0; i < 25; ++i) plain += "S0_";
  CHECK(Demangler()(plain).starts_with("f(char const*, char const*, "));
  CHECK(Demangler()(plain + "S0_").empty());
}

}  // namespace
}  // namespace cudald
