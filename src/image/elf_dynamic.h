#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cudald/image.h>

#include "image/elf_layout.h"
#include "image/file_window.h"

namespace cudald {

/// One entry of the dynamic table that names a string, in the file's order.
struct DynamicString {
  std::uint64_t tag = 0;
  std::string text;
};

/// What the dynamic table says, followed to its end and with every string and version record fetched;
/// the matter from which the excerpt for LIEF is made.
struct ElfDynamic {
  std::vector<DynamicString> strings;
  std::uint64_t flags = 0, flags_1 = 0;
  bool symbolic = false, bind_now = false;
  std::vector<VersionNeed> version_needs;
  std::vector<VersionDefinition> version_definitions;
};

/// Follows the dynamic table as mapped (by address, as the loader does) and notes in `image` where the
/// symbol tables lie and what is wrong.
ElfDynamic read_elf_dynamic(FileWindow&, const ElfLayout&, const ProgramHeader& dynamic, Image& image);

/// The file offset of an address inside a load segment, and how many file bytes follow it there.
std::optional<TableRange> range_at_address(const Image&, std::uint64_t address);

}  // namespace cudald
