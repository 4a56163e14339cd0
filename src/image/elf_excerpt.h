#pragma once

#include <cstdint>
#include <vector>

#include <cudald/image.h>

#include "image/elf_dynamic.h"
#include "image/elf_layout.h"

namespace cudald {

/// Makes a small ELF file that says the same as the big one: header, one load segment, the named entries of
/// the dynamic table, their strings and the version tables; addresses equal offsets. LIEF parses this in
/// microseconds, where the whole file may be a gigabyte.
std::vector<std::uint8_t> make_elf_excerpt(const Image&, const ElfLayout&, const ElfDynamic&);

}  // namespace cudald
