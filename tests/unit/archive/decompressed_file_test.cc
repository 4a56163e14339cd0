#include "archive/decompressed_file.h"

#include <doctest/doctest.h>
#include <isa-l/crc.h>

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "archive/compressing_stream.h"
#include "common/memory_file_system.h"
#include "unit/archive/zip_builder.h"
#include "unit/tree/faulty_file.h"

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

std::shared_ptr<const File> decompressed_of(std::string bytes, Compression compression) {
  return make_decompressed_file(std::make_shared<BytesFile>(std::move(bytes)), compression, "x");
}

/// As many bytes as there are from an offset on, at most `size`; or the error.
std::string at(const File& file, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  const auto got = file.read(offset, std::as_writable_bytes(std::span(text)));
  return got ? text.substr(0, *got) : "error: " + got.error().message;
}

TEST_CASE("how a file is compressed is told by its first bytes") {
  using namespace std::string_literals;
  struct Row {
    std::string bytes;
    Compression compression;
  };
  for (const auto& [bytes, compression] : {
           Row{"\x1f\x8b\x08...", Compression::gzip},
           Row{"\x1f\x8b", Compression::gzip},
           Row{"\x1f", Compression::none},
           Row{"\x28\xb5\x2f\xfd..", Compression::zstd},
           Row{"\x28\xb5\x2f", Compression::none},
           Row{"BZh9", Compression::bzip2},
           Row{"BZ", Compression::none},
           Row{"\xfd"
               "7zXZ\0..."s,
               Compression::xz},
           Row{"\xfd"
               "7zXZ"s,
               Compression::none},
           Row{"plain text", Compression::none},
           Row{"", Compression::none},
       }) {
    const auto& seen_bytes = bytes;
    CAPTURE(seen_bytes);
    CHECK(compression_of(BytesFile(bytes)) == compression);
  }
}

TEST_CASE("a stream is read forward, a little back from what is kept, and farther back by beginning anew") {
  std::string content(6 << 20, '.');
  for (std::size_t i = 0; i < content.size(); i += 1000) content.replace(i, 7, std::to_string(1'000'000 + i));
  const auto file = decompressed_of(*compressed(content, Compression::zstd), Compression::zstd);
  CHECK(file->is_stream());
  CHECK(file->status().size == unknown_size);
  for (const std::size_t offset : {5'000'000UL, 4'999'000UL, 1'500'000UL, 0UL, 6'291'000UL, 2'097'152UL, 4'194'300UL}) {
    CAPTURE(offset);
    CHECK(at(*file, offset, 300) == content.substr(offset, 300));
  }
  CHECK(at(*file, content.size() - 5, 10) == content.substr(content.size() - 5));
  CHECK(at(*file, content.size(), 10).empty());
  CHECK(at(*file, content.size() + 10, 10).empty());
  CHECK(at(*file, 0, content.size()) == content);
}

TEST_CASE("a stream that is cut short has what comes before, and its fault from there on") {
  std::string content;
  for (int i = 0; i < 300'000; ++i) content += std::to_string(i * 7919LL % 100'003);
  const auto whole = *compressed(content, Compression::zstd);
  const auto file = decompressed_of(whole.substr(0, whole.size() / 2), Compression::zstd);
  CHECK(at(*file, 0, 100) == content.substr(0, 100));
  const auto fault = at(*file, content.size() - 10, 10);
  CHECK(fault.starts_with("error: the compressed data are damaged or cut short ("));
  CHECK(at(*file, content.size() - 10, 10) == fault);
  CHECK(at(*file, 50, 100) == content.substr(50, 100));
  std::byte one{};
  const auto again = file->read(content.size() - 10, {&one, 1});
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::malformed);
  CHECK(again.error().path == "x");
  CHECK(again.error().offset == whole.size() / 2);
}

TEST_CASE("a gzip file may have several members, and zeros behind the last") {
  const auto one = *compressed("one,", Compression::gzip), two = *compressed("two", Compression::gzip);
  CHECK(at(*decompressed_of(one + two, Compression::gzip), 0, 100) == "one,two");
  CHECK(at(*decompressed_of(one + two, Compression::gzip), 4, 100) == "two");
  CHECK(at(*decompressed_of(one + std::string(500, '\0'), Compression::gzip), 0, 100) == "one,");
  CHECK(at(*decompressed_of(one + "junk", Compression::gzip), 0, 100).starts_with("error: "));
  CHECK(at(*decompressed_of(one + two.substr(0, two.size() - 9), Compression::gzip), 0, 100).starts_with("error: "));
  CHECK(at(*decompressed_of("\x1f\x8b and no more", Compression::gzip), 0, 4).starts_with("error: "));
  CHECK(decompressed_of(one, Compression::gzip)->is_stream());
  CHECK(at(*decompressed_of("plain", Compression::none), 0, 9) == "plain");
}

