// What is kept of files whose bytes go by once, and what a second look costs.

#include "archive/sieved_file.h"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <map>

#include "unit/tree/faulty_file.h"

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

/// A member of zeros, which is an ELF file or not, that has gone by; and what may still be kept then.
struct Sifted {
  explicit Sifted(const std::string& name, std::uint64_t size, bool elf = false, const Rehearsal& rehearse = follow,
                  std::size_t left = 64 * mebibyte)
      : archive(std::make_shared<OnwardFile>(size + 100)),
        budget(std::make_shared<SieveBudget>(SieveBudget{left})),
        sieve(archive, rehearse, budget),
        before(left) {
    if (elf) archive->words[10] = elf_magic;
    sieve.sift(name, 10, size);
  }
  std::uint64_t spent() const { return before - budget->left; }

  std::shared_ptr<OnwardFile> archive;
  std::shared_ptr<SieveBudget> budget;
  SievedFile sieve;
  std::size_t before;
};

TEST_CASE("small files are kept whole, and larger ones by their names") {
  constexpr std::uint64_t small = 64 << 10, large = 4 * mebibyte;
  CHECK(Sifted("a.py", small).spent() == small);
  CHECK(Sifted("a.py", small + 1).spent() == 0);
  for (const auto* name :
       {"info/index.json", "lib/ld-linux.so.2", "etc/ld.so.cache", "lib/libc.so.6", "libc-2.31.so"}) {
    CAPTURE(name);
    CHECK(Sifted(name, small + 1).spent() == small + 1);
    CHECK(Sifted(name, large).spent() == large);
    CHECK(Sifted(name, large + 1).spent() == 0);
  }
  for (const auto* name : {"lib/info/a", "lib/old-linux.so", "ld", "libcso", "libc-3.so", "xlibc.so.6"})
    CHECK(Sifted(name, small + 1).spent() == 0);
  Sifted empty("a.py", 0);
  CHECK(empty.spent() == 0);
}

TEST_CASE("of what may be kept a part is for ELF files and for what is read whole") {
  constexpr std::size_t reserved = 40 * mebibyte;
  CHECK(Sifted("a.py", 100, false, follow, reserved).spent() == 0);
  CHECK(Sifted("a.py", 100, false, follow, reserved + 1).spent() == 100);
  CHECK(Sifted("info/a", 100, false, follow, reserved).spent() == 100);
  CHECK(Sifted("info/a", 100, false, follow, 100).spent() == 100);
  CHECK(Sifted("info/a", 100, false, follow, 99).spent() == 0);
  CHECK(Sifted("lib/a.so", 100, true, follow, 8).spent() == 8);
}

