#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cudald/byte_order.h>
#include <cudald/file_system.h>

#include "binary/elf/elf_layout.h"

namespace cudald {

/// More program headers than any linker writes.
inline constexpr std::size_t most_segments = 256;

struct SectionHeader {
  std::uint32_t type = 0;
  std::uint64_t flags = 0, address = 0, offset = 0, size = 0, alignment = 0;

  /// Whether it has bytes in the file.
  bool has_bytes() const { return type != SHT_NULL && type != SHT_NOBITS && size != 0; }
  /// Whether it has memory of its own in a load segment.
  bool is_mapped() const { return (flags & SHF_ALLOC) != 0 && !(type == SHT_NOBITS && (flags & SHF_TLS) != 0); }
};

struct DynamicEntry {
  std::uint64_t tag = 0, value = 0;
};

/// A field of a version record that names a string of DT_STRTAB.
struct VersionString {
  std::uint64_t at = 0;  ///< of the field, in the file
  std::uint32_t string = 0;
  bool is_needed_file = false;  ///< vn_file, which has to be the name of a DT_NEEDED entry
};

/// The parts of a program or shared library that an edit changes or has to respect. Every offset and size in it is
/// checked: what it names is in the file.
struct ElfParts {
  ElfLayout layout{};
  ByteOrder order = ByteOrder::little;
  std::uint16_t machine = 0, type = 0;
  std::uint64_t file_size = 0;

  std::uint64_t program_headers_at = 0;
  std::vector<ProgramHeader> segments;
  std::size_t last_load = 0, dynamic_segment = 0;  ///< numbers of segments
  std::uint64_t section_headers_at = 0;
  std::vector<SectionHeader> sections;  ///< none if the file has no section headers

  std::vector<DynamicEntry> dynamic;  ///< up to DT_NULL
  std::size_t dynamic_room = 0;       ///< how many entries fit where the table is, DT_NULL included
  std::uint64_t dynamic_at = 0;       ///< in the file

  std::uint64_t strings_at = 0, strings_address = 0;
  std::string strings;  ///< DT_STRTAB, as long as DT_STRSZ says
  std::vector<VersionString> version_strings;

  const ProgramHeader& last() const { return segments[last_load]; }
  bool has_segment(std::uint32_t segment_type) const;
  std::optional<std::uint64_t> value(std::uint64_t tag) const;
  /// The offset in the file of `size` bytes at an address; nullopt if no load segment has all of them there.
  std::optional<std::uint64_t> offset_of(std::uint64_t address, std::uint64_t size) const;
  /// The string that begins there; empty if there is none.
  std::string string_at(std::uint64_t offset) const;
};

/// Whether a tag of the dynamic table names a string of DT_STRTAB.
bool names_string(std::uint64_t tag);

/// Reads the parts. An Error says why the file cannot be edited: it is of another kind, damaged, or of a form that the
/// editor does not know.
Result<ElfParts> read_elf_parts(const File&, const std::string& path);

/// Whether the name of a dynamic symbol begins in that part of DT_STRTAB; true as well if that cannot be known.
bool symbols_use(const File&, const ElfParts&, std::uint64_t begin, std::uint64_t end);

}  // namespace cudald
