#pragma once

#include "image/pe_memory.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Reads the manifests and the version resource from the resource directory at `address`.
void read_pe_resources(PeMemory&, std::uint32_t address, Image& image);

}  // namespace cudald
