#pragma once

#include <memory>

#include <cudald/file_system.h>

#include "base/budget.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Reads a file that starts with "MZ" into an Image. LIEF takes no part: 0.12 leaves out delay imports and drops the
/// names of DLLs that it finds too short, too long or odd, and it needs the names of all functions to see their DLLs.
std::shared_ptr<Image> read_pe_image(const File&, Budget&);

}  // namespace cudald
