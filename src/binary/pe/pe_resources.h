#pragma once

#include <cstdint>
#include <vector>

#include <cudald/format.h>
#include <cudald/pe.h>

#include "binary/pe/pe_memory.h"

namespace cudald {

/// Reads the manifests and the version resource from the resource directory at `address`.
void read_pe_resources(PeMemory&, std::uint32_t address, PeFacts&, std::vector<Defect>&);

}  // namespace cudald