TEST_CASE("what is read close together is kept in one piece") {
  for (const std::uint64_t gap : {4096U, 4097U}) {
    const auto rehearse = [gap](const File& file) {
      word_at(file, 8 + gap);
      word_at(file, 0);
    };
    const Sifted sifted("lib/a.so", 20'000, true, rehearse);
    CHECK(sifted.spent() == (gap == 4096 ? 16 + gap : 16));
    CHECK(sifted.sieve.reads_anywhere(10, 16 + gap) == (gap == 4096));
    CHECK(sifted.sieve.reads_anywhere(10, 8));
    CHECK(sifted.sieve.reads_anywhere(10 + 8 + gap, 8));
    CHECK_FALSE(sifted.sieve.reads_anywhere(9, 1));
    CHECK_FALSE(sifted.sieve.reads_anywhere(10 + 16 + gap, 1));
  }
  const auto within = [](const File& file) {
    std::array<std::byte, 100> bytes;
    (void)file.read(0, bytes);
    word_at(file, 50);
  };
  CHECK(Sifted("lib/a.so", 20'000, true, within).spent() == 100);
}

TEST_CASE("a rehearsal sees the member as a file") {
  std::uint64_t size = 0;
  std::string read;
  const auto rehearse = [&](const File& file) {
    size = file.status().size;
    CHECK(file.status().kind == FileKind::regular);
    std::array<std::byte, 8> bytes;
    for (const auto& [offset, length] : {std::pair{0U, 4U}, {0U, 0U}, {12'339U, 8U}, {12'344U, 8U}, {12'345U, 8U}})
      if (const auto got = file.read(offset, std::span(bytes).first(length))) read += std::to_string(*got) + " ";
  };
  const Sifted sifted("lib/a.so", 12'345, true, rehearse);
  CHECK(size == 12'345);
  CHECK(read == "4 0 6 1 0 ");
  CHECK(sifted.spent() == 10);
}

TEST_CASE("what a rehearsal asks for and is not at hand is unreadable to it") {
  std::vector<ErrorCode> codes;
  const Sifted sifted("lib/a.so", 30 * mebibyte, true, [&](const File& file) {
    std::byte byte{};
    if (const auto got = file.read(30 * mebibyte - 1, {&byte, 1}); !got) codes.push_back(got.error().code);
  });
  REQUIRE_FALSE(codes.empty());
  CHECK(codes[0] == ErrorCode::unreadable);
}

TEST_CASE("what was at hand only in part is fetched, and kept with the rest") {
  const auto rehearse = [](const File& file) { word_at(file, 24 * mebibyte - 4); };
  const Sifted sifted("lib/a.so", 30 * mebibyte, true, rehearse);
  CHECK(sifted.spent() == 8);
  CHECK(sifted.archive->restarts == 0);
  CHECK(sifted.sieve.reads_anywhere(10 + 24 * mebibyte - 4, 8));
}

TEST_CASE("what is fetched in front of what is kept becomes one piece with it") {
  auto archive = std::make_shared<OnwardFile>(60 * mebibyte);
  const auto far = 50 * mebibyte;
  archive->words = {{0, elf_magic}, {8, far}, {far, far - 100}, {far - 100, 0}, {far - 50, 4711}};
  const auto budget = std::make_shared<SieveBudget>();
  SievedFile sieve(archive, follow, budget);
  sieve.sift("lib/liba.so", 0, 60 * mebibyte);
  CHECK(archive->restarts == 0);
  CHECK(word_at(sieve, far - 100) == 0);
  CHECK(archive->restarts == 1);
  CHECK(word_at(sieve, far) == far - 100);
  CHECK(word_at(sieve, far - 50) == 4711);
  CHECK(word_at(sieve, 8) == far);
  CHECK(archive->restarts == 1);
  CHECK(sieve.reads_anywhere(far - 100, 108));
  CHECK(budget->left == 64 * mebibyte - 8 - 108);
}

TEST_CASE("a member of which more is asked than is held at once is answered for all the same") {
  auto archive = std::make_shared<OnwardFile>(60 * mebibyte);
  const std::vector<std::uint64_t> places{8, 25, 27, 30, 35, 44, 58};
  archive->words = {{0, elf_magic}, {8, 25 * mebibyte}};
  for (std::size_t i = 1; i + 1 < places.size(); ++i) archive->words[places[i] * mebibyte] = places[i + 1] * mebibyte;
  archive->words[58 * mebibyte] = 0;
  archive->words[58 * mebibyte + 8] = 4711;
  const auto budget = std::make_shared<SieveBudget>();
  SievedFile sieve(archive, follow, budget);
  sieve.sift("lib/liba.so", 0, 60 * mebibyte);
  CHECK(archive->restarts == 0);
  CHECK(sieve.reads_anywhere(44 * mebibyte, 8));
  CHECK_FALSE(sieve.reads_anywhere(58 * mebibyte, 8));
  for (std::size_t i = 1; i + 1 < places.size(); ++i)
    CHECK(word_at(sieve, places[i] * mebibyte) == places[i + 1] * mebibyte);
  CHECK(word_at(sieve, 58 * mebibyte + 8) == 4711);
}

TEST_CASE("of an archive that cannot be read nothing is kept, and its errors are passed on") {
  const auto archive = std::make_shared<FaultyFile>(std::string(1000, 'x'), 500, true);
  const auto budget = std::make_shared<SieveBudget>();
  SievedFile sieve(archive, follow, budget);
  sieve.sift("a.py", 0, 1000);
  sieve.sift("b.py", 0, 400);
  CHECK(budget->left == 64 * mebibyte - 400);
  CHECK(sieve.status().size == 1000);
  std::array<std::byte, 8> bytes;
  const auto got = sieve.read(496, bytes);
  REQUIRE_FALSE(got);
  CHECK(got.error().system_error == EIO);
  const auto nothing = sieve.read(500, std::span(bytes).first(0));
  CHECK((nothing && *nothing == 0));
  const auto kept = sieve.read(0, bytes);
  CHECK((kept && *kept == 8));
}

}  // namespace
}  // namespace cudald
