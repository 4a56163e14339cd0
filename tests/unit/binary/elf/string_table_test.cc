#include "binary/elf/string_table.h"

#include <string>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

/// Opens it each time.
StringTable::Opener opener_of(const FileSystem& files, const std::string& path) {
  return [&files, path]() -> Result<std::shared_ptr<const File>> {
    auto file = files.open(path);
    if (!file) return file.error();
    return std::shared_ptr<const File>(std::move(*file));
  };
}

constexpr std::size_t block = 1 << 14;
constexpr std::uint64_t before = 5;

/// A table of names in a file, behind other bytes, that is read as it is asked for.
struct InFile {
  explicit InFile(const std::string& names) : table(opener(), before, names.size()) {
    files.add_file("/file", std::string(before, '!') + names + "!!");
  }

  StringTable::Opener opener() { return opener_of(files, "/file"); }
  std::size_t times_opened() const { return files.take_log().size(); }

  MemoryFileSystem files;
  StringTable table;
};

StringTable whole(const std::string& names) {
  ReadBuffer bytes(names.size());
  std::copy(names.begin(), names.end(), reinterpret_cast<char*>(bytes.room().data()));
  return StringTable(std::move(bytes));
}

/// Names of all lengths, so that some lie over the ends of blocks.
std::string many_names() {
  std::string names(1, '\0');
  for (std::size_t i = 0; names.size() < 5 * block; ++i)
    names += std::string(i * 37 % 3000, static_cast<char>('a' + i % 26)) + '\0';
  return names;
}

