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
  std::string many;
  for (int i = 0; i < 3000; ++i) many += i % 7 == 0 ? "aab" : "aac";
  for (const std::string part : {"aab", "caab", "baaca", "aacaab", "bb", "aad", "aacaacaacaacaacaacaab"})
    for (const std::size_t begin : {0, 1, 17, 5000, 8990, 8999})
      CHECK(find_bytes(many, part, begin) == many.find(part, begin));
  // Nearly equal everywhere: to be told soon all the same.
  const std::string alike(1 << 20, 'a'), nearly = std::string(500, 'a') + "b" + std::string(500, 'a');
  CHECK(find_bytes(alike, nearly) == std::string::npos);
  CHECK(find_bytes("", "") == 0);
  CHECK(holds_bytes(text, "abc"));
  CHECK_FALSE(holds_bytes(text, "bb"));
}

}  // namespace
}  // namespace cudald
