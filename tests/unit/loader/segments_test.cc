#include <doctest/doctest.h>

#include <string>

#include "loader/segments.h"
#include "unit/loader/loaded.h"

namespace cudald {
namespace {

LibcVersion glibc_2(int minor) { return {LibcKind::glibc, 2, minor}; }

/// A library with one load segment.
Image with_segment(std::uint64_t offset, std::uint64_t address, std::uint64_t alignment) {
  auto image = good_image();
  image.elf.load_segments = {{offset, address, 16, 16, alignment}};
  return image;
}

TEST_CASE("glibc up to 2.34 compares addresses and offsets by p_align, later ones by pages") {
  // As patchelf 0.18.0 leaves a segment: it keeps its place in a page, not in 2 MiB.
  const auto moved = with_segment(0x3000, 0x5000, 0x200000);
  for (const int minor : {17, 31, 34}) CHECK(refusal_of_segments(moved, glibc_2(minor)) == segment_misaligned);
  for (const int minor : {35, 36, 41}) CHECK(refusal_of_segments(moved, glibc_2(minor)) == "");
}

TEST_CASE("each release says in its own words what is wrong with a segment") {
  struct Row {
    Image image;
    std::string old_text, new_text;
  };
  const Row rows[] = {
      {with_segment(0, 0, 0x1000), "", ""},
      {with_segment(0x10, 0x1010, 0x1000), "", ""},
      {with_segment(0x10, 0x10, 0), "", ""},
      {with_segment(0x10, 0x1010, 0), "ELF load command address/offset not properly aligned", ""},
      {with_segment(0x10, 0x1010, 0x10), "ELF load command alignment not page-aligned", ""},
      {with_segment(0x10, 0x1000, 0x1000), "ELF load command address/offset not properly aligned",
       "ELF load command address/offset not page-aligned"},
  };
  for (const auto& row : rows) {
    CHECK(refusal_of_segments(row.image, glibc_2(31)) == row.old_text);
    CHECK(refusal_of_segments(row.image, glibc_2(36)) == row.new_text);
  }
  auto none = good_image();
  none.elf.load_segments.clear();
  CHECK(refusal_of_segments(none, glibc_2(36)) == "object file has no loadable segments");
}

TEST_CASE("only code needs a file system that allows execution") {
  auto image = good_image();
  CHECK_FALSE(has_executable_segment(image));
  image.elf.load_segments.front().executable = true;
  CHECK(has_executable_segment(image));
}

}  // namespace
}  // namespace cudald
