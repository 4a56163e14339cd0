#include "base/version_order.h"

#include <string>

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

}  // namespace
}  // namespace cudald
