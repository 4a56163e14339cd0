#include "binary/elf/sections.h"

#include <elf.h>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/elf_builder.h"
#include "common/fatbin_file.h"
#include "common/pe_builder.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

/// "name offset size" of each, and "code".
std::string lines_of(const std::vector<Section>& sections) {
  std::string text;
  for (const auto& [name, offset, size, executable] : sections)
    text += name + " " + std::to_string(offset) + " " + std::to_string(size) + (executable ? " code\n" : "\n");
  return text;
}

std::string elf_sections_of(const std::string& bytes) {
  const FaultyFile file(bytes);
  const auto image = read_image(file);
  REQUIRE(image);
  FileWindow window(file, (*image)->byte_order);
  return lines_of(elf_sections(window, **image));
}

std::string pe_sections_of(const std::string& bytes) {
  const FaultyFile file(bytes);
  FileWindow window(file, ByteOrder::little);
  return lines_of(pe_sections(window));
}

const std::string section_names(".text\0.rodata\0.shstrtab\0", 24);

/// A library with two sections and their names, of either class, in either byte order.
class MadeSections {
 public:
  explicit MadeSections(bool is_64 = true, ByteOrder order = ByteOrder::little)
      : order_(order), is_64_(is_64), bytes_(elf({.is_64 = is_64, .byte_order = order, .machine = EM_386})) {
    data_ = bytes_.size();
    bytes_ += "codeconstants" + std::string(1, '\0') + section_names;
    table_ = bytes_.size();
    add(0, SHT_NULL, 0, 0, 0);
    add(1, SHT_PROGBITS, SHF_EXECINSTR, data_, 4);
    add(7, SHT_PROGBITS, SHF_ALLOC, data_ + 4, 9);
    add(15, SHT_STRTAB, 0, data_ + 13, section_names.size() + 1);
    const auto tail = is_64 ? std::uint64_t{58} : std::uint64_t{46};
    if (is_64) poke(bytes_, 40, table_, order);
    if (!is_64) poke(bytes_, 32, static_cast<std::uint32_t>(table_), order);
    short_at(tail, static_cast<std::uint16_t>(size()));
    short_at(tail + 2, 4);
    short_at(tail + 4, 3);
  }

  std::uint64_t size() const { return is_64_ ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr); }
  std::uint64_t table() const { return table_; }
  /// Numbers of the header, or of a section's.
  MadeSections& short_at(std::uint64_t at, std::uint16_t value) { return poke(bytes_, at, value, order_), *this; }
  MadeSections& number_at(std::uint64_t section, std::uint64_t field, std::uint32_t value) {
    return poke(bytes_, table_ + section * size() + field, value, order_), *this;
  }
  std::string sections() const { return elf_sections_of(bytes_); }
  std::string bytes() const { return bytes_; }
  /// What is to be told of it.
  std::string all() const { return " 0 0\n" + text() + constants() + table_of_names(); }
  std::string text() const { return ".text " + std::to_string(data_) + " 4 code\n"; }
  std::string constants() const { return ".rodata " + std::to_string(data_ + 4) + " 9\n"; }
  std::string table_of_names() const { return ".shstrtab " + std::to_string(data_ + 13) + " 25\n"; }

 private:
  void add(std::uint32_t name, std::uint32_t type, std::uint64_t flags, std::uint64_t offset, std::uint64_t length) {
    const auto header = bytes_.size();
    append(bytes_, name, order_);
    append(bytes_, type, order_);
    for (const std::uint64_t value : {flags, std::uint64_t{0}, offset, length})
      if (is_64_)
        append(bytes_, value, order_);
      else
        append(bytes_, static_cast<std::uint32_t>(value), order_);
    bytes_.resize(header + size());
  }

  ByteOrder order_;
  bool is_64_;
  std::string bytes_;
  std::uint64_t data_ = 0, table_ = 0;
};

constexpr std::uint64_t entry_size_at = 58, count_at = 60, names_index_at = 62;

TEST_CASE("sections are told in both classes and byte orders") {
  for (const bool is_64 : {true, false})
    for (const auto order : {ByteOrder::little, ByteOrder::big}) {
      const MadeSections made(is_64, order);
      CAPTURE(is_64);
      CHECK(made.sections() == made.all());
    }
}

