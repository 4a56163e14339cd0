#include "os/scratch_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "unit/tree/scratch_folder.h"

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

TEST_CASE("a scratch file lies where TMPDIR says, or else in the usual place") {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  const auto opens = [] {
    const int file = open_scratch_file();
    if (file >= 0) ::close(file);
    return file >= 0;
  };
  const ScratchFolder folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  CHECK(opens());
  CHECK(std::filesystem::is_empty(folder.path()));
  ::setenv("TMPDIR", (folder / "none").c_str(), 1);
  CHECK_FALSE(opens());
  ::setenv("TMPDIR", "", 1);
  CHECK(opens());
  ::unsetenv("TMPDIR");
  CHECK(opens());
  if (before != nullptr) ::setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace cudald
