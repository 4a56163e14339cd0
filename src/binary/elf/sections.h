#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "binary/bytes/file_window.h"

namespace cudald {

struct Image;  // cudald/image.h

/// A part of a file, as its section table names it. The range is unchecked.
struct Section {
  std::string name;
  std::uint64_t offset{}, size{};
  bool executable = false;  ///< of ELF files
};

/// The sections of an ELF file that lie in it; none if it has no section headers.
std::vector<Section> elf_sections(FileWindow&, const Image&);
/// The sections of a PE file; none if it is no PE file.
std::vector<Section> pe_sections(FileWindow&);

}  // namespace cudald
