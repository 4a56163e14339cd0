#include "base/at_end.h"

#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("what is to be done at the end is done once, the last first, and where something is thrown as well") {
  std::string done;
  {
    const AtEnd first([&] { done += "a"; });
    const AtEnd second([&] { done += "b"; });
    CHECK(done.empty());
  }
  CHECK(done == "ba");
  const auto thrown = [&] {
    const AtEnd end([&] { done += "c"; });
    throw std::runtime_error("x");
  };
  CHECK_THROWS_WITH(thrown(), "x");
  CHECK(done == "bac");
}

}  // namespace
}  // namespace cudald
