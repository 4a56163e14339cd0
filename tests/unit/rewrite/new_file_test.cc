#include "rewrite/new_file.h"

#include "unit/rewrite/edited.h"

namespace cudald {
namespace {

TEST_CASE("a new file is read from its pieces, at any place") {
  const NewFile made(file_of("0123456789"), {{3, 2}, {4, std::nullopt, ""}, {2, std::nullopt, "ab"}, {1, 9}});
  const auto whole = std::string("234") + std::string(4, '\0') + "ab9";
  CHECK(made.status().size == whole.size());
  CHECK(bytes_of(made) == whole);
  for (std::size_t begin = 0; begin <= whole.size() + 1; ++begin)
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      std::string part(size, 'x');
      const auto got = made.read(begin, std::as_writable_bytes(std::span(part)));
      REQUIRE(got);
      CHECK(part.substr(0, *got) == (begin < whole.size() ? whole.substr(begin, size) : ""));
    }
}

TEST_CASE("a source that cannot be read, or became shorter, is an error") {
  std::string bytes(4, '\0');
  const NewFile broken(std::make_shared<FaultyFile>("0123456789", 5, true), {{10, 0}});
  CHECK(broken.read(0, std::as_writable_bytes(std::span(bytes))));
  CHECK_FALSE(broken.read(4, std::as_writable_bytes(std::span(bytes))));
  const NewFile shorter(file_of("012"), {{10, 0}});
  CHECK(shorter.read(1, std::as_writable_bytes(std::span(bytes))).error().message.find("shorter") != std::string::npos);
  CHECK(*NewFile(file_of("0"), {}).read(0, std::as_writable_bytes(std::span(bytes))) == 0);
}

}  // namespace
}  // namespace cudald
