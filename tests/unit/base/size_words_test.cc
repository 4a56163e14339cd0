#include "base/size_words.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a size is said in the unit that leaves a small number, and none is nothing") {
  CHECK(size_words(0) == "0 kB");
  CHECK(size_words(1) == "1 kB");
  CHECK(size_words(2000) == "2 kB");
  CHECK(size_words(999'999) == "1000 kB");
  CHECK(size_words(12'900'000) == "12 MB");
  CHECK(size_words(4'120'000'000) == "4.1 GB");
}

TEST_CASE("each unit begins at its own size") {
  CHECK(size_words(1000) == "1 kB");
  CHECK(size_words(1001) == "2 kB");
  CHECK(size_words(999'001) == "1000 kB");
  CHECK(size_words(1'000'000) == "1 MB");
  CHECK(size_words(1'999'999) == "1 MB");
  CHECK(size_words(999'999'999) == "999 MB");
  CHECK(size_words(1'000'000'000) == "1.0 GB");
}

}  // namespace
}  // namespace cudald
