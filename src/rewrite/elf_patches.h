#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <cudald/byte_order.h>
#include <cudald/result.h>

#include "binary/elf/elf_layout.h"
#include "rewrite/new_file.h"

namespace cudald {

/// Where the fields of the ELF header, a program header and a section header are.
struct ElfFields {
  bool is_64{};

  std::size_t header_segments_at() const { return is_64 ? 32 : 28; }    // e_phoff
  std::size_t header_sections_at() const { return is_64 ? 40 : 32; }    // e_shoff
  std::size_t header_segment_count() const { return is_64 ? 56 : 44; }  // e_phnum
  std::size_t segment_flags() const { return is_64 ? 4 : 24; }
  std::size_t segment_offset() const { return is_64 ? 8 : 4; }
  std::size_t segment_address() const { return is_64 ? 16 : 8; }
  std::size_t segment_physical() const { return is_64 ? 24 : 12; }
  std::size_t segment_file_size() const { return is_64 ? 32 : 16; }
  std::size_t segment_memory_size() const { return is_64 ? 40 : 20; }
  std::size_t segment_alignment() const { return is_64 ? 48 : 28; }
  std::size_t section_type() const { return 4; }
  std::size_t section_address() const { return is_64 ? 16 : 12; }
  std::size_t section_offset() const { return is_64 ? 24 : 16; }
  std::size_t section_size() const { return is_64 ? 32 : 20; }
  std::size_t section_header_size() const { return is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr); }
};

/// A number as bytes.
std::string number_bytes(std::uint64_t value, std::size_t size, ByteOrder);

/// Bytes of a file that are replaced, by their offset in it.
class ElfPatches {
 public:
  ElfPatches(ElfLayout layout, ByteOrder order) : layout_(layout), order_(order) {}

  void put(std::uint64_t at, std::string bytes) { patches_[at] = std::move(bytes); }
  void put16(std::uint64_t at, std::uint64_t value) { put(at, number_bytes(value, 2, order_)); }
  void put32(std::uint64_t at, std::uint64_t value) { put(at, number_bytes(value, 4, order_)); }
  /// A number as wide as an address.
  void put_word(std::uint64_t at, std::uint64_t value) { put(at, number_bytes(value, layout_.word(), order_)); }

  /// Whether two of them are about the same bytes: the file uses these bytes for two tables.
  bool overlap() const;
  /// Appends the bytes [begin, end) of the file with what is replaced in them.
  void append(std::uint64_t begin, std::uint64_t end, std::vector<Piece>& pieces) const;

 private:
  ElfLayout layout_;
  ByteOrder order_;
  std::map<std::uint64_t, std::string> patches_;
};

}  // namespace cudald
