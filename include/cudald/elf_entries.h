#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudald {

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
  std::uint16_t format = 1;  ///< vd_version; loaders know only 1
};

/// NT_GNU_ABI_TAG: the oldest kernel the file runs on. `os` 0 is Linux.
struct AbiNote {
  std::uint32_t os = 0, major = 0, minor = 0, patch = 0;
};

/// How much a file depends on what it will dlopen (UAPI Group, "ELF Dlopen Metadata"). A word that the specification
/// does not have counts as none: recommended.
enum class DlopenPriority { required, recommended, suggested };

/// As the specification spells them.
std::string_view to_string(DlopenPriority);

/// One library named in a `.note.dlopen` section: the file says itself what it will dlopen.
struct DlopenNote {
  std::vector<std::string> sonames;  ///< alternatives, the preferred one first
  std::string feature;
  std::string description;
  DlopenPriority priority = DlopenPriority::recommended;
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
  bool writable = false, executable = false;
};

/// Flags in ElfFacts::flags_1 that loaders act upon (elf.h).
inline constexpr std::uint32_t df_1_nodeflib = 0x800;
inline constexpr std::uint32_t df_1_noopen = 0x40;
inline constexpr std::uint32_t df_1_pie = 0x08000000;

/// DT_HASH's function, also used for version names (System V ABI, chapter 5).
std::uint32_t sysv_hash(std::string_view name);
/// DT_GNU_HASH's function (glibc elf/dl-lookup.c, dl_new_hash).
std::uint32_t gnu_hash(std::string_view name);

}  // namespace cudald
