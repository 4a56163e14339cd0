#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/byte_order.h>
#include <cudald/file_system.h>
#include <cudald/pe.h>
#include <cudald/result.h>

namespace cudald {

enum class Format { unknown, elf32, elf64, pe32, pe32_plus };

/// "elf64" or "pe32+", as reports spell it.
std::string_view to_string(Format);

enum class FileType { none, relocatable, executable, shared, core, other };

/// DT_NEEDED, or a DT_FILTER or DT_AUXILIARY that loads a library as well. Kept in the file's order.
enum class NeededTag { needed, filter, auxiliary };

struct Needed {
  NeededTag tag = NeededTag::needed;
  std::string name;
};

/// One version that a file wants from a library (vernaux).
struct NeededVersion {
  std::string name;
  std::uint32_t hash = 0;
  std::uint16_t index = 0;  ///< the number that the symbol version table uses, without the hidden bit
  bool weak = false;        ///< VER_FLG_WEAK: a miss is no error
  bool hidden = false;      ///< bit 15 of vna_other
};

/// Everything wanted from one library (verneed).
struct VersionNeed {
  std::string file;
  std::vector<NeededVersion> versions;
};

/// One version that a file defines (verdef); the base entry names the file itself.
struct VersionDefinition {
  std::string name;
  std::uint32_t hash = 0;
  std::uint16_t index = 0;
  bool base = false;
};

/// NT_GNU_ABI_TAG: the oldest kernel the file runs on. `os` 0 is Linux.
struct AbiNote {
  std::uint32_t os = 0, major = 0, minor = 0, patch = 0;
};

/// One library named in a `.note.dlopen` section: the file says itself what it will dlopen.
struct DlopenNote {
  std::vector<std::string> sonames;  ///< alternatives, the preferred one first
  std::string feature;
  std::string description;
  std::string priority;  ///< required | recommended | suggested
};

/// Where a table lies in the file; `size` is already cut to the bytes that exist.
struct TableRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  bool present = false;
};

/// A load segment, needed to turn addresses into file offsets.
struct LoadSegment {
  std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0, alignment = 0;
  bool writable = false;
};

/// A contradiction inside the file. The healthy tables still count.
struct Defect {
  std::string message;
  std::optional<std::uint64_t> offset;
  bool limit = false;  ///< a limit of ours, not a fault of the file
};

/// What one file says of itself, in the words of its format, and nothing that depends on a machine.
/// Read once, then shared and never changed.
struct Image {
  Format format = Format::unknown;
  std::uint64_t file_size = 0;

  // ELF identification; loaders judge these one by one and in an order of their own.
  bool has_elf_magic = false;
  bool has_mz_magic = false;  ///< a PE file, or a program for DOS
  std::uint8_t elf_class = 0;
  std::uint8_t data_encoding = 0;
  std::uint8_t ident_version = 0;
  std::uint8_t os_abi = 0;
  std::uint8_t abi_version = 0;
  bool zero_padding = true;
  std::uint32_t version = 0;
  std::uint16_t machine = 0;  ///< e_machine; for PE the number that ELF has for the same machine
  FileType type = FileType::none;
  std::uint32_t flags = 0;  ///< e_flags
  bool program_header_size_ok = true;
  bool program_headers_readable = true;
  ByteOrder byte_order = ByteOrder::little;

  std::vector<LoadSegment> load_segments;
  bool has_dynamic_segment = false;      ///< PT_DYNAMIC is there
  bool empty_dynamic_segment = false;    ///< and holds no bytes in the file, as in separate debug info
  std::optional<bool> executable_stack;  ///< PT_GNU_STACK's flag; nullopt without that header
  std::uint64_t tls_size = 0;            ///< bytes of PT_TLS in memory

  std::optional<std::string> interpreter;
  std::optional<std::string> soname;   ///< for PE the name in the export directory
  std::optional<std::string> rpath;    ///< DT_RPATH, unsplit: empty elements mean something
  std::optional<std::string> runpath;  ///< DT_RUNPATH, unsplit
  std::vector<Needed> needed;
  std::vector<std::string> audit;     ///< DT_AUDIT
  std::vector<std::string> depaudit;  ///< DT_DEPAUDIT
  bool symbolic = false;              ///< DT_SYMBOLIC or DF_SYMBOLIC
  bool bind_now = false;              ///< DT_BIND_NOW, DF_BIND_NOW or DF_1_NOW
  bool static_tls = false;            ///< DF_STATIC_TLS
  std::uint32_t flags_1 = 0;          ///< DT_FLAGS_1
  std::vector<VersionNeed> version_needs;
  std::vector<VersionDefinition> version_definitions;
  std::optional<std::uint16_t> version_needs_format;  ///< vn_version of the first record; loaders know only 1
  std::optional<AbiNote> abi_note;
  std::optional<std::uint32_t> x86_isa_needed;  ///< GNU_PROPERTY_X86_ISA_1_NEEDED bits
  std::optional<std::string> build_id;          ///< lower-case hex
  std::vector<DlopenNote> dlopen_notes;
  bool has_gpu_code = false;  ///< a section of it, see gpu_code.h

  // Where the symbol tables lie; read only when symbols are bound.
  std::uint64_t declared_strings_size = 0;  ///< DT_STRSZ, which loaders ignore
  TableRange symbols, strings, symbol_versions, gnu_hash, sysv_hash;
  TableRange relocations, plt_relocations, relr;
  bool plt_relocations_have_addends = true;
  bool relocations_have_addends = true;
  TableRange implicit_relocations;  ///< DT_REL beside DT_RELA

  std::optional<PeFacts> pe;  ///< exactly if is_pe()

  std::vector<Defect> defects;

  bool is_elf() const { return format == Format::elf32 || format == Format::elf64; }
  bool is_pe() const { return format == Format::pe32 || format == Format::pe32_plus; }
  std::string_view format_name() const { return to_string(format); }
};

/// Flags in Image::flags_1 that loaders act upon (elf.h).
inline constexpr std::uint32_t df_1_nodeflib = 0x800;
inline constexpr std::uint32_t df_1_noopen = 0x40;
inline constexpr std::uint32_t df_1_pie = 0x08000000;

/// Reads what resolution needs from an open file; symbol tables are only located. The cost depends on
/// what the loader would look at, not on the file's size. A file that is neither ELF nor PE gives an Image of
/// format `unknown`; a faulty one gives what is healthy, and `defects`. Error only if reading fails.
Result<std::shared_ptr<const Image>> read_image(const File&);

/// "x86_64", "aarch64", or "machine 1234" for a number without a common name (e_machine).
std::string machine_name(std::uint16_t machine);
/// The number for "x86_64" and its like; nullopt if unknown.
std::optional<std::uint16_t> machine_number(std::string_view name);

/// DT_HASH's function, also used for version names (System V ABI, chapter 5).
std::uint32_t sysv_hash(std::string_view name);
/// DT_GNU_HASH's function (glibc elf/dl-lookup.c, dl_new_hash).
std::uint32_t gnu_hash(std::string_view name);

}  // namespace cudald
