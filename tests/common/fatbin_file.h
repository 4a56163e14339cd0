#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/elf_builder.h"

namespace cudald {

/// An entry of a fatbin as nvcc writes it; its code is zeros.
struct FatbinEntry {
  std::uint16_t kind = 2;  ///< 1 PTX, 2 SASS, 8 for link-time optimisation
  std::uint32_t number = 90;
  char suffix = 0;
  std::uint32_t header_size = 64;
  std::uint64_t code_size = 24;
};

/// One container with these entries.
std::string fatbin(const std::vector<FatbinEntry>&);

/// Sections of a file, which an ElfSpec does not have: name and bytes.
using Sections = std::vector<std::pair<std::string, std::string>>;

/// The file with section headers and these sections at its end. In the order given, the bytes of each begin at a
/// multiple of 8.
std::string with_sections(std::string elf, const Sections&);

/// A library with one fatbin that the runtime registers.
std::string gpu_library(const ElfSpec&, const std::vector<FatbinEntry>&);

}  // namespace cudald
