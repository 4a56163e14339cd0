#include "tree/buffered_file.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

constexpr auto buffer_block = BufferedFile::block_size;

/// Notes where and how much is read of it.
class WatchedReads final : public File {
 public:
  using Reads = std::vector<std::pair<std::uint64_t, std::size_t>>;

  WatchedReads(std::string bytes, Reads& reads, bool at_hand = true)
      : file_(std::move(bytes)), reads_(reads), at_hand_(at_hand) {}

  const FileStatus& status() const override { return file_.status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    reads_.emplace_back(offset, into.size());
    return file_.read(offset, into);
  }
  bool is_at_hand() const override { return at_hand_; }

 private:
  FaultyFile file_;
  Reads& reads_;
  bool at_hand_;
};

std::string text_of_size(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * 7 % 23 + i / buffer_block % 3);
  return text;
}

std::string bytes_at(const File& file, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  const auto got = file.read(offset, std::as_writable_bytes(std::span(bytes)));
  if (!got) return got.error().message;
  bytes.resize(*got);
  return bytes;
}

TEST_CASE("whatever is read, across blocks and the end, is as in the file itself") {
  const auto text = text_of_size(6 * buffer_block + 100);
  WatchedReads::Reads reads;
  const auto file = buffered(std::make_unique<WatchedReads>(text, reads));
  const std::uint64_t offsets[] = {0,
                                   1,
                                   buffer_block - 1,
                                   buffer_block,
                                   3 * buffer_block - 5,
                                   6 * buffer_block,
                                   text.size() - 1,
                                   text.size(),
                                   90 * buffer_block};
  for (const auto offset : offsets)
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{10}, buffer_block, buffer_block + 1, 2 * buffer_block}) {
      CAPTURE(offset);
      CAPTURE(size);
      CHECK((bytes_at(*file, offset, size) == (offset < text.size() ? text.substr(offset, size) : "")));
    }
}

TEST_CASE("what lies in a few blocks is read once; what is larger goes by them") {
  WatchedReads::Reads reads;
  const auto file = buffered(std::make_unique<WatchedReads>(text_of_size(20 * buffer_block), reads));
  for (int i = 0; i < 3; ++i)
    for (const std::uint64_t offset : {std::uint64_t{10}, 5 * buffer_block + 1, 8 * buffer_block - 1})
      (void)bytes_at(*file, offset, 64);
  CHECK(reads == WatchedReads::Reads{{0, buffer_block},
                                     {5 * buffer_block, buffer_block},
                                     {7 * buffer_block, buffer_block},
                                     {8 * buffer_block, buffer_block}});
  reads.clear();
  (void)bytes_at(*file, 20, buffer_block + 1);
  CHECK(reads == WatchedReads::Reads{{20, buffer_block + 1}});
  // Eight blocks are kept, of which four are taken, and then the oldest is given up.
  for (std::uint64_t number = 10; number < 15; ++number) (void)bytes_at(*file, number * buffer_block, 1);
  reads.clear();
  (void)bytes_at(*file, 5 * buffer_block, 1);
  CHECK(reads.empty());
  (void)bytes_at(*file, 0, 1);
  CHECK(reads == WatchedReads::Reads{{0, buffer_block}});
}

TEST_CASE("of what is not at hand no byte more is read than was asked for") {
  WatchedReads::Reads reads;
  const auto file = buffered(std::make_unique<WatchedReads>(text_of_size(buffer_block), reads, false));
  CHECK(bytes_at(*file, 3, 5) == text_of_size(buffer_block).substr(3, 5));
  CHECK(reads == WatchedReads::Reads{{3, 5}});
}

TEST_CASE("a block that cannot be read is an error each time, and the others stay readable") {
  const auto text = text_of_size(3 * buffer_block);
  const BufferedFile file(std::make_unique<FaultyFile>(text, buffer_block + 7, true));
  for (int i = 0; i < 2; ++i) {
    CHECK(bytes_at(file, 10, 20) == text.substr(10, 20));
    CHECK(bytes_at(file, buffer_block, 4) == "a broken disk");
    CHECK(bytes_at(file, 2 * buffer_block, 4) == text.substr(2 * buffer_block, 4));
  }
}

TEST_CASE("a buffered file tells the same as the file itself") {
  class TellingFile final : public File {
   public:
    const FileStatus& status() const override { return status_; }
    Result<std::size_t> read(std::uint64_t, std::span<std::byte>) const override { return std::size_t{0}; }
    std::optional<Error> verify() const override { return Error{ErrorCode::malformed, "no good"}; }
    bool is_stream() const override { return true; }
    bool is_at_hand() const override { return true; }
    bool reads_anywhere(std::uint64_t offset, std::uint64_t size) const override { return offset == 3 && size == 2; }
    std::string identity() const override { return "me"; }
    const KeptFile* kept() const override { return reinterpret_cast<const KeptFile*>(this); }

   private:
    FileStatus status_ = {.kind = FileKind::regular, .size = 7};
  };
  auto itself = std::make_unique<TellingFile>();
  const void* const kept = itself.get();
  const BufferedFile file(std::move(itself));
  CHECK(file.status().size == 7);
  REQUIRE(file.verify());
  CHECK(file.verify()->message == "no good");
  CHECK(file.is_stream());
  CHECK(file.is_at_hand());
  CHECK(file.reads_anywhere(3, 2));
  CHECK_FALSE(file.reads_anywhere(2, 3));
  CHECK(file.identity() == "me");
  CHECK(static_cast<const void*>(file.kept()) == kept);
}

}  // namespace
}  // namespace cudald
