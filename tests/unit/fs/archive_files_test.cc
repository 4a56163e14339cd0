// Files whose bytes go by once: what is kept of them, and what a second look costs.

#include <doctest/doctest.h>
#include <isa-l/crc.h>

#include <array>
#include <cstring>
#include <map>

#include "fs/decompressed_file.h"
#include "fs/path_tree.h"
#include "fs/sieved_file.h"
#include "package/conda_package.h"

namespace cudald {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

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

  std::map<std::uint64_t, std::uint64_t> words;
  mutable int restarts = 0;

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
  static constexpr std::uint64_t size = 60 * mib;
  std::shared_ptr<OnwardFile> archive = std::make_shared<OnwardFile>(2 * size);
  std::shared_ptr<SieveBudget> budget = std::make_shared<SieveBudget>();
  SievedFile sieve{archive, follow, budget};
};

TEST_CASE("what a rehearsal asks for further on is kept in the first pass") {
  Members members(30 * mib, 50 * mib);
  CHECK(members.archive->restarts == 0);
  for (const auto start : {std::uint64_t{0}, Members::size}) {
    CHECK(word_at(members.sieve, start + 8) == 30 * mib);
    CHECK(word_at(members.sieve, start + 30 * mib) == 50 * mib);
  }
  CHECK(members.archive->restarts == 0);
  CHECK(members.budget->left > 60 * mib);  // words are kept, not what lies between
}

TEST_CASE("what went by costs one more pass for all members together") {
  Members members(50 * mib, 30 * mib);
  CHECK(members.archive->restarts == 0);
  CHECK(word_at(members.sieve, 50 * mib) == 30 * mib);
  CHECK(members.archive->restarts == 0);
  CHECK(word_at(members.sieve, 30 * mib) == 0);
  CHECK(members.archive->restarts == 1);
  CHECK(word_at(members.sieve, Members::size + 30 * mib) == 0);
  CHECK(word_at(members.sieve, Members::size + 8) == 50 * mib);
  CHECK(word_at(members.sieve, 8) == 50 * mib);
  CHECK(members.archive->restarts == 1);
}

TEST_CASE("what nobody rehearsed is read from the archive") {
  Members members(30 * mib, 50 * mib);
  members.archive->words[40 * mib] = 4711;
  CHECK(word_at(members.sieve, 40 * mib) == 4711);
}

TEST_CASE("an exhausted budget keeps nothing, and the answers are the same") {
  auto archive = std::make_shared<OnwardFile>(60 * mib);
  archive->words = {{0, elf_magic}, {8, 30 * mib}, {30 * mib, 0}};
  const auto budget = std::make_shared<SieveBudget>(SieveBudget{4});
  SievedFile sieve(archive, follow, budget);
  sieve.sift("lib/liba.so", 0, 60 * mib);
  CHECK(word_at(sieve, 8) == 30 * mib);
  CHECK(budget->left == 4);
}

/// A gzip file of stored blocks, made where it is read; no disk holds it.
class GzipOfBlocks final : public File {
 public:
  static constexpr std::uint64_t block = 65535, blocks = 10'000;  // 625 MiB: more than the restart points at first
  GzipOfBlocks() {
    std::vector<unsigned char> bytes(block);
    std::uint32_t crc = 0;
    for (std::uint64_t i = 0; i < blocks; ++i) {
      std::memset(bytes.data(), content(i), block);
      crc = crc32_gzip_refl(crc, bytes.data(), block);
    }
    const auto size = static_cast<std::uint32_t>(block * blocks);
    for (int i = 0; i < 4; ++i) trailer_[i] = static_cast<unsigned char>(crc >> (8 * i));
    for (int i = 0; i < 4; ++i) trailer_[4 + i] = static_cast<unsigned char>(size >> (8 * i));
    status_.size = sizeof header + blocks * (block + 5) + sizeof trailer_;
  }
  static unsigned char content(std::uint64_t number) { return static_cast<unsigned char>(number * 7 + number / 256); }

  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    const auto length = std::min<std::uint64_t>(into.size(), status_.size - std::min(offset, status_.size));
    for (std::uint64_t i = 0; i < length; ++i) into[i] = std::byte{byte(offset + i)};
    return static_cast<std::size_t>(length);
  }

 private:
  static constexpr unsigned char header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
  unsigned char byte(std::uint64_t at) const {
    if (at < sizeof header) return header[at];
    at -= sizeof header;
    const auto number = at / (block + 5), inside = at % (block + 5);
    if (number >= blocks) return trailer_[at - blocks * (block + 5)];
    const unsigned char start[5] = {static_cast<unsigned char>(number + 1 == blocks), 0xff, 0xff, 0, 0};
    return inside < 5 ? start[inside] : content(number);
  }

  FileStatus status_;
  unsigned char trailer_[8];
};

