#include "archive/member_file.h"

#include <doctest/doctest.h>

#include "unit/archive/zip_builder.h"

namespace cudald {
namespace {

FileStatus of_size(std::uint64_t size) { return {FileKind::regular, size, {7, 9}, true, false}; }

std::string read_of(const File& file, std::uint64_t offset, std::size_t length) {
  std::string text(length, '?');
  const auto got = file.read(offset, std::as_writable_bytes(std::span(text)));
  REQUIRE(got.has_value());
  text.resize(*got);
  for (auto& byte : text)
    if (byte == '\0') byte = '.';
  return text;
}

TEST_CASE("a stored member is the bytes from its offset to its size, and no more of the archive") {
  const auto file = make_stored_file(std::make_shared<BytesFile>("headMEMBERtail"), 4, of_size(6));
  CHECK(read_of(*file, 0, 20) == "MEMBER");
  CHECK(read_of(*file, 2, 3) == "MBE");
  CHECK(read_of(*file, 5, 3) == "R");
  CHECK(read_of(*file, 6, 3) == "");
  CHECK(read_of(*file, UINT64_MAX, 3) == "");
  CHECK(file->status().size == 6);
  CHECK(file->status().id == FileId{7, 9});
  CHECK_FALSE(file->verify());
  CHECK_FALSE(file->is_stream());
}

TEST_CASE("a sparse member is read at every place and length as if it were whole") {
  const std::vector<SparseExtent> extents{{2, 3}, {5, 1}, {8, 4}};
  const std::string whole = "..ABCD..EFGH..";
  const auto file = make_sparse_file(std::make_shared<BytesFile>("##ABCDEFGH##"), 2, of_size(whole.size()), extents);
  for (std::size_t offset = 0; offset <= whole.size() + 1; ++offset)
    for (std::size_t length = 0; length <= whole.size() + 2; ++length) {
      CAPTURE(offset);
      CAPTURE(length);
      CHECK(read_of(*file, offset, length) == (offset < whole.size() ? whole.substr(offset, length) : ""));
    }
  CHECK(file->status().size == whole.size());
  CHECK(file->status().executable);
  CHECK_FALSE(file->is_stream());
}

TEST_CASE("a sparse member of an archive that was cut ends where the archive does") {
  const auto file = make_sparse_file(std::make_shared<BytesFile>("ABCDE"), 0, of_size(20), {{2, 3}, {10, 4}});
  CHECK(read_of(*file, 0, 20) == "..ABC.....DE");
  CHECK(read_of(*file, 0, 11) == "..ABC.....D");
  CHECK(read_of(*file, 12, 8) == "");
  CHECK(read_of(*file, 14, 8) == "......");
}

TEST_CASE("a sparse member of one hole is zeros") {
  const auto file = make_sparse_file(std::make_shared<BytesFile>("####"), 0, of_size(3), {{0, 0}});
  CHECK(read_of(*file, 0, 20) == "...");
}

class Stream final : public File {
 public:
  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t, std::span<std::byte>) const override {
    return Error{ErrorCode::unreadable, "no disk"};
  }
  std::optional<Error> verify() const override { return Error{ErrorCode::malformed, "no good"}; }
  bool is_stream() const override { return true; }
  bool reads_anywhere(std::uint64_t offset, std::uint64_t size) const override { return offset == 3 && size == 2; }
  std::string identity() const override { return "me"; }
  const KeptFile* kept() const override { return reinterpret_cast<const KeptFile*>(this); }

 private:
  FileStatus status_ = of_size(4);
};

TEST_CASE("members of a stream are streams, and its errors theirs") {
  const auto archive = std::make_shared<Stream>();
  for (const auto& file :
       {make_stored_file(archive, 0, of_size(2)), make_sparse_file(archive, 0, of_size(2), {{0, 2}})}) {
    CHECK(file->is_stream());
    std::array<std::byte, 2> bytes{};
    const auto got = file->read(0, bytes);
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().message == "no disk");
  }
}

TEST_CASE("what the archive has at hand can be read anywhere in its members") {
  const auto archive = std::make_shared<Stream>();
  CHECK(make_stored_file(archive, 2, of_size(4))->reads_anywhere(1, 2));
  CHECK_FALSE(make_stored_file(archive, 2, of_size(4))->reads_anywhere(0, 2));
  CHECK_FALSE(make_sparse_file(archive, 2, of_size(4), {{0, 4}})->reads_anywhere(1, 2));
  CHECK(share_file(archive)->reads_anywhere(3, 2));
  CHECK_FALSE(share_file(archive)->reads_anywhere(0, 2));
}

TEST_CASE("a shared file is the file itself in all it tells") {
  const auto archive = std::make_shared<Stream>();
  const auto file = share_file(archive);
  std::array<std::byte, 2> bytes{};
  CHECK_FALSE(file->read(0, bytes).has_value());
  CHECK(file->is_stream());
  CHECK(file->identity() == "me");
  CHECK(static_cast<const void*>(file->kept()) == static_cast<const void*>(archive.get()));
  REQUIRE(file->verify());
  CHECK(file->verify()->message == "no good");
  CHECK(file->status().size == 4);
}

}  // namespace
}  // namespace cudald
