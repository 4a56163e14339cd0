#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cudald/result.h>

#include "rewrite/edit_elf.h"
#include "rewrite/elf_parts.h"
#include "rewrite/elf_patches.h"

namespace cudald {

/// Where tables that do not fit in their old place go.
struct Growth {
  EditRoom room = EditRoom::last_segment;
  std::uint64_t address = 0, offset = 0;  ///< of the first new byte; a multiple of 16
  std::uint64_t tail = 0;                 ///< where the bytes of the file begin that are moved; none: the file's end
};

/// Finds room for new tables: behind the last load segment, else in a new one. `writable`: the loader writes to them.
Result<Growth> find_growth(const ElfParts&, bool writable, std::uint64_t largest_bss, const std::string& path);

/// The program headers with one more for the new segment, as they begin it. `size` is that of the whole segment.
std::string headers_with_new_segment(const ElfParts&, const Growth&, std::string headers, std::uint64_t size);

/// How many bytes the headers take at the start of the new tables.
std::uint64_t room_for_headers(const ElfParts&, const Growth&);

/// The new file: the old one with `patches`, and `tables` where the growth says. `headers` are the program headers as
/// they should be, but for the growth itself.
std::vector<Piece> grown_file(const ElfParts&, const Growth&, std::string headers, const std::string& tables,
                              ElfPatches& patches);

}  // namespace cudald
