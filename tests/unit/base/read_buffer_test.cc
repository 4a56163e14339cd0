#include "base/read_buffer.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a buffer has room for its bytes, and can be cut but not made longer") {
  ReadBuffer buffer(4);
  REQUIRE(buffer.size() == 4);
  REQUIRE(buffer.room().size() == 4);
  for (std::size_t i = 0; i < 4; ++i) buffer.room()[i] = static_cast<std::byte>(i + 1);
  CHECK(buffer.data() == buffer.room().data());
  CHECK(buffer.begin() == buffer.data());
  CHECK(buffer.end() == buffer.data() + 4);
  CHECK(buffer[3] == std::byte{4});
  buffer.cut(5);
  CHECK(buffer.size() == 4);
  buffer.cut(2);
  CHECK(buffer.size() == 2);
  CHECK(buffer.end() - buffer.begin() == 2);
  CHECK(buffer.room().size() == 2);
  CHECK(ReadBuffer().size() == 0);
}

}  // namespace
}  // namespace cudald
