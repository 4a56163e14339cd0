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

}  // namespace
}  // namespace cudald
