#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/byte_reader.h"

namespace cudald {

/// Field positions of the ELF structures in both classes, so that one code reads and writes both.
struct ElfLayout {
  bool is_64{};

  std::size_t word() const { return is_64 ? 8 : 4; }
  std::size_t header_size() const { return is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr); }
  std::size_t program_header_size() const { return is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr); }
  std::size_t dynamic_size() const { return is_64 ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn); }
  std::size_t symbol_size() const { return is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym); }
  std::size_t relocation_size(bool addends) const {
    if (is_64) return addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    return addends ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel);
  }
  /// Of a number in DT_HASH. Source: glibc, Elf_Symndx in sysdeps/alpha/bits/link.h and sysdeps/s390/bits/link.h.
  std::size_t sysv_hash_word(std::uint16_t machine) const {
    return machine == EM_ALPHA || (machine == EM_S390 && is_64) ? 8 : 4;
  }

  std::optional<std::uint64_t> word_at(const ByteReader& bytes, std::uint64_t offset) const {
    if (is_64) return bytes.number<std::uint64_t>(offset);
    const auto value = bytes.number<std::uint32_t>(offset);
    return value ? std::optional<std::uint64_t>(*value) : std::nullopt;
  }
};

struct ProgramHeader {
  std::uint32_t type = 0, flags = 0;
  std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0, alignment = 0;
};

/// The program header at `offset`; all of it must lie inside `bytes` (checked by the caller).
inline ProgramHeader program_header_at(const ElfLayout& layout, const ByteReader& bytes, std::uint64_t at) {
  ProgramHeader header;
  header.type = bytes.unchecked<std::uint32_t>(at);
  if (layout.is_64) {
    header.flags = bytes.unchecked<std::uint32_t>(at + 4);
    header.offset = bytes.unchecked<std::uint64_t>(at + 8);
    header.address = bytes.unchecked<std::uint64_t>(at + 16);
    header.file_size = bytes.unchecked<std::uint64_t>(at + 32);
    header.memory_size = bytes.unchecked<std::uint64_t>(at + 40);
    header.alignment = bytes.unchecked<std::uint64_t>(at + 48);
  } else {
    header.offset = bytes.unchecked<std::uint32_t>(at + 4);
    header.address = bytes.unchecked<std::uint32_t>(at + 8);
    header.file_size = bytes.unchecked<std::uint32_t>(at + 16);
    header.memory_size = bytes.unchecked<std::uint32_t>(at + 20);
    header.flags = bytes.unchecked<std::uint32_t>(at + 24);
    header.alignment = bytes.unchecked<std::uint32_t>(at + 28);
  }
  return header;
}

struct SymbolEntry {
  std::uint32_t name = 0;
  std::uint8_t info = 0, other = 0;
  std::uint16_t section = 0;
  std::uint64_t value = 0, size = 0;

  std::uint8_t binding() const { return info >> 4; }
  std::uint8_t type() const { return info & 0xf; }
};

/// The symbol at `at`, which the caller has checked to lie inside.
inline SymbolEntry symbol_at(const ElfLayout& layout, const ByteReader& bytes, std::uint64_t at) {
  SymbolEntry symbol;
  symbol.name = bytes.unchecked<std::uint32_t>(at);
  if (layout.is_64) {
    symbol.info = bytes.unchecked<std::uint8_t>(at + 4);
    symbol.other = bytes.unchecked<std::uint8_t>(at + 5);
    symbol.section = bytes.unchecked<std::uint16_t>(at + 6);
    symbol.value = bytes.unchecked<std::uint64_t>(at + 8);
    symbol.size = bytes.unchecked<std::uint64_t>(at + 16);
  } else {
    symbol.value = bytes.unchecked<std::uint32_t>(at + 4);
    symbol.size = bytes.unchecked<std::uint32_t>(at + 8);
    symbol.info = bytes.unchecked<std::uint8_t>(at + 12);
    symbol.other = bytes.unchecked<std::uint8_t>(at + 13);
    symbol.section = bytes.unchecked<std::uint16_t>(at + 14);
  }
  return symbol;
}

}  // namespace cudald
