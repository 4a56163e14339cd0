// What is kept of files whose bytes go by once, and what a second look costs.

#include "fs/sieved_file.h"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <map>

namespace cudald {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// A large file of zeros with words in it; counts how often somebody goes back.
class OnwardFile final : public File {
 public:
  explicit OnwardFile(std::uint64_t size) { status_.size = size; }
  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset < position_) ++restarts;
    const auto length = std::min<std::uint64_t>(into.size(), status_.size - std::min(offset, status_.size));
    position_ = offset + length;
    std::fill_n(into.begin(), length, std::byte{0});
    for (auto word = words.lower_bound(offset); word != words.end() && word->first + 8 <= offset + length; ++word)
      std::memcpy(into.data() + (word->first - offset), &word->second, 8);
    return static_cast<std::size_t>(length);
  }

  bool is_stream() const override { return is_onward; }

  std::map<std::uint64_t, std::uint64_t> words;
  mutable int restarts = 0;
  bool is_onward = true;

 private:
  FileStatus status_;
  mutable std::uint64_t position_ = 0;
};

std::uint64_t word_at(const File& file, std::uint64_t offset) {
  std::array<std::byte, 8> bytes{};
  const auto got = file.read(offset, bytes);
  std::uint64_t word = 0;
  if (got && *got == 8) std::memcpy(&word, bytes.data(), 8);
  return word;
}

/// Reads from word to word: each says where the next one lies.
void follow(const File& file) {
  for (std::uint64_t at = 8; at != 0;) at = word_at(file, at);
}

constexpr std::uint64_t elf_magic = 0x464c457f;

struct Members {
  explicit Members(std::uint64_t there, std::uint64_t and_there) {
    for (const auto start : {std::uint64_t{0}, size}) {
      archive->words[start] = elf_magic;
      archive->words[start + 8] = there;
      archive->words[start + there] = and_there;
      archive->words[start + and_there] = 0;
    }
    sieve.sift("lib/liba.so", 0, size);
    sieve.sift("lib/libb.so", size, size);
  }
  static constexpr std::uint64_t size = 60 * mebibyte;
  std::shared_ptr<OnwardFile> archive = std::make_shared<OnwardFile>(2 * size);
  std::shared_ptr<SieveBudget> budget = std::make_shared<SieveBudget>();
  SievedFile sieve{archive, follow, budget};
};

TEST_CASE("what a rehearsal asks for further on is kept in the first pass") {
  Members members(30 * mebibyte, 50 * mebibyte);
  CHECK(members.archive->restarts == 0);
  for (const auto start : {std::uint64_t{0}, Members::size}) {
    CHECK(word_at(members.sieve, start + 8) == 30 * mebibyte);
    CHECK(word_at(members.sieve, start + 30 * mebibyte) == 50 * mebibyte);
  }
  CHECK(members.archive->restarts == 0);
  CHECK(members.budget->left > 60 * mebibyte);  // words are kept, not what lies between
}

TEST_CASE("what went by costs one more pass for all members together") {
  Members members(50 * mebibyte, 30 * mebibyte);
  CHECK(members.archive->restarts == 0);
  CHECK(word_at(members.sieve, 50 * mebibyte) == 30 * mebibyte);
  CHECK(members.archive->restarts == 0);
  CHECK(word_at(members.sieve, 30 * mebibyte) == 0);
  CHECK(members.archive->restarts == 1);
  CHECK(word_at(members.sieve, Members::size + 30 * mebibyte) == 0);
  CHECK(word_at(members.sieve, Members::size + 8) == 50 * mebibyte);
  CHECK(word_at(members.sieve, 8) == 50 * mebibyte);
  CHECK(members.archive->restarts == 1);
}

TEST_CASE("of a stream only what is kept can be read in any order") {
  Members members(30 * mebibyte, 50 * mebibyte);
  CHECK(members.sieve.reads_anywhere(8, 8));
  CHECK(members.sieve.reads_anywhere(Members::size + 30 * mebibyte, 8));
  CHECK_FALSE(members.sieve.reads_anywhere(8, 40 * mebibyte));
  CHECK_FALSE(members.sieve.reads_anywhere(40 * mebibyte, 8));
  members.archive->is_onward = false;
  CHECK(members.sieve.reads_anywhere(40 * mebibyte, 8));
}

TEST_CASE("what nobody rehearsed is read from the archive") {
  Members members(30 * mebibyte, 50 * mebibyte);
  members.archive->words[40 * mebibyte] = 4711;
  CHECK(word_at(members.sieve, 40 * mebibyte) == 4711);
}

TEST_CASE("an exhausted budget keeps nothing, and the answers are the same") {
  auto archive = std::make_shared<OnwardFile>(60 * mebibyte);
  archive->words = {{0, elf_magic}, {8, 30 * mebibyte}, {30 * mebibyte, 0}};
  const auto budget = std::make_shared<SieveBudget>(SieveBudget{4});
  SievedFile sieve(archive, follow, budget);
  sieve.sift("lib/liba.so", 0, 60 * mebibyte);
  CHECK(word_at(sieve, 8) == 30 * mebibyte);
  CHECK(budget->left == 4);
}

}  // namespace
}  // namespace cudald
