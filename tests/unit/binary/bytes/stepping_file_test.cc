#include "binary/bytes/stepping_file.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/elf_builder.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

/// A file of numbers of four bytes that notes its reads as "offset+length".
class SteppedOnFile final : public File {
 public:
  explicit SteppedOnFile(std::size_t size, std::uint64_t broken_at = UINT64_MAX)
      : file_(numbers(size), broken_at, true) {}

  static std::string numbers(std::size_t size) {
    std::string bytes;
    for (std::uint32_t i = 0; bytes.size() < size; ++i) append(bytes, i);
    bytes.resize(size);
    return bytes;
  }
  const FileStatus& status() const override { return file_.status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    log += (log.empty() ? "" : " ") + std::to_string(offset) + "+" + std::to_string(into.size());
    return file_.read(offset, into);
  }

  mutable std::string log;

 private:
  FaultyFile file_;
};

/// The bytes that a read through the steps gives; "error" for none.
std::string stepped(const SteppingFile& file, std::uint64_t offset, std::size_t length) {
  std::string bytes(length, 'x');
  const auto got = file.read(offset, std::as_writable_bytes(std::span(bytes)));
  return got ? bytes.substr(0, *got) : "error";
}

/// What is read of a file of 100,000 bytes for reads of 48 bytes at these places.
std::string reads_of(const std::vector<std::uint64_t>& places) {
  const auto all = SteppedOnFile::numbers(100'000);
  const SteppedOnFile file(all.size());
  const SteppingFile stepping(file);
  for (const auto place : places) CHECK(stepped(stepping, place, 48) == all.substr(place, 48));
  return file.log;
}

TEST_CASE("only after a short step more is read than was asked for") {
  CHECK(reads_of({0}) == "0+48");
  CHECK(reads_of({0, 2048}) == "0+48 2048+8192");
  CHECK(reads_of({0, 2049}) == "0+48 2049+48");
  CHECK(reads_of({50'000, 40'000}) == "50000+48 40000+48");
  CHECK(reads_of({0, 100, 2000, 8244, 8245}) == "0+48 100+8192 8245+8192");
  CHECK(reads_of({0, 100, 8244, 8292}) == "0+48 100+8192 8292+8192");
  CHECK(reads_of({0, 100, 8244, 99, 100, 8000}) == "0+48 100+8192 99+48 100+8192");
  CHECK(reads_of({0, 0, 0}) == "0+48");
}

TEST_CASE("what is as long as a block is one, and what is longer goes by it") {
  const auto all = SteppedOnFile::numbers(50'000);
  const SteppedOnFile file(all.size());
  const SteppingFile stepping(file);
  CHECK(stepped(stepping, 16, 8192) == all.substr(16, 8192));
  CHECK(stepped(stepping, 8160, 48) == all.substr(8160, 48));
  CHECK(stepped(stepping, 16, 8193) == all.substr(16, 8193));
  CHECK(stepped(stepping, 20, 48) == all.substr(20, 48));
  CHECK(file.log == "16+8192 16+8193");
  CHECK(stepping.status().size == 50'000);
  CHECK_FALSE(stepping.is_stream());
}

TEST_CASE("steps to the end of a file and beyond it") {
  const auto all = SteppedOnFile::numbers(1000);
  const SteppedOnFile file(all.size());
  const SteppingFile stepping(file);
  CHECK(stepped(stepping, 900, 48) == all.substr(900, 48));
  CHECK(stepped(stepping, 948, 48) == all.substr(948, 48));
  CHECK(stepped(stepping, 952, 48) == all.substr(952));
  CHECK(stepped(stepping, 960, 48) == all.substr(960));
  CHECK(stepped(stepping, 1000, 48) == "");
  CHECK(stepped(stepping, 5000, 48) == "");
}

TEST_CASE("where more cannot be read, what was asked for is") {
  const auto all = SteppedOnFile::numbers(20'000);
  const SteppedOnFile file(all.size(), 5000);
  const SteppingFile stepping(file);
  CHECK(stepped(stepping, 0, 48) == all.substr(0, 48));
  CHECK(stepped(stepping, 1000, 48) == all.substr(1000, 48));
  CHECK(stepped(stepping, 4990, 48) == "error");
  CHECK(stepped(stepping, 4990, 10) == all.substr(4990, 10));
  CHECK(file.log == "0+48 1000+8192 1000+48 4990+48 4990+8192 4990+10");
  const FaultyFile given("bytes");
  CHECK_FALSE(SteppingFile(given).is_stream());
  FaultyFile stream("bytes");
  stream.stream = true;
  CHECK(SteppingFile(stream).is_stream());
}

}  // namespace
}  // namespace cudald
