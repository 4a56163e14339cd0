#include "rewrite/elf_patches.h"

#include "unit/rewrite/edited.h"

namespace cudald {
namespace {

std::string patched(const ElfPatches& patches, std::uint64_t begin, std::uint64_t end) {
  std::vector<Piece> pieces;
  patches.append(begin, end, pieces);
  return bytes_of(NewFile(file_of("0123456789"), pieces));
}

TEST_CASE("numbers are written in the byte order of the file") {
  CHECK(number_bytes(0x0102, 2, ByteOrder::little) == "\x02\x01");
  CHECK(number_bytes(0x01020304, 4, ByteOrder::big) == "\x01\x02\x03\x04");
}

TEST_CASE("patches replace bytes of the parts that are taken over") {
  ElfPatches patches({.is_64 = false}, ByteOrder::big);
  CHECK(patched(patches, 2, 5) == "234");
  patches.put(3, "ab");
  patches.put16(6, 0x4142);
  CHECK(patched(patches, 0, 10) == "012ab5AB89");
  CHECK(patched(patches, 0, 3) == "012");
  CHECK(patched(patches, 5, 10) == "5AB89");
  CHECK_FALSE(patches.overlap());
  patches.put_word(5, 0x61626364);
  CHECK(patches.overlap());
}

}  // namespace
}  // namespace cudald