/// The bytes of a stream, as xz and bzip2 make it of three lines.
constexpr unsigned char of_xz[] = {
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01,
    0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0xe0, 0x00, 0x23, 0x00, 0x13, 0x5d, 0x00, 0x34,
    0x19, 0x49, 0xee, 0x8d, 0xe9, 0x17, 0x89, 0x3a, 0x33, 0x5f, 0xfc, 0xb3, 0x81, 0x04, 0xb7, 0x20,
    0x00, 0x00, 0x00, 0x00, 0x1d, 0xbb, 0x97, 0x87, 0xcb, 0xa2, 0xdb, 0xd1, 0x00, 0x01, 0x2f, 0x24,
    0x97, 0x69, 0x99, 0x0e, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
};
constexpr unsigned char of_bzip2[] = {
    0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xa3, 0x54, 0x56, 0x92, 0x00, 0x00, 0x07, 0x51, 0x80,
    0x00, 0x10, 0x40, 0x00, 0x06, 0x44, 0x90, 0x80, 0x20, 0x00, 0x22, 0xbf, 0xd5, 0x43, 0x4f, 0x44, 0x20, 0xc9, 0x88,
    0xe2, 0x22, 0x29, 0x6b, 0x56, 0x98, 0x8c, 0x7c, 0x5d, 0xc9, 0x14, 0xe1, 0x42, 0x42, 0x8d, 0x51, 0x5a, 0x48,
};

TEST_CASE("streams of xz and bzip2 are read, and damage in them is told") {
  if (missing_archive_library()) return;
  const auto opened = [](std::string stream, Compression compression) {
    MemoryFileSystem files;
    files.add_file("/x", std::move(stream));
    return make_decompressed_file(std::move(*files.open("/x")), compression, "x");
  };
  const auto text = [](const auto& bytes) { return std::string(std::begin(bytes), std::end(bytes)); };
  for (const auto& [stream, compression] :
       {std::pair(text(of_xz), Compression::xz), std::pair(text(of_bzip2), Compression::bzip2)}) {
    const auto& seen_compression = compression;
    CAPTURE(static_cast<int>(seen_compression));
    const auto file = opened(stream, compression);
    std::array<char, 100> bytes{};
    const auto got = file->read(6, std::as_writable_bytes(std::span(bytes)));
    REQUIRE(got);
    CHECK(std::string(bytes.data(), *got) == "world\nhello world\nhello world\n");
    auto damaged = stream;
    damaged[stream.size() / 2] = static_cast<char>(damaged[stream.size() / 2] ^ 0x55);
    const auto fault = opened(damaged, compression)->read(0, std::as_writable_bytes(std::span(bytes)));
    REQUIRE_FALSE(fault);
    CHECK(fault.error().code == ErrorCode::malformed);
  }
}

TEST_CASE("a compressed file that cannot be read is damaged, and one from whose beginning nothing comes is none") {
  const std::string text(100'000, 'x');
  for (const auto compression : {Compression::zstd}) {
    const auto packed = *compressed(text, compression);
    CHECK(compression_of(FaultyFile(packed, 3, true)) == Compression::none);
    CHECK(compression_of(FaultyFile(packed, 3, false)) == Compression::none);
    CHECK(compression_of(FaultyFile(packed, 6, true)) == compression);
    const auto file =
        make_decompressed_file(std::make_shared<FaultyFile>(packed, packed.size() - 1, true), compression, "x.zst");
    std::byte byte{};
    const auto got = file->read(text.size() - 1, {&byte, 1});
    REQUIRE_FALSE(got);
    CHECK(got.error().code == ErrorCode::malformed);
    CHECK(got.error().path == "x.zst");
    CHECK(got.error().message.starts_with("the compressed data are damaged or cut short ("));
  }
  CHECK_FALSE(missing_archive_library());
}

}  // namespace
}  // namespace cudald
