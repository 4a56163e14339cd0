#include "base/utf8.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/writers.h>

namespace cudald {
namespace {

struct Row {
  std::string_view in, out;
};

TEST_CASE("controls, bidirectional marks and broken UTF-8 become visible") {
  using namespace std::string_view_literals;
  const std::vector<Row> rows = {
      {"plain text / with-\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80",
       "plain text / with-\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80"},
      {"a\\b", "a\\b"},
      {"\x1b[31m"sv, "\\x1b[31m"},
      {"a\nb\tc\rd\0e"sv, "a\\x0ab\\x09c\\x0dd\\x00e"},
      {"\x7f", "\\x7f"},
      {"\xc2\x9b"
       "31m",
       "\\xc2\\x9b31m"},                    // U+009B, a control sequence introducer of one character
      {"\xe2\x80\xae", "\\xe2\\x80\\xae"},  // U+202E right-to-left override
      {"\xe2\x81\xa6", "\\xe2\\x81\\xa6"},  // U+2066 isolate
      {"\xe2\x80\x8f", "\\xe2\\x80\\x8f"},  // U+200F right-to-left mark
      {"\xe2\x80\xa8", "\\xe2\\x80\\xa8"},  // U+2028 line separator
      {"\xff\xfe", "\\xff\\xfe"},
      {"\xc3", "\\xc3"},           // cut short
      {"\xc0\xaf", "\\xc0\\xaf"},  // overlong slash
      {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
      {"\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // a surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // above U+10FFFF
      {"\xe2\x82x", "\\xe2\\x82x"},
      {"", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.out);
    CHECK(escaped(row.in) == row.out);
  }
}

TEST_CASE("JSON keeps controls for its own escapes and replaces only broken bytes") {
  CHECK(valid_utf8("a\x1b\xc3\xa9\xff") == "a\x1b\xc3\xa9\\xff");
  CHECK(valid_utf8("\xc3") == "\\xc3");
}

TEST_CASE("every pair of bytes comes out as valid UTF-8") {
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second), 'x'};
      std::string rest = valid_utf8(text);
      while (!rest.empty()) {
        const std::size_t length = first_character(rest).length;
        REQUIRE(length > 0);
        rest.erase(0, length);
      }
    }
}

TEST_CASE("width counts columns, not bytes") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("\xc3\xa9") == 1);
  CHECK(display_width("\xe4\xb8\xad\xe6\x96\x87") == 4);
  CHECK(display_width("e\xcc\x81") == 1);
}

}  // namespace
}  // namespace cudald
