#include <cudald/gpu_code.h>

#include <elf.h>

#include <algorithm>
#include <initializer_list>
#include <set>

#include "image/elf_dynamic.h"
#include "image/elf_layout.h"
#include "image/fatbin.h"
#include "image/file_window.h"

namespace cudald {
namespace {

struct Section {
  std::string name;
  std::uint64_t offset = 0, size = 0;
};

constexpr std::size_t most_sections = 65'536;

/// The sections of an ELF file that lie in it; none if it has no section headers.
std::vector<Section> elf_sections(FileWindow& window, const Image& image) {
  ElfLayout layout;
  layout.is_64 = image.format == Format::elf64;
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
  for (std::uint64_t at = 0; at < all.size(); at += entry_size) {
    if (headers.unchecked<std::uint32_t>(at + 4) == SHT_NOBITS) continue;
    auto name = window.string(names_at + headers.unchecked<std::uint32_t>(at), names_end, longest_name);
    if (!name) continue;
    sections.push_back({std::move(*name), *layout.word_at(headers, at + 8 + 2 * word),
                        *layout.word_at(headers, at + 8 + 3 * word)});
  }
  return sections;
}

/// The sections of a PE file (Microsoft, "PE Format": Section Table); none if it is no PE file.
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

/// Of a file without section headers: what its wrappers lead to, by which the runtime finds the fatbins. They stand in
/// the writable data: magic 0x466243b1, u32 version, address of a container, another address. Whether that container is
/// of relocatable code is not told.
class WrapperReader {
 public:
  WrapperReader(FileWindow& window, const Image& image, GpuCode& code) : window_(window), image_(image), code_(code) {}

  void read() {
    for (const auto& segment : image_.load_segments)
      if (segment.writable) search(segment.offset, std::min(segment.file_size, most_data));
    if (without_address_)
      code_.defects.push_back({"there are no section headers, and the addresses of fatbins are only known when it is "
                               "loaded: its GPU code cannot be told",
                               std::nullopt, true});
  }

 private:
  static constexpr std::uint32_t magic = 0x466243b1, newest_version = 2;
  static constexpr std::uint64_t wrapper_size = 24, block_size = std::uint64_t{1} << 20;
  static constexpr std::size_t most_wrappers = 100'000;
  static constexpr std::uint64_t most_data = std::uint64_t{256} << 20;

  /// A segment begins at a multiple of the page's size away from its address, so wrappers lie at multiples of 8.
  void search(std::uint64_t offset, std::uint64_t size) {
    const auto end = offset + std::min(size, image_.file_size - std::min(offset, image_.file_size));
    for (auto at = (offset + 7) / 8 * 8; at < end; at += block_size - wrapper_size) {
      const auto block = window_.bytes(at, std::min(block_size, end - at));
      const ByteReader bytes(block, image_.byte_order);
      // The next block begins with what is too late in this one for a whole wrapper.
      for (std::uint64_t i = 0; bytes.holds(i, wrapper_size) && i < block_size - wrapper_size; i += 8)
        if (bytes.unchecked<std::uint32_t>(i) == magic && bytes.unchecked<std::uint32_t>(i + 4) <= newest_version)
          follow(bytes.unchecked<std::uint64_t>(i + 8));
    }
  }

  void follow(std::uint64_t address) {
    code_.registered = true;
    if (followed_.size() == most_wrappers || !followed_.insert(address).second) return;
    const auto range = range_at_address(image_, address);
    if (address == 0 || !range) {
      without_address_ = true;
    } else if (code_.defects.empty()) {
      read_fatbin(window_, range->offset, range->offset + range->size, code_);
    }
  }

  FileWindow& window_;
  const Image& image_;
  GpuCode& code_;
  std::set<std::uint64_t> followed_;
  bool without_address_ = false;
};

bool is_any_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

GpuCode read_gpu_code(const File& file, const Image& image, const MetFatbins& met) {
  GpuCode code;
  FileWindow window(file, image.byte_order);
  const auto sections = image.is_elf() ? elf_sections(window, image) : pe_sections(window);
  if (sections.empty()) {
    if (image.format == Format::elf64) WrapperReader(window, image, code).read();
    return code;
  }
  for (const auto& section : sections)
    if (is_any_of(section.name, {".nv_fatbin", ".nv_fatb"}))
      read_fatbins(window, section.offset, section.size, met, code);
  if (code.empty())
    for (const auto& section : sections)
      if (is_any_of(section.name, {"__nv_relfatbin", "__nv_rel"}))
        read_fatbins(window, section.offset, section.size, met, code);
  code.registered = std::any_of(sections.begin(), sections.end(), [](const Section& section) {
    return is_any_of(section.name, {".nvFatBinSegment", ".nvFatBi"});
  });
  return code;
}

}  // namespace cudald
