#include "base/find_bytes.h"

#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("bytes are found as string_view::find finds them") {
  const std::string text("ab\0abc", 6);
  for (const std::string part : {"a", "ab", "abc", "b", "x", "", "abcd"})
    for (std::size_t begin = 0; begin <= text.size() + 1; ++begin) {
      CAPTURE(part);
      CAPTURE(begin);
      CHECK(find_bytes(text, part, begin) == text.find(part, begin));
    }
  CHECK(find_bytes(text, std::string_view("\0a", 2)) == 2);
  CHECK(find_bytes("", "") == 0);
  CHECK(holds_bytes(text, "abc"));
  CHECK_FALSE(holds_bytes(text, "bb"));
}

}  // namespace
}  // namespace cudald