TEST_CASE("a table that is read as it is asked for says what one says that was read at once") {
  const auto names = many_names();
  const auto at_once = whole(names);
  for (const std::size_t step : {1, 701, 20'011}) {
    const InFile in_file(names);
    for (std::size_t at = 0; at < names.size() + 2; at += step) {
      CAPTURE(at);
      const auto name = at_once.at(at, 2500);
      REQUIRE(in_file.table.at(at, 2500) == name);
      REQUIRE(in_file.table.beginning(at, 8) == at_once.beginning(at, 8));
      REQUIRE(in_file.table.has(at, name) == at_once.has(at, name));
    }
    CHECK_FALSE(in_file.table.is_broken());
  }
}

TEST_CASE("a name ends at its end, within the length that it may have") {
  const auto table = whole(std::string("\0abc\0no end", 11));
  CHECK(table.at(0, 10).empty());
  CHECK(table.at(1, 10) == "abc");
  CHECK(table.at(2, 2) == "bc");
  CHECK(table.at(1, 3) == "abc");
  CHECK(table.at(1, 2).empty());
  CHECK(table.at(5, 100).empty());
  CHECK(table.at(11, 100).empty());
  CHECK(table.at(1000, 100).empty());
  CHECK(table.beginning(2, 8) == std::string_view("bc\0no end", 8));
  CHECK(table.beginning(9, 8) == "nd");
  CHECK(table.beginning(11, 8).empty());
  CHECK(table.has(1, "abc"));
  CHECK(table.has(2, "bc"));
  CHECK_FALSE(table.has(1, "ab"));
  CHECK_FALSE(table.has(1, "abd"));
  CHECK_MESSAGE(!table.has(5, "no end"), "no zero follows");
  CHECK(table.has(0, ""));
  CHECK(table.has(1000, ""));
  CHECK_FALSE(table.has(1000, "a"));
}

TEST_CASE("of a large table the blocks are read that hold what is asked for, each once") {
  InFile in_file(std::string(block - 2, 'x') + std::string("\0over\0", 6) + std::string(3 * block, 'y') + '\0');
  auto& table = in_file.table;
  in_file.files.take_log();
  CHECK(table.at(block - 3, 10) == "x");
  CHECK(in_file.times_opened() == 1);
  CHECK(table.at(block - 1, 10) == "over");
  CHECK_MESSAGE(in_file.times_opened() == 1, "its second block");
  CHECK(table.has(block, "ver"));
  CHECK(table.beginning(1, 8) == "xxxxxxxx");
  CHECK(in_file.times_opened() == 0);
  const auto* place = table.at(block, 10).data();
  table.read_all();
  CHECK_MESSAGE(in_file.times_opened() == 1, "the rest in one go");
  CHECK_MESSAGE(table.at(block, 10).data() == place, "what was read stays in its place");
  table.read_all();
  CHECK(in_file.times_opened() == 0);
}

TEST_CASE("blocks that were read stand between those that were not") {
  InFile in_file(std::string(block, 'x') + std::string(block, 'y') + std::string(block, 'z') + '\0');
  in_file.files.take_log();
  CHECK(in_file.table.beginning(block, 2) == "yy");
  CHECK(in_file.times_opened() == 1);
  in_file.table.read_all();
  CHECK_MESSAGE(in_file.times_opened() == 2, "those before it, and those behind it");
  CHECK(in_file.table.beginning(block - 1, 2) == "xy");
  CHECK(in_file.table.beginning(2 * block - 1, 3) == "yzz");
  CHECK(in_file.times_opened() == 0);
  CHECK_FALSE(in_file.table.is_broken());
}

TEST_CASE("a table on a broken disk has no names") {
  MemoryFileSystem files;
  files.add_file("/file", std::string("a\0bc", 5), {.broken_disk = true});
  const StringTable table(opener_of(files, "/file"), 0, 5);
  CHECK_FALSE(table.is_broken());
  CHECK(table.at(2, 10).empty());
  CHECK(table.is_broken());
}

TEST_CASE("while the file is open it is not opened again") {
  InFile in_file(std::string("a\0bc", 5));
  const auto file = in_file.files.open("/file");
  in_file.files.take_log();
  in_file.table.use(&**file);
  CHECK(in_file.table.at(2, 10) == "bc");
  CHECK(in_file.times_opened() == 0);
  InFile later(std::string("a\0bc", 5));
  later.table.use(&**file);
  later.table.use(nullptr);
  later.files.take_log();
  CHECK(later.table.at(2, 10) == "bc");
  CHECK(later.times_opened() == 1);
}

TEST_CASE("what has gone meanwhile is no name, and it is known") {
  MemoryFileSystem files;
  files.add_file("/file", "abc");
  const StringTable gone(opener_of(files, "/gone"), 0, 4);
  CHECK_FALSE(gone.is_broken());
  CHECK(gone.at(0, 10).empty());
  CHECK(gone.is_broken());
  const StringTable cut(opener_of(files, "/file"), 0, 5);
  CHECK_FALSE(cut.has(0, "abc"));
  CHECK(cut.is_broken());
}

TEST_CASE("of files that are opened again the last one stays open") {
  MemoryFileSystem files;
  files.add_file("/a", "a");
  files.add_file("/b", "b");
  const Reopener reopener(files);
  const auto a = reopener.of("/a"), b = reopener.of("/b"), gone = reopener.of("/gone");
  const auto byte_of = [](const StringTable::Opener& opener) {
    char byte = 0;
    const auto file = opener();
    CHECK((file && (*file)->read(0, std::as_writable_bytes(std::span(&byte, 1)))));
    return byte;
  };
  CHECK(byte_of(a) == 'a');
  CHECK(byte_of(a) == 'a');
  CHECK(byte_of(reopener.of("/a")) == 'a');
  CHECK(files.take_log() == std::vector<std::string>{"open /a"});
  CHECK(byte_of(b) == 'b');
  CHECK_FALSE(gone());
  CHECK(byte_of(b) == 'b');
  CHECK(byte_of(a) == 'a');
  CHECK(files.take_log() == std::vector<std::string>{"open /b", "open /gone", "open /a"});
}

}  // namespace
}  // namespace cudald
