#include "tree/text_file.h"

#include <array>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a text is read from any place, and ends where it ends") {
  FileStatus status;
  status.kind = FileKind::regular;
  status.size = 5;
  status.id = {7, 8};
  const auto file = make_text_file(status, "abcde");
  CHECK(file->status().size == 5);
  CHECK(file->status().id == FileId{7, 8});
  std::array<char, 8> bytes{};
  const auto into = [&](std::size_t count) { return std::as_writable_bytes(std::span(bytes).first(count)); };
  CHECK(*file->read(1, into(3)) == 3);
  CHECK(std::string_view(bytes.data(), 3) == "bcd");
  CHECK(*file->read(3, into(8)) == 2);
  CHECK(std::string_view(bytes.data(), 2) == "de");
  CHECK(*file->read(5, into(8)) == 0);
  CHECK(*file->read(UINT64_MAX, into(8)) == 0);
  CHECK(*make_text_file(status, "")->read(0, into(8)) == 0);
}

}  // namespace
}  // namespace cudald
