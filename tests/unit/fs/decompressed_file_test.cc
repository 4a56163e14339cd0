#include "fs/decompressed_file.h"

#include <doctest/doctest.h>
#include <isa-l/crc.h>

#include <array>
#include <cstring>
#include <vector>

namespace cudald {
namespace {

constexpr std::uint64_t one_mib = std::uint64_t{1} << 20;

/// A gzip file of stored blocks, made where it is read; no disk holds it.
class GzipOfBlocks final : public File {
 public:
  static constexpr std::uint64_t block = 65535, blocks = 10'000;  // 625 MiB: more than the restart points at first
  GzipOfBlocks() {
    std::vector<unsigned char> bytes(block);
    std::uint32_t crc = 0;
    for (std::uint64_t i = 0; i < blocks; ++i) {
      std::memset(bytes.data(), content(i), block);
      crc = crc32_gzip_refl(crc, bytes.data(), block);
    }
    const auto size = static_cast<std::uint32_t>(block * blocks);
    for (int i = 0; i < 4; ++i) trailer_[i] = static_cast<unsigned char>(crc >> (8 * i));
    for (int i = 0; i < 4; ++i) trailer_[4 + i] = static_cast<unsigned char>(size >> (8 * i));
    status_.size = sizeof header + blocks * (block + 5) + sizeof trailer_;
  }
  static unsigned char content(std::uint64_t number) { return static_cast<unsigned char>(number * 7 + number / 256); }

  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    const auto length = std::min<std::uint64_t>(into.size(), status_.size - std::min(offset, status_.size));
    for (std::uint64_t i = 0; i < length; ++i) into[i] = std::byte{byte(offset + i)};
    return static_cast<std::size_t>(length);
  }

 private:
  static constexpr unsigned char header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
  unsigned char byte(std::uint64_t at) const {
    if (at < sizeof header) return header[at];
    at -= sizeof header;
    const auto number = at / (block + 5), inside = at % (block + 5);
    if (number >= blocks) return trailer_[at - blocks * (block + 5)];
    const unsigned char start[5] = {static_cast<unsigned char>(number + 1 == blocks), 0xff, 0xff, 0, 0};
    return inside < 5 ? start[inside] : content(number);
  }

  FileStatus status_;
  unsigned char trailer_[8];
};

TEST_CASE("a gzip file of unknown length is read at any place, and ends where it ends") {
  const auto file = std::make_shared<GzipOfBlocks>();
  CHECK(compression_of(*file) == Compression::gzip);
  const auto bytes = make_decompressed_file(file, Compression::gzip, "x.gz");
  constexpr auto size = GzipOfBlocks::block * GzipOfBlocks::blocks;
  const auto at = [&](std::uint64_t offset) {
    std::array<std::byte, 1> one{};
    const auto got = bytes->read(offset, one);
    REQUIRE(got);
    return *got == 0 ? -1 : static_cast<int>(one[0]);
  };
  for (const auto offset :
       {size - 1, std::uint64_t{0}, size / 2, size / 3, size - 70'000, 100 * one_mib, 1 * one_mib}) {
    CAPTURE(offset);
    CHECK(at(offset) == GzipOfBlocks::content(offset / GzipOfBlocks::block));
  }
  CHECK(at(size) == -1);
  CHECK(at(size + one_mib) == -1);
  std::vector<std::byte> tail(100);
  CHECK(bytes->read(size - 10, tail).has_value());
  CHECK(*bytes->read(size - 10, tail) == 10);
}

}  // namespace
}  // namespace cudald
