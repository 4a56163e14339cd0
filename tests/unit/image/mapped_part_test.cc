#include "image/mapped_part.h"

#include <elf.h>
#include <cstring>
#include <string>

#include <doctest/doctest.h>

using namespace cudald;

namespace {

/// A header and one segment that is loaded, of so many bytes, in a file of 1000.
std::string file_with_segment(std::uint64_t offset, std::uint64_t size) {
  std::string bytes(1000, 'x');
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof(header);
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_offset = offset;
  segment.p_filesz = size;
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), &segment, sizeof(segment));
  return bytes;
}

}  // namespace

TEST_CASE("what lies behind the last segment is no part of what is mapped") {
  CHECK(mapped_part(file_with_segment(0, 400)).size() == 400);
  CHECK(mapped_part(file_with_segment(100, 900)).size() == 1000);
}

TEST_CASE("files that are none of ELF, or whose segments lie outside, are taken whole") {
  CHECK(mapped_part("MZ and so on").size() == 12);
  CHECK(mapped_part(file_with_segment(900, 101)).size() == 1000);
  CHECK(mapped_part(std::string(ELFMAG) + "\2\1").size() == 6);
}
