#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pyimport/compiled/cython_table.h"
#include "pyimport/values/heap.h"

namespace cudald::python {

/// The strings of a module that was compiled by Cython 3.2 or later. They stand in one text without separators, which
/// may be compressed; how long each is stands in an array elsewhere in the file.
struct CythonStrings {
  enum class Packing : std::uint8_t { none, zlib, lzss };

  Packing packing = Packing::none;
  std::string text;                     ///< of all strings; of a file that does not compress them, empty
  std::vector<std::string_view> names;  ///< identifiers and what stands in import statements; in `text` or the file
  std::vector<std::string_view> texts;  ///< the other strings
  StringTable table;                    ///< all
};

/// nullopt for a file that has none. Without names where their lengths are neither in an array of the file nor among
/// `lengths`: for some sixty strings and fewer, compilers write them into the code. Throws Exhausted.
std::optional<CythonStrings> cython_strings(std::span<const std::string_view> parts, Heap&,
                                            std::string_view lengths = {});

/// What a stream of Cython's LZSS holds, up to `most` bytes or to the first byte that cannot be one of a stream.
std::string unpack_lzss(std::string_view packed, std::size_t most);

}  // namespace cudald::python
