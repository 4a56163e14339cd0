#include "base/ascii.h"

#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("digits and letters are those of ASCII") {
  std::string digits, letters;
  for (int code = 0; code < 256; ++code) {
    const auto c = static_cast<char>(code);
    if (is_digit(c)) digits += c;
    if (is_letter(c)) letters += c;
  }
  CHECK(digits == "0123456789");
  CHECK(letters == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
}

}  // namespace
}  // namespace cudald
