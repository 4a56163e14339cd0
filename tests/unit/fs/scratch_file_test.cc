#include "fs/scratch_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a scratch file has no name, and gives back what was written") {
  const int file = open_scratch_file();
  REQUIRE(file >= 0);
  struct stat status{};
  REQUIRE(::fstat(file, &status) == 0);
  CHECK(status.st_nlink == 0);
  const std::string text = "what was written";
  CHECK(write_at(file, 1000, std::as_bytes(std::span(text))));
  std::string again(text.size(), '?');
  CHECK(read_at(file, 1000, std::as_writable_bytes(std::span(again))));
  CHECK(again == text);
  CHECK_FALSE(read_at(file, 1001, std::as_writable_bytes(std::span(again))));
  ::close(file);
  CHECK_FALSE(write_at(file, 0, std::as_bytes(std::span(text))));
}

}  // namespace
}  // namespace cudald
