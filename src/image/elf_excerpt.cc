#include "image/elf_excerpt.h"

#include <elf.h>

#include <bit>
#include <concepts>
#include <cstring>
#include <map>
#include <string>

namespace cudald {
namespace {

/// Bytes in the byte order and word size of the file that is excerpted.
class ElfWriter {
 public:
  ElfWriter(const ElfLayout& layout, ByteOrder order)
      : layout_(layout), swap_((order == ByteOrder::little) != (std::endian::native == std::endian::little)) {}

  std::size_t size() const { return bytes_.size(); }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

  template <std::unsigned_integral T>
  void put(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      const auto shift = 8 * ((std::endian::native == std::endian::little) != swap_ ? i : sizeof(T) - 1 - i);
      bytes_.push_back(static_cast<std::uint8_t>(value >> shift));
    }
  }

  void put_word(std::uint64_t value) {
    if (layout_.is_64) {
      put(value);
    } else {
      put(static_cast<std::uint32_t>(value));
    }
  }

  void put_text(const std::string& text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }

  void put_program_header(std::uint32_t type, std::uint64_t offset, std::uint64_t size) {
    put(type);
    if (layout_.is_64) put(std::uint32_t{PF_R});
    for (int i = 0; i < 3; ++i) put_word(offset);  // offset, virtual and physical address
    put_word(size);
    put_word(size);
    if (!layout_.is_64) put(std::uint32_t{PF_R});
    put_word(layout_.word());
  }

 private:
  const ElfLayout& layout_;
  bool swap_;
  std::vector<std::uint8_t> bytes_;
};

/// Strings laid one after another; equal ones once.
class StringPool {
 public:
  std::uint32_t add(const std::string& text) {
    const auto [place, is_new] = offsets_.try_emplace(text, static_cast<std::uint32_t>(bytes_.size()));
    if (is_new) (bytes_ += text) += '\0';
    return place->second;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
  std::map<std::string, std::uint32_t> offsets_{{"", 0}};
};

void put_version_needs(ElfWriter& out, StringPool& pool, const std::vector<VersionNeed>& needs) {
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const auto& need = needs[i];
    const auto record_size = sizeof(Elf64_Verneed) + need.versions.size() * sizeof(Elf64_Vernaux);
    out.put(std::uint16_t{VER_NEED_CURRENT});
    out.put(static_cast<std::uint16_t>(need.versions.size()));
    out.put(pool.add(need.file));
    out.put(static_cast<std::uint32_t>(need.versions.empty() ? 0 : sizeof(Elf64_Verneed)));
    out.put(static_cast<std::uint32_t>(i + 1 == needs.size() ? 0 : record_size));
    for (std::size_t j = 0; j < need.versions.size(); ++j) {
      const auto& version = need.versions[j];
      out.put(version.hash);
      out.put(static_cast<std::uint16_t>(version.weak ? VER_FLG_WEAK : 0));
      out.put(static_cast<std::uint16_t>(version.index | (version.hidden ? 0x8000 : 0)));
      out.put(pool.add(version.name));
      out.put(static_cast<std::uint32_t>(j + 1 == need.versions.size() ? 0 : sizeof(Elf64_Vernaux)));
    }
  }
}

void put_version_definitions(ElfWriter& out, StringPool& pool, const std::vector<VersionDefinition>& definitions) {
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const auto& definition = definitions[i];
    out.put(std::uint16_t{VER_DEF_CURRENT});
    out.put(static_cast<std::uint16_t>(definition.base ? VER_FLG_BASE : 0));
    out.put(definition.index);
    out.put(std::uint16_t{1});
    out.put(definition.hash);
    out.put(std::uint32_t{sizeof(Elf64_Verdef)});
    out.put(static_cast<std::uint32_t>(i + 1 == definitions.size() ? 0 : sizeof(Elf64_Verdef) + sizeof(Elf64_Verdaux)));
    out.put(pool.add(definition.name));
    out.put(std::uint32_t{0});
  }
}

}  // namespace

std::vector<std::uint8_t> make_elf_excerpt(const Image& image, const ElfLayout& layout, const ElfDynamic& dynamic) {
  StringPool pool;
  ElfWriter needs(layout, image.byte_order), definitions(layout, image.byte_order);
  put_version_needs(needs, pool, dynamic.version_needs);
  put_version_definitions(definitions, pool, dynamic.version_definitions);
  for (const auto& entry : dynamic.strings) pool.add(entry.text);

  // Where each part will lie; the dynamic table names these places.
  constexpr std::size_t program_headers = 2;
  const auto dynamic_at = layout.header_size() + program_headers * layout.program_header_size();
  const auto entries = dynamic.strings.size() + 11;  // besides the strings: the fixed ones below
  const auto needs_at = dynamic_at + entries * layout.dynamic_size();
  const auto definitions_at = needs_at + needs.size();
  const auto strings_at = definitions_at + definitions.size();
  const auto end = strings_at + pool.bytes().size();

  ElfWriter out(layout, image.byte_order);
  for (const auto byte : {ELFMAG0, int{ELFMAG1}, int{ELFMAG2}, int{ELFMAG3}, int{image.elf_class},
                          int{image.data_encoding}, EV_CURRENT, int{image.os_abi}, int{image.abi_version}})
    out.put(static_cast<std::uint8_t>(byte));
  while (out.size() < EI_NIDENT) out.put(std::uint8_t{0});
  out.put(std::uint16_t{ET_DYN});
  // No machine: LIEF would take class and byte order from it, even against what the header says.
  out.put(std::uint16_t{EM_NONE});
  out.put(std::uint32_t{EV_CURRENT});
  out.put_word(0);
  out.put_word(layout.header_size());
  out.put_word(0);
  out.put(image.flags);
  out.put(static_cast<std::uint16_t>(layout.header_size()));
  out.put(static_cast<std::uint16_t>(layout.program_header_size()));
  out.put(static_cast<std::uint16_t>(program_headers));
  for (int i = 0; i < 3; ++i) out.put(std::uint16_t{0});  // no sections

  out.put_program_header(PT_LOAD, 0, end);
  out.put_program_header(PT_DYNAMIC, dynamic_at, entries * layout.dynamic_size());

  const auto put_entry = [&out](std::uint64_t tag, std::uint64_t value) {
    out.put_word(tag);
    out.put_word(value);
  };
  put_entry(DT_STRTAB, strings_at);
  put_entry(DT_STRSZ, pool.bytes().size());
  put_entry(DT_FLAGS, dynamic.flags);
  put_entry(DT_FLAGS_1, dynamic.flags_1);
  for (const auto& entry : dynamic.strings) put_entry(entry.tag, pool.add(entry.text));
  std::size_t written = 4 + dynamic.strings.size();
  if (!dynamic.version_needs.empty()) {
    put_entry(DT_VERNEED, needs_at);
    put_entry(DT_VERNEEDNUM, dynamic.version_needs.size());
    written += 2;
  }
  if (!dynamic.version_definitions.empty()) {
    put_entry(DT_VERDEF, definitions_at);
    put_entry(DT_VERDEFNUM, dynamic.version_definitions.size());
    written += 2;
  }
  if (dynamic.symbolic) {
    put_entry(DT_SYMBOLIC, 0);
    ++written;
  }
  if (dynamic.bind_now) {
    put_entry(DT_BIND_NOW, 0);
    ++written;
  }
  for (; written < entries; ++written) put_entry(DT_NULL, 0);

  for (auto* part : {&needs, &definitions})
    for (const auto byte : part->take()) out.put(byte);
  out.put_text(pool.bytes());
  return out.take();
}

}  // namespace cudald
