#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cudald {

enum class Format { unknown, elf32, elf64, pe32, pe32_plus };

/// "elf64" or "pe32+", as reports spell it.
std::string_view to_string(Format);

/// What a file is made to be: e_type, or the flags of a PE file that say the same.
enum class FileType { none, relocatable, executable, shared, core, other };

/// A contradiction inside a file. Its healthy tables still count.
struct Defect {
  std::string message;
  std::optional<std::uint64_t> offset;  ///< in bytes from the file's start; none if it is at no single place
  bool limit = false;                   ///< a limit of ours, not a fault of the file
  bool fatal = false;                   ///< whoever loads the file crashes on it
};

struct Image;  // image.h

// What many ask of a file, without image.h and all that it takes along.

Format format_of(const Image&);
bool is_elf(const Image&);
bool is_pe(const Image&);
/// e_machine; of a PE file the number that ELF has for the same machine.
std::uint16_t machine_of(const Image&);
/// DT_SONAME, or the name in a DLL's export directory; nullopt if the file gives itself none.
const std::optional<std::string>& soname_of(const Image&);
/// PT_INTERP: the dynamic loader that a program asks for; nullopt if it asks for none.
const std::optional<std::string>& program_interpreter(const Image&);

/// "x86_64", "aarch64", or "machine 1234" for a number without a common name (e_machine).
std::string machine_name(std::uint16_t machine);
/// The number for "x86_64" and its like; nullopt if unknown.
std::optional<std::uint16_t> machine_number(std::string_view name);

}  // namespace cudald
