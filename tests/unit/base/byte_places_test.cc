#include "base/byte_places.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("both bytes are found in their order, in whole blocks and behind the last one") {
  for (std::size_t size = 0; size < 70; ++size)
    for (const std::size_t step : {1, 3, 16, 17}) {
      std::string text(size, '\xff');
      std::vector<std::size_t> wanted, found;
      for (std::size_t i = 0; i < size; i += step) text[i] = i % 2 == 0 ? '\xe8' : '\xe9', wanted.push_back(i);
      for_each_place_of(text, '\xe8', '\xe9', [&](std::size_t at) { found.push_back(at); });
      CAPTURE(size);
      CAPTURE(step);
      CHECK(found == wanted);
    }
}

TEST_CASE("pairs are found in their order, over the borders of blocks as well") {
  for (std::size_t size = 1; size < 70; ++size)
    for (const std::size_t step : {2, 3, 15, 17}) {
      std::string text(size + 1, '\x15');
      std::vector<std::size_t> wanted, found;
      for (std::size_t i = 0; i < size; i += step) {
        text[i] = '\xff';
        text[i + 1] = i % 3 == 0 ? '\x15' : i % 3 == 1 ? '\x25' : '\x35';
        if (i % 3 != 2) wanted.push_back(i);
      }
      const auto all = std::string_view(text).substr(0, size);
      for_each_pair_of(all, '\xff', '\x15', '\x25', [&](std::size_t at) { found.push_back(at); });
      CAPTURE(size);
      CAPTURE(step);
      CHECK(found == wanted);
    }
}

}  // namespace
}  // namespace cudald
