#include "binary/elf/unexported_symbols.h"

#include <elf.h>

#include <tuple>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/elf_builder.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

/// A library with a full symbol table, in which "seen" is defined and "wanted" is only asked for.
std::string with_full_table(bool is_64, ByteOrder order) {
  const std::string section_names("\0.symtab\0.strtab\0.shstrtab\0", 27), names("\0seen\0wanted\0", 13);
  auto bytes = elf({.is_64 = is_64, .byte_order = order, .machine = EM_386});
  const auto size = is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  const auto symbols = bytes.size();
  bytes.resize(bytes.size() + 3 * size);
  for (const auto [number, name, section] : {std::tuple(1, 1, 7), std::tuple(2, 6, SHN_UNDEF)}) {
    poke(bytes, symbols + number * size, static_cast<std::uint32_t>(name), order);
    poke(bytes, symbols + number * size + (is_64 ? 6 : 14), static_cast<std::uint16_t>(section), order);
  }
  const auto texts = bytes.size();
  bytes += names + section_names;
  const auto table = bytes.size();
  const auto row = is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), word = is_64 ? std::size_t{8} : std::size_t{4};
  bytes.resize(bytes.size() + 4 * row);
  const auto put = [&](std::size_t section, std::uint32_t name, std::uint32_t type, std::size_t offset,
                       std::size_t length) {
    const auto at = table + section * row;
    poke(bytes, at, name, order);
    poke(bytes, at + 4, type, order);
    // The upper half of a wider number stays zero.
    const auto low = is_64 && order == ByteOrder::big ? std::size_t{4} : std::size_t{0};
    poke(bytes, at + 8 + 2 * word + low, static_cast<std::uint32_t>(offset), order);
    poke(bytes, at + 8 + 3 * word + low, static_cast<std::uint32_t>(length), order);
  };
  put(1, 1, SHT_SYMTAB, symbols, 3 * size);
  put(2, 9, SHT_STRTAB, texts, names.size());
  put(3, 17, SHT_STRTAB, texts + names.size(), section_names.size());
  const auto tail = is_64 ? std::uint64_t{58} : std::uint64_t{46};
  if (is_64) poke(bytes, 40, std::uint64_t{table}, order);
  if (!is_64) poke(bytes, 32, static_cast<std::uint32_t>(table), order);
  poke(bytes, tail, static_cast<std::uint16_t>(row), order);
  poke(bytes, tail + 2, std::uint16_t{4}, order);
  poke(bytes, tail + 4, std::uint16_t{3}, order);
  return bytes;
}

bool full_table_has(const std::string& bytes, std::string_view name) {
  const FaultyFile file(bytes);
  const auto image = read_image(file);
  REQUIRE(image);
  FileWindow window(file, (*image)->byte_order);
  return has_symbol_in_full_table(window, **image, name);
}

}  // namespace

TEST_CASE("what a file defines and does not export is found in its full symbol table") {
  for (const bool is_64 : {true, false})
    for (const auto order : {ByteOrder::little, ByteOrder::big}) {
      const auto bytes = with_full_table(is_64, order);
      CHECK(full_table_has(bytes, "seen"));
      CHECK_FALSE(full_table_has(bytes, "wanted"));  // only asked for
      CHECK_FALSE(full_table_has(bytes, "see"));
      CHECK_FALSE(full_table_has(bytes, "een"));
      CHECK_FALSE(full_table_has(bytes, ""));
      // Without the names of sections, and cut at any place, nothing is found and nothing is read beyond the end.
      for (std::size_t length = 64; length < bytes.size(); length += 7) full_table_has(bytes.substr(0, length), "seen");
    }
  CHECK_FALSE(full_table_has(elf({}), "seen"));
}

}  // namespace cudald
