#include "archive/compressing_stream.h"

#include <doctest/doctest.h>

#include <sstream>

#include "archive/gzip.h"
#include "common/memory_file_system.h"

namespace cudald {
namespace {

std::string in_pieces(Compression compression, const std::string& bytes, const char* level = nullptr) {
  std::ostringstream out;
  CompressingBuffer buffer(compression, out, level);
  std::ostream stream(&buffer);
  // In pieces of odd sizes.
  for (std::size_t at = 0; at < bytes.size(); at += 70'001) stream << bytes.substr(at, 70'001);
  CHECK_FALSE(buffer.finish());
  return std::move(out).str();
}

TEST_CASE("what is compressed comes back, and is the same each time") {
  std::string bytes;
  for (int i = 0; i < 200'000; ++i) bytes += std::to_string(i * 7919 % 1000);
  for (const auto compression : {Compression::gzip, Compression::zstd}) {
    const auto once = in_pieces(compression, bytes);
    CHECK(once.size() < bytes.size());
    CHECK(once == in_pieces(compression, bytes));
    MemoryFileSystem files;
    files.add_file("/x", once);
    CHECK(*read_plain_or_compressed(files, "/x", bytes.size()) == bytes);
  }
  CHECK(*compressed(bytes, Compression::zstd) == in_pieces(Compression::zstd, bytes));
  CHECK(*gzip(bytes) == in_pieces(Compression::gzip, bytes, "9"));
}

TEST_CASE("what cannot be set up is told in libarchive's words") {
  std::ostringstream out;
  CompressingBuffer buffer(Compression::zstd, out, "no level");
  const auto fault = buffer.finish();
  REQUIRE(fault);
  CHECK(fault->code == ErrorCode::unreadable);
  CHECK(fault->message.find("no level") != std::string::npos);
}

TEST_CASE("nothing is a stream as well") { CHECK(compressed("", Compression::zstd)->starts_with("\x28\xb5\x2f\xfd")); }

}  // namespace
}  // namespace cudald
