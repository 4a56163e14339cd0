#include "cache/cached_archive.h"

#include <sys/stat.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "base/crc32.h"
#include "cache/checked_blocks.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

std::string text_at(const KeptArchive& archive, std::size_t part, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  return archive.copy(part, offset, std::as_writable_bytes(std::span(text))) ? text : "none";
}

bool contradicts(const KeptArchive& archive, std::size_t part, std::uint64_t offset, const std::string& text) {
  return archive.contradicts(part, offset, std::as_bytes(std::span(text)));
}

void add(KeptArchive& archive, std::size_t part, std::uint64_t offset, const std::string& text) {
  archive.add(part, offset, std::as_bytes(std::span(text)));
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// An entry with bytes of the archive and of two members.
void make_entry(const std::string& path) {
  const auto archive = KeptArchive::open(path, "key");
  archive->set_size(5000);
  add(*archive, 0, 4000, "directory");
  add(*archive, 1, 0, "METADATA");
  archive->set(1, KeptArchive::Mark::whole);
  add(*archive, 7, 100, "abc");
  add(*archive, 7, 200, std::string(300'000, 'x'));
  REQUIRE(archive->save());
}

TEST_CASE("what is there is given back as far as it goes, and what overlaps is taken once") {
  const ScratchFolder folder;
  {
    const auto archive = KeptArchive::open(folder / "entry", "key");
    CHECK_FALSE(archive->size());
    archive->set_size(100);
    add(*archive, 3, 10, "abc");
    add(*archive, 3, 20, "xyz");
    archive->set(3, KeptArchive::Mark::whole);
    CHECK_MESSAGE(text_at(*archive, 3, 10, 3) == "none", "it is for the next run");
    CHECK_FALSE(archive->has(3, KeptArchive::Mark::whole));
    CHECK(archive->save());
  }
  {
    const auto archive = KeptArchive::open(folder / "entry", "key");
    CHECK(text_at(*archive, 3, 11, 2) == "bc");
    CHECK(text_at(*archive, 3, 11, 3) == "none");
    CHECK(text_at(*archive, 3, 9, 2) == "none");
    CHECK(text_at(*archive, 2, 11, 2) == "none");
    // Bytes that are there stay: a file does not change.
    add(*archive, 3, 8, "89ABCDEFGHIJKLMN");
    CHECK(archive->save());
  }
  const auto archive = KeptArchive::open(folder / "entry", "key");
  CHECK(text_at(*archive, 3, 8, 16) == "89abcDEFGHIJxyzN");
  CHECK(contradicts(*archive, 3, 8, "89abd"));
  CHECK_FALSE(contradicts(*archive, 3, 0, "????????89abc"));
  CHECK_FALSE(contradicts(*archive, 4, 0, "?"));
}

TEST_CASE("what is there in one piece is told") {
  const ScratchFolder folder;
  make_entry(folder / "entry");
  const auto archive = KeptArchive::open(folder / "entry", "key");
  CHECK(archive->holds(7, 100, 3));
  CHECK(archive->holds(7, 102, 1));
  CHECK(archive->holds(7, 200, 300'000));
  CHECK_FALSE(archive->holds(7, 99, 2));
  CHECK_FALSE(archive->holds(7, 102, 2));
  CHECK_FALSE(archive->holds(7, 100, 200));
  CHECK_FALSE(archive->holds(7, 150, 1));
  CHECK_FALSE(archive->holds(7, 0, 1));
  CHECK_FALSE(archive->holds(6, 100, 3));
  add(*archive, 7, 103, "d");
  CHECK_FALSE(archive->holds(7, 100, 4));
  CHECK_FALSE_MESSAGE(archive->holds(7, 103, 1), "it is for the next run");
  archive->forget(7);
  CHECK_FALSE(archive->holds(7, 100, 3));
}

TEST_CASE("what was saved is there for the next, which adds to it") {
  const ScratchFolder folder;
  const auto path = folder / "entry";
  make_entry(path);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  {
    const auto archive = KeptArchive::open(path, "key");
    CHECK(archive->size() == 5000u);
    CHECK(text_at(*archive, 0, 4000, 9) == "directory");
    CHECK(text_at(*archive, 1, 0, 8) == "METADATA");
    CHECK(archive->has(1, KeptArchive::Mark::whole));
    CHECK_FALSE(archive->has(1, KeptArchive::Mark::passed));
    CHECK_FALSE(archive->has(7, KeptArchive::Mark::whole));
    CHECK(text_at(*archive, 7, 200, 300'000) == std::string(300'000, 'x'));
    const auto before = std::filesystem::last_write_time(path);
    CHECK(archive->save());
    CHECK_MESSAGE(std::filesystem::last_write_time(path) == before, "nothing is new");
    add(*archive, 7, 103, "def");
    CHECK(archive->save());
  }
  const auto archive = KeptArchive::open(path, "key");
  CHECK(text_at(*archive, 7, 100, 6) == "abcdef");
  CHECK(text_at(*archive, 1, 0, 8) == "METADATA");
  CHECK(archive->has(1, KeptArchive::Mark::whole));
}

TEST_CASE("of another key, and of half a file, nothing is there") {
  const ScratchFolder folder;
  const auto path = folder / "entry";
  make_entry(path);
  CHECK_FALSE(KeptArchive::open(path, "kex")->size());
  CHECK_FALSE(KeptArchive::open(path, "key2")->size());
  const auto size = std::filesystem::file_size(path);
  for (const auto cut : {std::uintmax_t{0}, std::uintmax_t{10}, std::uintmax_t{60}, size / 2, size - 1}) {
    std::filesystem::copy_file(path, folder / "cut", std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder / "cut", cut);
    CHECK_FALSE(KeptArchive::open(folder / "cut", "key")->size());
  }
  std::ofstream(path, std::ios::app) << "more";
  CHECK_FALSE(KeptArchive::open(path, "key")->size());
  std::filesystem::create_directory(folder / "folder");
  CHECK_FALSE(KeptArchive::open(folder / "folder", "key")->size());
}

TEST_CASE("whatever byte of an entry is changed, it gives back what was put in or nothing") {
  const ScratchFolder folder;
  const auto path = folder / "entry";
  make_entry(path);
  const auto whole = contents_of(path);
  for (std::size_t at = 0; at < whole.size(); at += at < 500 ? 1 : 4099) {
    auto bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    folder.add_file("changed", bytes);
    const auto archive = KeptArchive::open(folder / "changed", "key");
    const auto size = archive->size();
    CHECK((!size || *size == 5000));
    const auto text = text_at(*archive, 7, 100, 3), long_text = text_at(*archive, 7, 200, 300'000);
    CHECK((text == "abc" || text == "none"));
    CHECK((long_text == "none" || long_text == std::string(300'000, 'x')));
    CHECK_FALSE(archive->has(7, KeptArchive::Mark::whole));
    // And what is written then has no trace of it.
    archive->set_size(5000);
    add(*archive, 9, 0, "new");
    CHECK(archive->save());
    const auto again = KeptArchive::open(folder / "changed", "key");
    CHECK(text_at(*again, 9, 0, 3) == "new");
    const auto text_again = text_at(*again, 7, 100, 3);
    CHECK((text_again == text || text_again == "none"));
  }
}

TEST_CASE("what does not agree with its checksum is read anew, and mended") {
  for (const bool is_asked_first : {false, true}) {
    const ScratchFolder folder;
    const auto path = folder / "entry";
    make_entry(path);
    auto bytes = contents_of(path);
    bytes[bytes.size() - 100'000] ^= 1;
    folder.add_file("entry", bytes);
    {
      const auto archive = KeptArchive::open(path, "key");
      if (is_asked_first) CHECK_FALSE(archive->holds(7, 200, 300'000));
      CHECK(text_at(*archive, 7, 200, 300'000) == "none");
      CHECK_MESSAGE(text_at(*archive, 7, 200, 10) == "none", "nothing of that piece");
      CHECK(text_at(*archive, 7, 100, 3) == "abc");
      add(*archive, 7, 200, std::string(300'000, 'x'));
      CHECK(archive->save());
    }
    const auto archive = KeptArchive::open(path, "key");
    CHECK(archive->holds(7, 200, 300'000));
    CHECK(text_at(*archive, 7, 200, 300'000) == std::string(300'000, 'x'));
    CHECK(text_at(*archive, 7, 100, 3) == "abc");
  }
}

TEST_CASE("of what is forgotten nothing is kept") {
  const ScratchFolder folder;
  const auto path = folder / "entry";
  make_entry(path);
  {
    const auto archive = KeptArchive::open(path, "key");
    archive->forget(1);
    CHECK(text_at(*archive, 1, 0, 8) == "none");
    add(*archive, 1, 0, "METADATA");
    add(*archive, 8, 0, "new");
    CHECK(archive->save());
  }
  const auto archive = KeptArchive::open(path, "key");
  CHECK(text_at(*archive, 1, 0, 8) == "none");
  CHECK_FALSE(archive->has(1, KeptArchive::Mark::whole));
  CHECK(text_at(*archive, 7, 100, 3) == "abc");
  archive->forget_all();
  CHECK(text_at(*archive, 7, 100, 3) == "none");
  CHECK_FALSE(std::filesystem::exists(path));
  add(*archive, 8, 0, "new");
  CHECK(archive->save());
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("what cannot be written leaves nothing behind") {
  const ScratchFolder folder;
  folder.add_file("file", "in the way");
  const auto archive = KeptArchive::open(folder / "file/entry", "key");
  archive->set_size(1);
  CHECK_FALSE(archive->save());
}

TEST_CASE("the folder is made when something is kept") {
  const ScratchFolder folder;
  const auto archive = KeptArchive::open(folder / "new/folder/entry", "key");
  CHECK_FALSE(std::filesystem::exists(folder / "new"));
  archive->set_size(1);
  CHECK(archive->save());
  CHECK(KeptArchive::open(folder / "new/folder/entry", "key")->size() == std::uint64_t{1});
}

/// The file with a number of its table, which begins behind a key of three bytes, set to another value, and its
/// checksum made to agree.
std::string with_number(std::string bytes, std::uint64_t number, std::uint64_t value) {
  constexpr std::size_t head = 48, table = head + 3, table_length_at = 24, length_at = 32, checksum_at = 40;
  std::memcpy(bytes.data() + table + 8 * number, &value, 8);
  std::uint64_t table_length = 0, length = 0, checksum = 0;
  std::memcpy(&table_length, bytes.data() + table_length_at, 8);
  std::memcpy(&length, bytes.data() + length_at, 8);
  std::memcpy(bytes.data() + checksum_at, &checksum, 8);
  const auto front = table + table_length + CheckedBlocks::count(length) * 4;
  checksum = crc32_after(0, std::as_bytes(std::span(bytes)).first(front));
  std::memcpy(bytes.data() + checksum_at, &checksum, 8);
  return bytes;
}

TEST_CASE("a table that cannot be true is none, though its checksum agrees") {
  const ScratchFolder folder;
  make_entry(folder / "entry");
  const auto bytes = contents_of(folder / "entry");
  // Of the last part, with two pieces: 12 their number; 13, 14 the first, 3 bytes at 100; 15, 16 the second.
  const auto is_read = [&](std::uint64_t number, std::uint64_t value) {
    folder.add_file("other", with_number(bytes, number, value));
    const auto archive = KeptArchive::open(folder / "other", "key");
    const bool good = archive->size() == 5000;
    CHECK(text_at(*archive, 0, 4000, 9) == (good ? "directory" : "none"));
    return good;
  };
  CHECK(is_read(12, 2));
  CHECK_FALSE(is_read(12, 1));
  CHECK_FALSE(is_read(12, 3));
  CHECK(is_read(15, 103));
  CHECK_FALSE(is_read(15, 102));
  CHECK_FALSE(is_read(16, 300'001));
  CHECK_FALSE(is_read(16, 299'999));
  CHECK(is_read(15, UINT64_MAX - 300'000));
  CHECK_FALSE(is_read(15, UINT64_MAX - 299'999));
}

TEST_CASE("what is asked beside the pieces that are there") {
  const ScratchFolder folder;
  make_entry(folder / "entry");
  const auto archive = KeptArchive::open(folder / "entry", "key");
  CHECK(text_at(*archive, 7, 102, 2) == "none");
  CHECK(text_at(*archive, 7, 103, 1) == "none");
  CHECK(text_at(*archive, 7, 300'199, 1) == "x");
  CHECK(text_at(*archive, 7, 300'199, 2) == "none");
  CHECK(text_at(*archive, 7, 50, 0) == "");
  CHECK(text_at(*archive, 5, 50, 0) == "");
  CHECK_FALSE(contradicts(*archive, 7, 103, "???"));
  CHECK_FALSE(contradicts(*archive, 7, 98, "??"));
  CHECK_FALSE(contradicts(*archive, 7, 197, "???"));
  CHECK(contradicts(*archive, 7, 197, "????"));
  CHECK_FALSE(contradicts(*archive, 7, 197, "???x"));
  CHECK(contradicts(*archive, 7, 102, "?"));
}

TEST_CASE("what is new is told, and saved if the size is known") {
  const ScratchFolder folder;
  make_entry(folder / "entry");
  const auto archive = KeptArchive::open(folder / "entry", "key");
  CHECK_FALSE(archive->is_new());
  archive->set_size(5000);
  archive->set(1, KeptArchive::Mark::whole);
  add(*archive, 7, 100, "abc");
  add(*archive, 7, 101, "b");
  CHECK_FALSE(archive->is_new());
  archive->set(1, KeptArchive::Mark::passed);
  CHECK(archive->is_new());
  CHECK(archive->save());
  CHECK_FALSE(archive->is_new());
  archive->set(1, KeptArchive::Mark::passed);
  CHECK_FALSE(archive->is_new());
  archive->set_size(5001);
  CHECK(archive->is_new());
  const auto marked = KeptArchive::open(folder / "entry", "key");
  CHECK(marked->has(1, KeptArchive::Mark::whole));
  CHECK(marked->has(1, KeptArchive::Mark::passed));
  CHECK_FALSE(marked->has(0, KeptArchive::Mark::whole));
  CHECK(marked->key() == "key");

  const auto unsized = KeptArchive::open(folder / "unsized", "key");
  add(*unsized, 0, 0, "text");
  CHECK(unsized->is_new());
  CHECK(unsized->save());
  CHECK_FALSE(std::filesystem::exists(folder / "unsized"));
}

TEST_CASE("what cannot be put into its place leaves nothing beside it") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "entry/below");
  const auto archive = KeptArchive::open(folder / "entry", "key");
  CHECK_FALSE(archive->size());
  archive->set_size(4);
  add(*archive, 0, 0, "text");
  CHECK_FALSE(archive->save());
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

/// Offset and length of each piece of a part, as the file has them.
std::string table_of(const std::string& bytes) {
  std::uint64_t table_length = 0;
  std::memcpy(&table_length, bytes.data() + 24, 8);
  std::string text;
  for (std::uint64_t at = 0; at < table_length; at += 8) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data() + 51 + at, 8);
    text += std::to_string(number) + " ";
  }
  return text;
}

TEST_CASE("what a file of kept bytes begins with, and its table") {
  const ScratchFolder folder;
  make_entry(folder / "entry");
  const auto bytes = contents_of(folder / "entry");
  CHECK(bytes.substr(0, 8) == "cudkept2");
  const auto number_at = [&](std::size_t at) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data() + at, 8);
    return number;
  };
  CHECK(number_at(8) == 3);
  CHECK(number_at(16) == 5000);
  CHECK(number_at(24) == 17 * 8);
  CHECK(number_at(32) == 9 + 8 + 3 + 300'000);
  CHECK(bytes.substr(48, 3) == "key");
  CHECK(table_of(bytes) == "0 0 1 4000 9 1 1 1 0 8 7 0 2 100 3 200 300000 ");
  CHECK(bytes.size() == 48 + 3 + 17 * 8 + 4 * 10 + 300'020);
  const auto entry = KeptArchive::open(folder / "entry", "key");
  add(*entry, 7, 103, "defg");
  add(*entry, 7, 98, "yz");
  entry->set(7, KeptArchive::Mark::passed);
  entry->forget(1);
  CHECK(entry->save());
  CHECK(table_of(contents_of(folder / "entry")) == "0 0 1 4000 9 7 2 2 98 9 200 300000 ");
}

TEST_CASE("a file that was used is as new, and so is taken away last") {
  const ScratchFolder folder;
  make_entry(folder / "entry");
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(100);
  std::filesystem::last_write_time(folder / "entry", long_ago);
  CHECK_FALSE(KeptArchive::open(folder / "entry", "other")->size());
  CHECK(std::filesystem::last_write_time(folder / "entry") <= long_ago + std::chrono::hours(1));
  CHECK(KeptArchive::open(folder / "entry", "key")->size());
  CHECK(std::filesystem::last_write_time(folder / "entry") > long_ago + std::chrono::hours(1));
}

TEST_CASE("an entry that is made anew has nothing of what lies in its place") {
  const ScratchFolder folder;
  make_entry(folder / "entry");
  const auto made = KeptArchive::make(folder / "entry", "key");
  CHECK_FALSE(made->size());
  CHECK(text_at(*made, 1, 0, 8) == "none");
  made->set_size(7);
  add(*made, 2, 5, "new");
  CHECK(made->save());
  const auto again = KeptArchive::open(folder / "entry", "key");
  CHECK(again->size() == 7u);
  CHECK(text_at(*again, 1, 0, 8) == "none");
  CHECK(text_at(*again, 2, 5, 3) == "new");
}

TEST_CASE("a link in place of an entry is not followed, and a pipe not waited for") {
  const ScratchFolder folder;
  make_entry(folder / "entry");
  folder.add_symlink("link", "entry");
  CHECK_FALSE(KeptArchive::open(folder / "link", "key")->size());
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_FALSE(KeptArchive::open(folder / "pipe", "key")->size());
}

TEST_CASE("what is damaged of a member takes its marks, and those of others stay") {
  const ScratchFolder folder;
  make_entry(folder / "entry");
  {
    const auto archive = KeptArchive::open(folder / "entry", "key");
    archive->set(7, KeptArchive::Mark::whole);
    archive->set(7, KeptArchive::Mark::passed);
    CHECK(archive->save());
  }
  auto bytes = contents_of(folder / "entry");
  bytes[bytes.size() - 100'000] ^= 1;
  for (const bool is_read : {false, true}) {
    folder.add_file("entry", bytes);
    const auto archive = KeptArchive::open(folder / "entry", "key");
    CHECK(archive->has(7, KeptArchive::Mark::passed));
    if (is_read) CHECK(contradicts(*archive, 7, 250'000, "x") == false);
    if (is_read) CHECK(text_at(*archive, 7, 200, 300'000) == "none");
    CHECK(archive->has(7, KeptArchive::Mark::whole) == !is_read);
    archive->set_size(5001);
    CHECK(archive->save());
    const auto again = KeptArchive::open(folder / "entry", "key");
    CHECK_FALSE(again->has(7, KeptArchive::Mark::whole));
    CHECK_FALSE(again->has(7, KeptArchive::Mark::passed));
    CHECK(again->has(1, KeptArchive::Mark::whole));
    CHECK(text_at(*again, 7, 100, 3) == "abc");
  }
}

}  // namespace
}  // namespace cudald
