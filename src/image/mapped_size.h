#pragma once

#include <cstdint>

namespace cudald {

struct Image;  // cudald/image.h

/// Of the bytes of an ELF file, up to the end of what is mapped: what only linkers and debuggers read is left out. Of
/// other files all of them.
std::uint64_t mapped_size(const Image&);

}  // namespace cudald
