#include "base/utf8.h"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/writers.h>

namespace cudald {
namespace {

struct EscapedRow {
  std::string_view in, out;
};

TEST_CASE("controls, bidirectional marks and broken UTF-8 become visible") {
  using namespace std::string_view_literals;
  const std::vector<EscapedRow> rows = {
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
  for (const EscapedRow& row : rows) {
    CAPTURE(row.out);
    CHECK(escaped(row.in) == row.out);
  }
}

TEST_CASE("no text is a command to a service that shows the log of a build") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"##[error]x", "#\\x23[error]x"},
      {"lib##vso[task.setvariable]x", "lib#\\x23vso[task.setvariable]x"},
      {"###[x", "##\\x23[x"},
      {"##teamcity[x", "#\\x23teamcity[x"},
      {"::error::x", "\\x3a:error::x"},
      {"a ::stop-commands::x", "a \\x3a:stop-commands::x"},
      {"std::vector::size", "std::vector::size"},
      {"# a ## b", "# a ## b"},
      {"a :: b, ::", "a :: b, ::"},
      {"c##", "c##"},
  };
  for (const auto& [in, out] : rows) {
    CHECK(escaped(in) == out);
    CHECK(escaped(out) == out);
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

/// UTF-8 of any number, be it one of a character or not.
std::string encoded(char32_t code) {
  const auto tail = [code](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

TEST_CASE("a character has its number and its length") {
  struct Character {
    char32_t code;
    std::size_t length;
  };
  const Character rows[] = {
      {0, 1},      {0x41, 1},   {0x7f, 1},   {0x80, 2},   {0x7ff, 2},   {0x800, 3},    {0xd7ff, 3},   {0xd800, 0},
      {0xdfff, 0}, {0xe000, 3}, {0xfffd, 3}, {0xffff, 3}, {0x10000, 4}, {0x10ffff, 4}, {0x110000, 0}, {0x1fffff, 0},
  };
  for (const auto& row : rows) {
    CAPTURE(static_cast<std::uint32_t>(row.code));
    const auto found = first_character(encoded(row.code) + "x");
    CHECK(found.length == row.length);
    CHECK(found.code == (row.length == 0 ? 0 : row.code));
    CHECK(first_character(encoded(row.code)).length == row.length);
    if (row.length > 1) CHECK(first_character(encoded(row.code).substr(0, row.length - 1)).length == 0);
  }
  CHECK(first_character("").length == 0);
  for (const std::string broken : {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
                                   "\xf5\x80\x80\x80", "\xc2\x41", "\xe1\x80\x41", "\xf1\x80\x80\xc0"})
    CHECK(first_character(broken).length == 0);
}

TEST_CASE("which characters are shown by their bytes, up to the borders of their ranges") {
  const char32_t by_bytes[] = {0x0,    0x1f,   0x7f,   0x80,   0x9f,   0x61c,  0x200e,
                               0x200f, 0x2028, 0x202b, 0x202e, 0x2066, 0x2068, 0x2069};
  for (const auto code : by_bytes) {
    CAPTURE(static_cast<std::uint32_t>(code));
    const auto shown = escaped("a" + encoded(code) + "b");
    CHECK(shown.size() == 2 + 4 * encoded(code).size());
    CHECK(shown.starts_with("a\\x"));
  }
  const char32_t as_they_are[] = {0x20,   0x7e,   0xa0,   0x61b,  0x61d,  0x200d,  0x2010,
                                  0x2027, 0x202f, 0x2065, 0x206a, 0xffff, 0x10ffff};
  for (const auto code : as_they_are) {
    CAPTURE(static_cast<std::uint32_t>(code));
    CHECK(escaped("a" + encoded(code) + "b") == "a" + encoded(code) + "b");
  }
  CHECK(escaped("\xff") == "\\xff");
  CHECK(escaped("\x1") == "\\x01");
}

TEST_CASE("which characters take two columns and which take none, up to the borders of their ranges") {
  const std::pair<char32_t, char32_t> wide[] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
                                                {0xf900, 0xfaff}, {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                                {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
  const std::pair<char32_t, char32_t> combining[] = {
      {0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
  const auto width = [](char32_t code) { return display_width(encoded(code)); };
  for (const auto& [first, last] : wide) {
    CHECK(width(first) == 2);
    CHECK(width(last) == 2);
    CHECK(width(first - 1) == 1);
    CHECK(width(last + 1) == 1);
  }
  for (const auto& [first, last] : combining) {
    CHECK(width(first) == 0);
    CHECK(width(last) == 0);
    CHECK(width(first - 1) == 1);
    CHECK(width(last + 1) == 1);
  }
  CHECK(display_width("") == 0);
  CHECK(display_width("a\xff\xc3") == 3);
}

}  // namespace
}  // namespace cudald
