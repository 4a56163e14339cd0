#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/format.h>

namespace cudald {

class File;    // file_system.h
struct Image;  // image.h

/// A function wanted from a DLL: by name, or by ordinal if the name is empty.
struct ImportedFunction {
  std::string name;
  std::uint16_t ordinal = 0;
};

/// A function that a DLL offers. Several names may lead to one ordinal.
struct ExportedFunction {
  std::string name;  ///< empty: by ordinal alone
  std::uint32_t ordinal = 0;
  std::string forwarder;  ///< "NTDLL.RtlAllocateHeap" or "OTHER.#5": some other DLL has it; else empty
};

/// The functions of a PE file.
struct PeSymbols {
  std::vector<std::vector<ImportedFunction>> imports;  ///< one list for each of PeFacts::imports
  std::vector<ExportedFunction> exports;               ///< in the order of the ordinals
  std::vector<Defect> defects;                         ///< besides those of the Image
};

/// Reads the names that resolution does without. `image` must be that of this file. Never fails: what cannot be read
/// is among the defects.
PeSymbols read_pe_symbols(const File&, const Image& image);

/// The file that a forwarder leads to: "NTDLL.RtlAllocateHeap" -> "NTDLL.dll". The name ends at the last dot, and
/// gets ".dll" if it has no extension, as LoadLibrary does it.
std::string forwarder_dll(std::string_view forwarder);

}  // namespace cudald
