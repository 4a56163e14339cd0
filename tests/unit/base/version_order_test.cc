#include "base/version_order.h"

#include <string>
#include <utility>

#include <doctest/doctest.h>

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

TEST_CASE("a digit is held against what is none by its letter, and zeros before a number count for nothing") {
  const std::pair<std::string, std::string> rows[] = {
      {"1", "a"},
      {".", "1"},
      {"1.1", "1a"},
      {"1", "1.0"},
      {"1.9", "1.10"},
      {"2.a", "2.b"},
      {"", "0"},
      {"09", "10"},
      {"1.0", "1.00.1"},
      {"99999999999999999998", "99999999999999999999"},
      {"9", "10000000000000000000000"},
  };
  for (const auto& [older, newer] : rows) {
    const std::string pair = older + " and " + newer;
    CAPTURE(pair);
    CHECK(version_less(older, newer));
    CHECK_FALSE(version_less(newer, older));
    CHECK_FALSE(version_less(older, older));
  }
  CHECK_FALSE(version_less("1.010", "1.10"));
  CHECK_FALSE(version_less("1.10", "1.010"));
  CHECK_FALSE(version_less("1.0", "1.00"));
}

}  // namespace
}  // namespace cudald
