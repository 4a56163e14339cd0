#include "binary/elf/sections.h"

#include <elf.h>

#include <algorithm>

#include <cudald/image.h>

#include "binary/elf/elf_dynamic.h"
#include "binary/elf/elf_layout.h"

namespace cudald {
namespace {

constexpr std::size_t most_sections = 65'536;

}  // namespace

std::vector<Section> elf_sections(FileWindow& window, const Image& image) {
  const ElfLayout layout{image.format == Format::elf64};
  const auto header = window.bytes(0, layout.header_size());
  const ByteReader bytes(header, image.byte_order);
  if (header.size() != layout.header_size()) return {};
  const auto table = *layout.word_at(bytes, 24 + 2 * layout.word());
  const auto tail = layout.header_size() - 6;
  const std::uint64_t entry_size = bytes.unchecked<std::uint16_t>(tail);
  std::uint64_t count = bytes.unchecked<std::uint16_t>(tail + 2);
  std::uint64_t names = bytes.unchecked<std::uint16_t>(tail + 4);
  if (table == 0 || entry_size != (layout.is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr))) return {};

  const auto word = layout.word();
  const auto first = window.bytes(table, entry_size);
  if (first.size() != entry_size) return {};
  const ByteReader zeroth(first, image.byte_order);
  if (count == 0) count = *layout.word_at(zeroth, 8 + 3 * word);
  if (names == SHN_XINDEX) names = zeroth.unchecked<std::uint32_t>(8 + 4 * word);
  if (count > most_sections || names >= count) return {};
  const auto all = window.bytes(table, count * entry_size);
  if (all.size() != count * entry_size) return {};

  const ByteReader headers(all, image.byte_order);
  const auto names_at = *layout.word_at(headers, names * entry_size + 8 + 2 * word);
  const auto names_size = *layout.word_at(headers, names * entry_size + 8 + 3 * word);
  const auto names_end = names_at + std::min(names_size, image.file_size - std::min(names_at, image.file_size));
  constexpr std::size_t longest_name = 256;
  std::vector<Section> sections;
  sections.reserve(count);
  for (std::uint64_t at = 0; at < all.size(); at += entry_size) {
    if (headers.unchecked<std::uint32_t>(at + 4) == SHT_NOBITS) continue;
    auto name = window.string(names_at + headers.unchecked<std::uint32_t>(at), names_end, longest_name);
    if (!name) continue;
    sections.push_back({std::move(*name), *layout.word_at(headers, at + 8 + 2 * word),
                        *layout.word_at(headers, at + 8 + 3 * word),
                        (*layout.word_at(headers, at + 8) & SHF_EXECINSTR) != 0});
  }
  return sections;
}

// Microsoft, "PE Format": Section Table.
std::vector<Section> pe_sections(FileWindow& window) {
  constexpr std::uint16_t mz = 0x5a4d;
  constexpr std::uint32_t signature = 0x4550;
  constexpr std::uint64_t section_header = 40;
  if (window.number<std::uint16_t>(0) != mz) return {};
  const std::uint64_t at = window.number<std::uint32_t>(0x3c).value_or(0);
  if (window.number<std::uint32_t>(at) != signature) return {};
  const std::uint64_t count = window.number<std::uint16_t>(at + 6).value_or(0);
  const std::uint64_t table = at + 24 + window.number<std::uint16_t>(at + 20).value_or(0);
  const auto all = window.bytes(table, count * section_header);
  const ByteReader headers(all, ByteOrder::little);
  std::vector<Section> sections;
  for (std::uint64_t i = 0; headers.holds(i * section_header, section_header) && i < count; ++i) {
    const auto header = i * section_header;
    const auto* name = reinterpret_cast<const char*>(all.data()) + header;
    sections.push_back({std::string(name, std::find(name, name + 8, '\0')),
                        headers.unchecked<std::uint32_t>(header + 20), headers.unchecked<std::uint32_t>(header + 16)});
  }
  return sections;
}

}  // namespace cudald
