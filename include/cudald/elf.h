#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cudald/elf_entries.h>

namespace cudald {

/// The identification and the rest of the header; loaders judge these one by one and in an order of their own.
struct ElfHeader {
  bool has_magic = false;  ///< the file begins with "\x7fELF", whatever else may be wrong with it
  std::uint8_t file_class = 0;
  std::uint8_t data_encoding = 0;
  std::uint8_t ident_version = 0;
  std::uint8_t os_abi = 0;
  std::uint8_t abi_version = 0;
  bool zero_padding = true;
  bool app_image = false;  ///< marked as an AppImage, "AI" and its type in the padding
  std::uint32_t version = 0;
  std::uint32_t flags = 0;  ///< e_flags
  bool program_header_size_ok = true;
  bool program_headers_readable = true;
};

/// Where the tables of symbols and relocations lie; read only when symbols are bound.
struct ElfTables {
  std::uint64_t declared_strings_size = 0;  ///< DT_STRSZ, which loaders ignore
  TableRange symbols, strings, symbol_versions, gnu_hash, sysv_hash;
  TableRange relocations, plt_relocations, relr;
  bool plt_relocations_have_addends = true;
  bool relocations_have_addends = true;
  TableRange implicit_relocations;  ///< DT_REL beside DT_RELA
};

/// What an ELF file says of itself, in the words of elf.h and of the System V ABI.
struct ElfFacts {
  ElfHeader header;

  std::vector<LoadSegment> load_segments;
  bool has_dynamic_segment = false;      ///< PT_DYNAMIC is there
  bool empty_dynamic_segment = false;    ///< and holds no bytes in the file, as in separate debug info
  std::optional<bool> executable_stack;  ///< PT_GNU_STACK's flag; nullopt without that header
  std::uint64_t tls_size = 0;            ///< bytes of PT_TLS in memory
  std::uint64_t tls_alignment = 0;       ///< of PT_TLS
  std::uint64_t tls_address = 0;

  std::optional<std::string> interpreter;
  std::optional<std::string> rpath;    ///< DT_RPATH, unsplit: empty elements mean something
  std::optional<std::string> runpath;  ///< DT_RUNPATH, unsplit
  std::vector<Needed> needed;
  std::vector<std::string> audit;     ///< DT_AUDIT
  std::vector<std::string> depaudit;  ///< DT_DEPAUDIT
  bool symbolic = false;              ///< DT_SYMBOLIC or DF_SYMBOLIC
  bool bind_now = false;              ///< DT_BIND_NOW, DF_BIND_NOW or DF_1_NOW
  bool static_tls = false;            ///< DF_STATIC_TLS; on AArch64, where linkers do not set it, its relocation
  bool text_relocations = false;      ///< DT_TEXTREL or DF_TEXTREL
  std::uint32_t flags_1 = 0;          ///< DT_FLAGS_1
  std::vector<VersionNeed> version_needs;
  std::vector<VersionDefinition> version_definitions;
  std::optional<std::uint16_t> version_needs_format;  ///< vn_version of the first record; loaders know only 1
  std::optional<AbiNote> abi_note;
  std::optional<std::uint32_t> x86_isa_needed;  ///< GNU_PROPERTY_X86_ISA_1_NEEDED bits
  std::optional<std::string> build_id;          ///< lower-case hex
  std::vector<DlopenNote> dlopen_notes;

  ElfTables tables;

  /// Whether DT_RPATH counts: DT_RUNPATH beside it switches it off. Source: ld.so(8).
  bool heeds_rpath() const { return rpath && !runpath; }
};

}  // namespace cudald
