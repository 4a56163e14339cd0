#include "cache/checked_blocks.h"

#include <unistd.h>

#include <string>

#include <doctest/doctest.h>

#include "os/scratch_file.h"

namespace cudald {
namespace {

constexpr std::size_t block = CheckedBlocks::block_size;
constexpr std::uint64_t begin = 7;

std::string some_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 2654435761u) >> 13);
  return bytes;
}

/// Bytes in a file, behind others, and what reads them.
struct Written {
  explicit Written(std::string text) : bytes(std::move(text)), file(open_scratch_file()) {
    checksums.add(std::as_bytes(std::span(bytes)));
    write();
    blocks = CheckedBlocks(file, begin, bytes.size(), checksums.all());
  }

  void write() const { REQUIRE(write_at(file, begin, std::as_bytes(std::span(bytes)))); }

  std::string read(std::uint64_t at, std::size_t size) {
    std::string text(size, '?');
    return blocks.read(at, std::as_writable_bytes(std::span(text))) ? text : "none";
  }

  bool gives_back(std::uint64_t at, std::size_t size) { return read(at, size) == bytes.substr(at, size); }

  std::string bytes;
  int file;
  BlockChecksums checksums;
  CheckedBlocks blocks;
};

TEST_CASE("blocks are counted with the rest") {
  CHECK(CheckedBlocks::count(0) == 0);
  CHECK(CheckedBlocks::count(1) == 1);
  CHECK(CheckedBlocks::count(block) == 1);
  CHECK(CheckedBlocks::count(block + 1) == 2);
  CHECK(CheckedBlocks::count(UINT64_MAX) == UINT64_MAX / block + 1);
}

TEST_CASE("checksums are the same in whatever steps the bytes go by") {
  const auto bytes = some_bytes(3 * block + 10);
  BlockChecksums at_once, stepwise;
  at_once.add(std::as_bytes(std::span(bytes)));
  for (std::size_t at = 0; at < bytes.size(); at += 1000)
    stepwise.add(std::as_bytes(std::span(bytes)).subspan(at, std::min<std::size_t>(1000, bytes.size() - at)));
  CHECK(at_once.all().size() == 4);
  CHECK(stepwise.all() == at_once.all());
}

TEST_CASE("whatever part is asked for comes back, and nothing behind the end") {
  for (const auto size : {std::size_t{1}, block - 1, block, block + 1, 20 * block + 100}) {
    CAPTURE(size);
    Written written(some_bytes(size));
    CHECK(written.gives_back(0, size));
    CHECK(written.gives_back(size - 1, 1));
    CHECK(written.gives_back(size / 2, size - size / 2));
    CHECK(written.gives_back(0, size / 2));
    for (std::size_t at = 0; at + 10 <= size; at += block / 3) CHECK(written.gives_back(at, 10));
    CHECK(written.read(size, 0).empty());
    CHECK(written.read(size, 1) == "none");
    CHECK(written.read(size + 1, 0) == "none");
    CHECK(written.read(0, size + 1) == "none");
    CHECK(written.read(UINT64_MAX, 2) == "none");
  }
}

TEST_CASE("of a block that was changed nothing comes back, of its neighbours everything") {
  Written written(some_bytes(4 * block));
  written.bytes[2 * block + 5] ^= 1;
  written.write();
  CHECK(written.read(2 * block + 100, 3) == "none");
  CHECK_MESSAGE(written.read(2 * block + 100, 3) == "none", "however often it is asked for");
  CHECK(written.read(2 * block, block) == "none");
  CHECK(written.read(2 * block - 1, 2) == "none");
  CHECK(written.read(0, 4 * block) == "none");
  CHECK(written.gives_back(0, 2 * block));
  CHECK(written.gives_back(2 * block - 10, 10));
  CHECK(written.gives_back(3 * block, block));
}

TEST_CASE("whether bytes agree is told without reading them twice, and not of what is not there") {
  Written written(some_bytes(20 * block + 100));
  const auto size = written.bytes.size();
  CHECK(written.blocks.agree(0, size));
  CHECK(written.blocks.agree(block + 1, 2));
  CHECK(written.blocks.agree(size, 0));
  CHECK_FALSE(written.blocks.agree(size, 1));
  CHECK_FALSE(written.blocks.agree(size + 1, 0));
  CHECK_FALSE(written.blocks.agree(0, size + 1));
  written.bytes[19 * block] ^= 1;
  written.write();
  CHECK_MESSAGE(written.blocks.agree(0, size), "it has been compared");
  written.blocks = CheckedBlocks(written.file, begin, size, written.checksums.all());
  CHECK(written.blocks.agree(0, 19 * block));
  CHECK_FALSE(written.blocks.agree(0, 19 * block + 1));
  CHECK_FALSE(written.blocks.agree(20 * block - 1, 2));
  CHECK(written.blocks.agree(20 * block, 100));
}

TEST_CASE("small pieces of one block are read once") {
  Written written(some_bytes(2 * block));
  const auto before = written.read(10, 5);
  written.bytes[10] ^= 1;
  written.write();
  CHECK(written.read(10, 5) == before);
  CHECK(written.read(0, block) == "none");
}

TEST_CASE("of a file that became shorter nothing comes back from where it ends") {
  Written written(some_bytes(2 * block + 10));
  REQUIRE(::ftruncate(written.file, static_cast<off_t>(begin + 2 * block + 9)) == 0);
  CHECK(written.read(2 * block, 1) == "none");
  CHECK_FALSE(written.blocks.agree(2 * block, 10));
  CHECK(written.gives_back(0, 2 * block));
}

}  // namespace
}  // namespace cudald
