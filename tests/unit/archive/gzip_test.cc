#include "archive/gzip.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

TEST_CASE("what was compressed is read again, and the same bytes give the same file") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "library " + std::to_string(i % 1000) + "\n";
  const auto packed = gzip(text);
  REQUIRE(packed);
  CHECK(packed->size() < text.size() / 10);
  CHECK(*packed == *gzip(text));
  CHECK(packed->substr(4, 4) == std::string(4, '\0'));  // no time stands in it
  MemoryFileSystem files;
  files.add_file("/host.json.gz", *packed);
  files.add_file("/host.json", text);
  CHECK(*read_plain_or_compressed(files, "/host.json.gz", text.size()) == text);
  CHECK(*read_plain_or_compressed(files, "/host.json", text.size()) == text);
}

TEST_CASE("a file that is larger than it may be, damaged or absent is an error") {
  const std::string text(50'000'000, ' ');
  const auto packed = gzip(text);
  REQUIRE(packed);
  MemoryFileSystem files;
  files.add_file("/large.gz", *packed);
  files.add_file("/large", text);
  files.add_file("/cut.gz", packed->substr(0, packed->size() / 2));
  for (const auto* path : {"/large.gz", "/large"})
    CHECK(read_plain_or_compressed(files, path, text.size() - 1).error().code == ErrorCode::limit);
  CHECK(read_plain_or_compressed(files, "/cut.gz", text.size()).error().code == ErrorCode::malformed);
  CHECK(read_plain_or_compressed(files, "/none", text.size()).error().code == ErrorCode::absent);
}

TEST_CASE("a file is as long, decompressed, as it may be at most, and agrees with its checksum") {
  const std::string text(3'000'000, 'x');
  auto packed = *gzip(text);
  MemoryFileSystem files;
  files.add_file("/a.gz", packed);
  CHECK(*read_plain_or_compressed(files, "/a.gz", text.size()) == text);
  const auto longer = read_plain_or_compressed(files, "/a.gz", text.size() - 1);
  REQUIRE_FALSE(longer);
  CHECK(longer.error().code == ErrorCode::limit);
  CHECK(longer.error().path == "/a.gz");
  CHECK(longer.error().message == "larger, decompressed, than the 2999999 bytes that are read of it");
  packed[packed.size() - 8] = static_cast<char>(packed[packed.size() - 8] ^ 1);
  files.add_file("/b.gz", packed);
  const auto damaged = read_plain_or_compressed(files, "/b.gz", text.size());
  REQUIRE_FALSE(damaged);
  CHECK(damaged.error().code == ErrorCode::malformed);
}

}  // namespace
}  // namespace cudald
