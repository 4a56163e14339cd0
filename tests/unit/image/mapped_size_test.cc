#include "image/mapped_size.h"

#include <cudald/image.h>
#include <doctest/doctest.h>

using namespace cudald;

namespace {

/// Of a file of 1000 bytes with one segment that is loaded.
std::uint64_t size_with_segment(std::uint64_t offset, std::uint64_t size) {
  Image image;
  image.file_size = 1000;
  image.elf.load_segments.push_back({.offset = offset, .file_size = size});
  return mapped_size(image);
}

}  // namespace

TEST_CASE("what lies behind the last segment is no part of what is mapped") {
  CHECK(size_with_segment(0, 400) == 400);
  CHECK(size_with_segment(100, 900) == 1000);
}

TEST_CASE("files without segments, or whose segments lie outside, are taken whole") {
  CHECK(size_with_segment(900, 101) == 1000);
  CHECK(size_with_segment(~0ULL, 2) == 1000);
  Image image;
  image.file_size = 12;
  CHECK(mapped_size(image) == 12);
}
