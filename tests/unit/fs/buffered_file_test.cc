#include "fs/buffered_file.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "unit/fs/faulty_file.h"

namespace cudald {
namespace {

constexpr auto block = BufferedFile::block_size;

/// Notes where and how much is read of it.
class CountedFile final : public File {
 public:
  using Reads = std::vector<std::pair<std::uint64_t, std::size_t>>;

  CountedFile(std::string bytes, Reads& reads, bool at_hand = true)
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
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * 7 % 23 + i / block % 3);
  return text;
}

std::string read_of(const File& file, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  const auto got = file.read(offset, std::as_writable_bytes(std::span(bytes)));
  if (!got) return got.error().message;
  bytes.resize(*got);
  return bytes;
}

TEST_CASE("whatever is read, across blocks and the end, is as in the file itself") {
  const auto text = text_of_size(6 * block + 100);
  CountedFile::Reads reads;
  const auto file = buffered(std::make_unique<CountedFile>(text, reads));
  const std::uint64_t offsets[] = {0, 1, block - 1, block, 3 * block - 5, 6 * block, text.size() - 1, text.size(), 90 * block};
  for (const auto offset : offsets)
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{10}, block, block + 1, 2 * block}) {
      CAPTURE(offset);
      CAPTURE(size);
      CHECK((read_of(*file, offset, size) == (offset < text.size() ? text.substr(offset, size) : "")));
    }
}

TEST_CASE("what lies in a few blocks is read once; what is larger goes by them") {
  CountedFile::Reads reads;
  const auto file = buffered(std::make_unique<CountedFile>(text_of_size(9 * block), reads));
  for (int i = 0; i < 3; ++i)
    for (const std::uint64_t offset : {std::uint64_t{10}, 5 * block + 1, 8 * block - 1}) (void)read_of(*file, offset, 64);
  CHECK(reads == CountedFile::Reads{{0, block}, {5 * block, block}, {7 * block, block}, {8 * block, block}});
  reads.clear();
  (void)read_of(*file, 20, block + 1);
  CHECK(reads == CountedFile::Reads{{20, block + 1}});
  // As many blocks as there are, and the oldest is given up.
  reads.clear();
  (void)read_of(*file, 2 * block, 1);
  (void)read_of(*file, 5 * block, 1);
  (void)read_of(*file, 0, 1);
  CHECK(reads == CountedFile::Reads{{2 * block, block}, {0, block}});
}

TEST_CASE("of what is not at hand no byte more is read than was asked for") {
  CountedFile::Reads reads;
  const auto file = buffered(std::make_unique<CountedFile>(text_of_size(block), reads, false));
  CHECK(read_of(*file, 3, 5) == text_of_size(block).substr(3, 5));
  CHECK(reads == CountedFile::Reads{{3, 5}});
}

TEST_CASE("a block that cannot be read is an error each time, and the others stay readable") {
  const auto text = text_of_size(3 * block);
  const BufferedFile file(std::make_unique<FaultyFile>(text, block + 7, true));
  for (int i = 0; i < 2; ++i) {
    CHECK(read_of(file, 10, 20) == text.substr(10, 20));
    CHECK(read_of(file, block, 4) == "a broken disk");
    CHECK(read_of(file, 2 * block, 4) == text.substr(2 * block, 4));
  }
}

}  // namespace
}  // namespace cudald