TEST_CASE("a table of sections that lies about itself is none") {
  MadeSections made;
  CHECK(MadeSections().short_at(entry_size_at, 40).sections() == "");
  CHECK(MadeSections().short_at(entry_size_at, 65).sections() == "");
  CHECK(MadeSections(false).short_at(46, 64).sections() == "");
  CHECK(MadeSections().short_at(names_index_at, 4).sections() == "");
  CHECK(MadeSections().short_at(count_at, 5).sections() == "");
  CHECK(MadeSections().short_at(count_at, 3).short_at(names_index_at, 2).sections() != made.all());
  auto bytes = made.bytes();
  poke(bytes, 40, std::uint64_t{0});
  CHECK(elf_sections_of(bytes) == "");
  poke(bytes, 40, std::uint64_t{bytes.size() - 20});
  CHECK(elf_sections_of(bytes) == "");
}

TEST_CASE("many sections are counted in the first header") {
  MadeSections made;
  made.short_at(count_at, 0).number_at(0, 32, 4).short_at(names_index_at, SHN_XINDEX).number_at(0, 40, 3);
  // The first header is one of a section, too, which has such a size then.
  CHECK(made.sections() == " 0 4\n" + made.text() + made.constants() + made.table_of_names());
  CHECK(made.number_at(0, 40, 4).sections() == "");
  CHECK(made.number_at(0, 40, 3).number_at(0, 32, 0).sections() == "");

  // As many as are read at most, and one more.
  for (const std::uint32_t many : {65'536U, 65'537U}) {
    MadeSections large;
    large.short_at(count_at, 0).number_at(0, 32, many);
    auto bytes = large.bytes();
    bytes.resize(large.table() + many * sizeof(Elf64_Shdr));
    CHECK(elf_sections_of(bytes).starts_with(" 0 65536\n" + large.text()) == (many == 65'536));
  }
}

TEST_CASE("a section without bytes in the file, or without a name, is passed over") {
  MadeSections made;
  CHECK(MadeSections().number_at(2, 4, SHT_NOBITS).sections() == " 0 0\n" + made.text() + made.table_of_names());
  CHECK(MadeSections().number_at(2, 0, 25).sections() == " 0 0\n" + made.text() + made.table_of_names());
  CHECK(MadeSections().number_at(2, 0, 24).sections() ==
        " 0 0\n" + made.text() + " " + made.constants().substr(8) + made.table_of_names());
  // The names end within the last one.
  CHECK(MadeSections().number_at(3, 32, 24).sections() == " 0 0\n" + made.text() + made.constants());
  for (const std::size_t length : {256U, 257U}) {
    auto bytes = with_sections(elf({}), {{std::string(length, 'n'), "bytes"}});
    CHECK((elf_sections_of(bytes).find(std::string(length, 'n') + " ") != std::string::npos) == (length == 256));
  }
}

TEST_CASE("sections of a PE file, as far as their table is there") {
  const auto built = build_pe({});
  CHECK(pe_sections_of(built.bytes) == ".rdata 1024 0\n");
  auto bytes = pe({.constants = "constants"});
  CHECK(pe_sections_of(bytes) == ".rdata 1024 512\n");
  const auto table = built.at.at("sections");
  bytes.replace(table, 8, "eightful");
  CHECK(pe_sections_of(bytes) == "eightful 1024 512\n");
  poke(bytes, table + 40 + 16, std::uint32_t{3});
  poke(bytes, table + 40 + 20, std::uint32_t{5});
  poke(bytes, 0x46, std::uint16_t{2});
  CHECK(pe_sections_of(bytes) == "eightful 1024 512\n 5 3\n");
  CHECK(pe_sections_of(bytes.substr(0, table + 79)) == "eightful 1024 512\n");
  for (const std::uint64_t at : {0U, 1U, 0x40U, 0x41U}) {
    auto other = bytes;
    other[at] = 'X';
    CHECK(pe_sections_of(other) == "");
  }
  CHECK(pe_sections_of("MZ") == "");
  CHECK(pe_sections_of("") == "");
}

}  // namespace
}  // namespace cudald
