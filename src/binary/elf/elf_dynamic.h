#pragma once

#include <cstdint>
#include <optional>

#include <cudald/elf_entries.h>

#include "binary/bytes/file_window.h"
#include "binary/elf/elf_layout.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Follows the dynamic table as mapped (by address, as the loader does) to its end: enters into `image` every string,
/// flag and version record, where the symbol tables lie, and what is wrong.
void read_elf_dynamic(FileWindow&, const ElfLayout&, const ProgramHeader& dynamic, Image& image);

/// The file offset of an address inside a load segment, and how many file bytes follow it there.
std::optional<TableRange> range_at_address(const Image&, std::uint64_t address);

}  // namespace cudald
