#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <cudald/file_system.h>

#include "base/budget.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Reads a file of any kind but PE into an Image. `start` holds its first bytes, an ELF header's worth if it has them.
std::shared_ptr<Image> read_elf_image(const File&, std::span<const std::byte> start, Budget&);

}  // namespace cudald
