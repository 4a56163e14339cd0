// The table .symtab has what the dynamic one has, and also what a file does not export: functions of a program that was
// linked without -rdynamic, hidden functions of a library. Source: System V ABI, "Symbol Table" and "Sections".

#include "binary/elf/unexported_symbols.h"

#include <elf.h>

#include <algorithm>

#include <cudald/image.h>

#include "binary/elf/elf_layout.h"
#include "binary/elf/sections.h"

namespace cudald {

bool has_symbol_in_full_table(FileWindow& window, const Image& image, std::string_view name) {
  constexpr std::uint64_t most_symbols = std::uint64_t{16} << 20, most_names = std::uint64_t{32} << 20;
  const auto sections = elf_sections(window, image);
  const auto named = [&](std::string_view wanted) {
    return std::find_if(sections.begin(), sections.end(), [&](const Section& each) { return each.name == wanted; });
  };
  const auto symbols = named(".symtab"), names = named(".strtab");
  if (name.empty() || symbols == sections.end() || names == sections.end()) return false;
  if (symbols->size > most_symbols || names->size > most_names) return false;
  const auto table = window.bytes(symbols->offset, symbols->size);
  const auto letters = window.bytes(names->offset, names->size);
  const std::string_view text(reinterpret_cast<const char*>(letters.data()), letters.size());
  const ElfLayout layout{image.format == Format::elf64};
  const ByteReader bytes(table, image.byte_order);
  const std::size_t size = layout.symbol_size(), section = layout.is_64 ? 6 : 14;
  for (std::size_t at = 0; bytes.holds(at, size); at += size) {
    const std::uint64_t begin = bytes.unchecked<std::uint32_t>(at);
    if (bytes.unchecked<std::uint16_t>(at + section) == SHN_UNDEF || begin >= text.size()) continue;
    const auto rest = text.substr(begin);
    if (rest.size() > name.size() && rest[name.size()] == '\0' && rest.starts_with(name)) return true;
  }
  return false;
}

}  // namespace cudald
