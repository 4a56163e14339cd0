#include "archive/inflated_file.h"

#include <doctest/doctest.h>

#include "archive/stream_budget.h"
#include "base/crc32.h"
#include "unit/archive/zip_builder.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

/// Deflated without being compressed: RFC 1951, 3.2.4.
std::string deflated(std::string_view data) {
  constexpr std::size_t longest = 0xffff;
  std::string out;
  do {
    const auto part = data.substr(0, longest);
    data.remove_prefix(part.size());
    out += static_cast<char>(data.empty());
    out += n16(part.size()) + n16(~part.size() & 0xffff);
    out += part;
  } while (!data.empty());
  return out;
}

constexpr std::uint32_t crc32_of_digits = 0xcbf43926;  // the check value of CRC-32, of "123456789"

std::unique_ptr<File> inflated(const std::string& compressed, std::size_t size, std::uint32_t crc32) {
  auto archive = std::make_shared<BytesFile>("in front" + compressed + "behind");
  return make_inflated_file(archive, {8, compressed.size(), size, crc32}, {}, "x.so");
}

TEST_CASE("a member is what its directory entry says, or damaged") {
  const auto good = deflated("123456789");
  auto broken = good;
  broken[1] = 'x';
  struct Row {
    std::string compressed;
    std::size_t size;
    std::uint32_t crc32;
    std::string said;
  };
  const std::vector<Row> rows = {
      {good, 9, crc32_of_digits, ""},
      {deflated(""), 0, 0, ""},
      {good, 9, 1, "its bytes do not match their checksum (CRC-32)"},
      {good.substr(0, 8), 9, crc32_of_digits, "its compressed bytes end too early"},
      {"", 9, crc32_of_digits, "its compressed bytes end too early"},
      {good, 10, crc32_of_digits, "it inflates to fewer bytes than its directory entry says"},
      {deflated("123456789x"), 9, crc32_of_digits, "it inflates to more bytes than its directory entry says"},
      {broken, 9, crc32_of_digits, "its compressed bytes are damaged"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.said);
    const auto file = inflated(row.compressed, row.size, row.crc32);
    for (int again = 0; again < 2; ++again) {
      const auto error = file->verify();
      REQUIRE(error.has_value() == !row.said.empty());
      if (!error) continue;
      CHECK(error->message == row.said);
      CHECK(error->code == ErrorCode::malformed);
      CHECK(error->path == "x.so");
    }
  }
}

TEST_CASE("a member is read at any place") {
  std::string data(std::size_t{20} << 20, '\0');
  for (std::size_t i = 0; i < data.size(); i += 1000) data[i] = static_cast<char>(i / 1000);
  const auto file = inflated(deflated(data), data.size(), 0);
  const auto piece = [&](std::size_t at) {
    std::string text(3000, '\0');
    const auto got = file->read(at, std::as_writable_bytes(std::span(text)));
    REQUIRE(got.has_value());
    return text.substr(0, *got);
  };
  for (const std::size_t at : {0U, 19U << 20, 5U << 20, 262143U, 12U << 20, (20U << 20) - 10, 20U << 20}) {
    CAPTURE(at);
    CHECK(piece(at) == data.substr(at, 3000));
  }
}

TEST_CASE("whoever has been at the end of a member does not inflate it again to verify it") {
  const std::string data(std::size_t{20} << 20, 'x');
  const auto compressed = deflated(data);
  const auto archive = std::make_shared<BytesFile>(compressed);
  const auto file = make_inflated_file(archive, {0, compressed.size(), data.size(), crc32_after(0, data)}, {}, "x.so");
  std::byte byte{};
  for (const auto at : {data.size() - 1, data.size() / 4}) CHECK(file->read(at, {&byte, 1}));
  const auto before = archive->bytes_read;
  CHECK_FALSE(file->verify());
  CHECK(archive->bytes_read == before);
}

TEST_CASE("to and fro in a member has an end") {
  const std::size_t size = std::size_t{20} << 20;
  const auto file = inflated(deflated(std::string(size, '\0')), size, 0);
  std::byte byte{};
  std::optional<Error> error;
  for (int round = 0; round < 20 && !error; ++round)
    for (std::size_t at = size; at > std::size_t{4} << 20 && !error; at -= std::size_t{1} << 18)
      if (const auto got = file->read(at - 1, {&byte, 1}); !got) error = got.error();
  REQUIRE(error.has_value());
  CHECK(error->code == ErrorCode::limit);
  CHECK(file->verify().has_value());
}

TEST_CASE("a stored file is held against its checksum") {
  CHECK_FALSE(check_crc32(BytesFile("123456789"), crc32_of_digits, "x").has_value());
  const auto error = check_crc32(BytesFile("123456780"), crc32_of_digits, "x");
  REQUIRE(error.has_value());
  CHECK(error->message == "its bytes do not match their checksum (CRC-32)");
}

TEST_CASE("a member of an archive that cannot be read is an error each time, and so is one beyond the budget") {
  const auto compressed = deflated("123456789");
  const DeflatedRange range{0, compressed.size(), 9, crc32_of_digits};
  const auto file = make_inflated_file(std::make_shared<FaultyFile>(compressed, 7, true), range, {}, "x.so");
  std::byte byte{};
  for (int again = 0; again < 2; ++again) {
    const auto got = file->read(0, {&byte, 1});
    REQUIRE_FALSE(got);
    CHECK(got.error().code == ErrorCode::unreadable);
    CHECK(got.error().system_error == EIO);
  }
  CHECK(file->verify()->system_error == EIO);

  const auto damaged = inflated(compressed.substr(0, 8), 9, crc32_of_digits);
  for (int again = 0; again < 2; ++again)
    CHECK(damaged->read(0, {&byte, 1}).error().message == "its compressed bytes end too early");

  for (const std::uint64_t total : {8U, 9U}) {
    const auto budget = std::make_shared<StreamBudget>(100, total);
    const auto limited = make_inflated_file(std::make_shared<BytesFile>(compressed), range, {}, "x.so", budget);
    const auto got = limited->read(3, {&byte, 1});
    CHECK(got.has_value() == (total == 9));
    if (got) CHECK(byte == std::byte{'4'});
    if (!got) CHECK(got.error().message == "inflates to more than the 8 bytes of --max-total");
    CHECK(budget->fresh() == 9);
  }
  const auto stored = check_crc32(FaultyFile("123456789", 3, true), crc32_of_digits, "x");
  REQUIRE(stored);
  CHECK(stored->system_error == EIO);
}

}  // namespace
}  // namespace cudald
