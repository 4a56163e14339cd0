#pragma once

#include <string_view>

namespace cudald {

/// Of the bytes of an ELF file of 64 bits, up to the end of what is mapped: what only linkers and debuggers read is
/// left out. Of other files all of them.
std::string_view mapped_part(std::string_view bytes);

}  // namespace cudald
