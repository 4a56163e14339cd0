#include "image/read_only_data.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

/// What is handed over of these ranges, each block behind the place that it lies at.
std::string blocks_of(const std::string& bytes, const std::vector<FileRange>& ranges, std::uint64_t most) {
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  std::string text;
  for_blocks(**files.open("/file"), ranges, bytes.size(), most, 16, [&](const FileBlock& block) {
    text += std::to_string(block.offset) + (block.first ? "! " : " ") + std::string(block.bytes) + "\n";
    return false;
  });
  return text;
}

TEST_CASE("ranges are read in their order, so many bytes in all, and none behind the file's end") {
  const std::string bytes = "0123456789abcdef";
  CHECK(blocks_of(bytes, {{2, 3}, {10, 2}}, 100) == "2! 234\n10! ab\n");
  CHECK(blocks_of(bytes, {{10, 2}, {2, 3}}, 100) == "10! ab\n2! 234\n");
  CHECK(blocks_of(bytes, {{2, 3}, {10, 4}}, 5) == "2! 234\n10! ab\n");
  CHECK(blocks_of(bytes, {{2, 3}, {10, 4}}, 3) == "2! 234\n");
  CHECK(blocks_of(bytes, {{14, 9}, {40, 2}}, 100) == "14! ef\n");
}

TEST_CASE("blocks overlap, so that a text over their border stands whole in one") {
  const std::string bytes(300'000, 'x');
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  std::uint64_t end = 0;
  for_blocks(**files.open("/file"), {{0, bytes.size()}}, bytes.size(), bytes.size(), 16, [&](const FileBlock& block) {
    CHECK(block.first == (block.offset == 0));
    CHECK(block.offset + 16 == std::max<std::uint64_t>(end, 16));
    end = block.offset + block.bytes.size();
    return false;
  });
  CHECK(end == bytes.size());
  std::size_t count = 0;
  for_blocks(**files.open("/file"), {{0, 10}, {20, 10}}, bytes.size(), bytes.size(), 16,
             [&](const FileBlock&) { return ++count == 1; });
  CHECK_MESSAGE(count == 1, "it ends where that is wanted");
}

}  // namespace
}  // namespace cudald
