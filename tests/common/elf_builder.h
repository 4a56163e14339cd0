#pragma once

#include <elf.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cudald/byte_order.h>
#include <cudald/elf_entries.h>

namespace cudald {

/// An entry of the dynamic table that loads a library.
struct ElfNeeded {
  ElfNeeded(const char* needed) : name(needed) {}
  ElfNeeded(std::string needed) : name(std::move(needed)) {}
  ElfNeeded(NeededTag which, std::string library) : tag(which), name(std::move(library)) {}

  NeededTag tag = NeededTag::needed;
  std::string name;
};

/// A symbol that the file defines.
struct ElfDefinition {
  std::string name;
  std::string version = "";  ///< one of the file's `defines_versions`; empty: the global version
  bool hidden = false;       ///< not the default version of its name
  std::uint8_t binding = STB_GLOBAL;
  std::uint8_t type = STT_FUNC;
  std::uint8_t visibility = STV_DEFAULT;
  std::uint64_t value = 0x100;
};

/// What a relocation is for; each ABI has its own number for it.
enum class ElfUse { data, call, copy, tls, static_tls };

/// A relocation and the symbol it names: an undefined one, or the file's own of that name.
struct ElfReference {
  std::string name;
  ElfUse use = ElfUse::data;
  std::string version = "";  ///< one of the file's `needs_versions`
  std::uint8_t binding = STB_GLOBAL;
  std::uint64_t value = 0;  ///< of the undefined symbol: a program's own PLT entry serves as its address
};

struct ElfNote {
  std::string owner;
  std::uint32_t type = 0;
  std::string description;
};

/// A segment beside the usual ones, as it stands in the program headers.
struct ElfSegment {
  std::uint32_t type = PT_NULL, flags = PF_R;
  std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0, alignment = 1;
};

enum class ElfHash { gnu, sysv, both, none };

/// What a tiny ELF file shall say. The default is a shared library for x86-64 with an empty dynamic table.
struct ElfSpec {
  bool is_64 = true;
  ByteOrder byte_order = ByteOrder::little;
  std::uint16_t machine = EM_X86_64;
  std::uint16_t type = ET_DYN;
  std::uint8_t os_abi = 0;
  std::uint32_t header_flags = 0;

  std::optional<std::string> interpreter = {};
  std::optional<std::string> soname = {};
  std::optional<std::string> rpath = {};
  std::optional<std::string> runpath = {};
  std::vector<ElfNeeded> needed = {};
  std::vector<std::string> audit = {};
  std::vector<std::string> depaudit = {};
  std::uint64_t flags = 0;    ///< DT_FLAGS
  std::uint64_t flags_1 = 0;  ///< DT_FLAGS_1

  std::vector<VersionNeed> needs_versions = {};    ///< hash and index are filled in
  std::vector<std::string> defines_versions = {};  ///< besides the base version
  std::vector<ElfDefinition> defines = {};
  std::vector<ElfReference> uses = {};
  ElfHash hash = ElfHash::gnu;
  bool addends = true;  ///< DT_RELA, else DT_REL

  std::optional<AbiNote> abi_note = {};
  std::optional<std::uint32_t> x86_isa_needed = {};
  std::string build_id = "";                   ///< its bytes
  std::vector<std::string> dlopen_notes = {};  ///< the JSON of each
  std::vector<ElfNote> notes = {};             ///< any others
  std::optional<bool> executable_stack = {};   ///< makes a PT_GNU_STACK
  std::uint64_t tls_size = 0;                  ///< makes a PT_TLS, aligned to 8

  std::vector<ElfSegment> segments = {};
  /// Added at the end of the dynamic table; of equal tags the last one counts.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> dynamic = {};
  bool dynamic_segment = true, load_segment = true, dynamic_end = true;
  std::uint64_t base_address = 0x10000;  ///< of the load segment, so that addresses are no offsets
};

/// The finished file, and the offset at which each part of it lies: "segments", "interpreter", "dynamic",
/// "strings", "symbols", "gnu hash", "sysv hash", "symbol versions", "version needs", "version
/// definitions", "relocations", "plt relocations", "notes".
struct BuiltElf {
  std::string bytes;
  std::map<std::string, std::uint64_t> at;
};

BuiltElf build_elf(const ElfSpec&);
/// Only its bytes.
std::string elf(const ElfSpec&);

/// Overwrites a number in a finished file.
void poke(std::string& bytes, std::uint64_t offset, std::uint16_t value, ByteOrder = ByteOrder::little);
void poke(std::string& bytes, std::uint64_t offset, std::uint32_t value, ByteOrder = ByteOrder::little);
void poke(std::string& bytes, std::uint64_t offset, std::uint64_t value, ByteOrder = ByteOrder::little);

/// Appends a number to bytes that are being written.
template <typename T>
void append(std::string& bytes, T value, ByteOrder order = ByteOrder::little) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    const std::size_t byte = order == ByteOrder::little ? i : sizeof(T) - 1 - i;
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * byte));
  }
}

}  // namespace cudald