TEST_CASE("a gzip file of unknown length is read at any place, and ends where it ends") {
  const auto file = std::make_shared<GzipOfBlocks>();
  CHECK(compression_of(*file) == Compression::gzip);
  const auto bytes = make_decompressed_file(file, Compression::gzip, "x.gz");
  constexpr auto size = GzipOfBlocks::block * GzipOfBlocks::blocks;
  const auto at = [&](std::uint64_t offset) {
    std::array<std::byte, 1> one{};
    const auto got = bytes->read(offset, one);
    REQUIRE(got);
    return *got == 0 ? -1 : static_cast<int>(one[0]);
  };
  for (const auto offset : {size - 1, std::uint64_t{0}, size / 2, size / 3, size - 70'000, 100 * mib, 1 * mib}) {
    CAPTURE(offset);
    CHECK(at(offset) == GzipOfBlocks::content(offset / GzipOfBlocks::block));
  }
  CHECK(at(size) == -1);
  CHECK(at(size + mib) == -1);
  std::vector<std::byte> tail(100);
  CHECK(bytes->read(size - 10, tail).has_value());
  CHECK(*bytes->read(size - 10, tail) == 10);
}

TEST_CASE("a tree of names takes what extractors take, and refuses what they refuse") {
  PathTree tree;
  CHECK(tree.add_file("usr/lib/liba.so", 1));
  CHECK(tree.add_link("lib", "usr/lib"));
  CHECK(tree.add_file("lib/libb.so", 2));  // through the link
  CHECK(tree.find("/usr/lib/libb.so")->node->number == 2);
  CHECK_FALSE(tree.add_file("usr/lib/liba.so/below", 3));
  CHECK(tree.add_link("dangling", "nowhere"));
  CHECK_FALSE(tree.add_file("dangling/libc.so", 4));
  CHECK_FALSE(tree.add_file("", 5));
  CHECK(tree.add_file("usr/lib/liba.so", 6));  // the later one stays
  CHECK(tree.find("/lib/liba.so")->node->number == 6);
  CHECK(tree.add_folder("lib"));  // a folder in place of the link
  CHECK_FALSE(tree.find("/lib/liba.so"));
  tree.remove("usr/lib/liba.so");
  CHECK_FALSE(tree.find("/usr/lib/liba.so"));
  tree.clear("usr");
  CHECK(PathTree::names_in(*tree.find("/usr")->node).empty());
}

TEST_CASE("conda installs a noarch package's modules for the environment's Python") {
  const std::pair<std::string, std::string> rows[] = {
      {"lib/libcudart.so.12", "lib/libcudart.so.12"},
      {"lib/python3.11/site-packages/torch/_C.so", "lib/python3/site-packages/torch/_C.so"},
      {"lib/python3.11", "lib/python3.11"},
      {"lib/python3.x/a", "lib/python3.x/a"},
      {"site-packages/x.py", "site-packages/x.py"},
  };
  for (const auto& [name, path] : rows) CHECK(conda_installed_path(name, false) == path);
  CHECK(conda_installed_path("site-packages/x.py", true) == "lib/python3/site-packages/x.py");
  CHECK(conda_installed_path("python-scripts/run", true) == "bin/run");
  CHECK(conda_installed_path("share/x", true) == "share/x");
}

}  // namespace
}  // namespace cudald
