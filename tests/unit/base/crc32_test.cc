#include "base/crc32.h"

#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

// Source: the check value of CRC-32/ISO-HDLC.
TEST_CASE("a sum of bytes is gzip's, in one piece or several") {
  CHECK(crc32_after(0, std::string_view("123456789")) == 0xcbf43926);
  CHECK(crc32_after(crc32_after(0, std::string_view("1234")), std::string_view("56789")) == 0xcbf43926);
  CHECK(crc32_after(0, std::string_view()) == 0);
}

/// Bit by bit.
std::uint32_t slow_sum(std::string_view text) {
  std::uint32_t sum = ~0U;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320U : 0U);
  }
  return ~sum;
}

TEST_CASE("the sum is the same with ISA-L and without, whatever the pieces") {
  std::string text;
  for (std::uint32_t i = 0; text.size() < 200'000; ++i) text += static_cast<char>(i * i >> 3 ^ i);
  const auto expected = slow_sum(text);
  // The first pieces of a run are summed up by tables, the others by ISA-L.
  for (const std::size_t piece : {7U, 8U, 1001U, 65'536U, 200'000U}) {
    CAPTURE(piece);
    std::uint32_t sum = 0;
    for (std::size_t at = 0; at < text.size(); at += piece) sum = crc32_after(sum, text.substr(at, piece));
    CHECK(sum == expected);
  }
}

}  // namespace
}  // namespace cudald
