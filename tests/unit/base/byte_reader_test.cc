#include "base/byte_reader.h"

#include <cstdint>
#include <limits>
#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

constexpr std::uint64_t furthest = std::numeric_limits<std::uint64_t>::max();

ByteReader reader(const std::string& bytes, ByteOrder order = ByteOrder::little) {
  return {std::as_bytes(std::span(bytes)), order};
}

TEST_CASE("numbers are read in the byte order asked for") {
  const std::string bytes = "\x01\x02\x03\x04\x05\x06\x07\x08";
  const auto little = reader(bytes), big = reader(bytes, ByteOrder::big);
  CHECK(little.number<std::uint8_t>(1) == 0x02);
  CHECK(little.number<std::uint16_t>(1) == 0x0302);
  CHECK(little.number<std::uint32_t>(1) == 0x05040302U);
  CHECK(little.number<std::uint64_t>(0) == 0x0807060504030201U);
  CHECK(big.number<std::uint8_t>(1) == 0x02);
  CHECK(big.number<std::uint16_t>(1) == 0x0203);
  CHECK(big.number<std::uint32_t>(1) == 0x02030405U);
  CHECK(big.number<std::uint64_t>(0) == 0x0102030405060708U);
}

TEST_CASE("a number that is not wholly inside is none") {
  const std::string bytes = "12345678";
  const auto in = reader(bytes);
  CHECK(in.number<std::uint32_t>(4).has_value());
  for (const std::uint64_t offset : {std::uint64_t{5}, std::uint64_t{8}, furthest - 3, furthest})
    CHECK_FALSE(in.number<std::uint32_t>(offset).has_value());
  CHECK_FALSE(reader("").number<std::uint8_t>(0).has_value());
}

TEST_CASE("offset and length together do not wrap around") {
  const std::string bytes = "12345678";
  const auto in = reader(bytes);
  CHECK(in.holds(0, 8));
  CHECK(in.holds(8, 0));
  CHECK_FALSE(in.holds(9, 0));
  CHECK_FALSE(in.holds(1, 8));
  CHECK_FALSE(in.holds(4, furthest));
  CHECK_FALSE(in.holds(furthest, 2));
  CHECK(in.bytes(2, 3).size() == 3);
  CHECK(in.bytes(2, furthest).empty());
}

TEST_CASE("a string ends at its NUL, and without one it is none") {
  const std::string bytes("ab\0\0cd", 6);
  const auto in = reader(bytes);
  CHECK(in.string(0) == "ab");
  CHECK(in.string(1) == "b");
  CHECK(in.string(3) == "");
  CHECK_FALSE(in.string(4).has_value());
  CHECK_FALSE(in.string(6).has_value());
  CHECK_FALSE(in.string(furthest).has_value());
}

TEST_CASE("a number or bytes at the end are read, and those that go beyond are none") {
  const std::string bytes = "12345678";
  const auto in = reader(bytes);
  CHECK(in.size() == 8);
  CHECK(in.number<std::uint64_t>(0).has_value());
  CHECK_FALSE(in.number<std::uint64_t>(1).has_value());
  CHECK(in.number<std::uint8_t>(7) == '8');
  CHECK_FALSE(in.number<std::uint8_t>(8).has_value());
  CHECK(in.number<std::uint16_t>(6) == 0x3837);
  CHECK(in.bytes(0, 8).size() == 8);
  CHECK(in.bytes(8, 0).empty());
  CHECK(in.bytes(2, 3).data() == in.bytes(0, 8).data() + 2);
  CHECK(in.bytes(1, 8).empty());
  CHECK_FALSE(in.holds(8, 1));
  const std::string ended("ab\0", 3);
  CHECK(reader(ended).string(2) == "");
  CHECK_FALSE(reader(ended).string(3).has_value());
}

}  // namespace
}  // namespace cudald
