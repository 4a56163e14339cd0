#pragma once

#include <memory>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/gpu_code.h>
#include <cudald/pe_symbols.h>
#include <cudald/result.h>

#include "base/budget.h"

namespace cudald {

struct Image;  // cudald/image.h

/// The GPU code of a file, and what it cost to read it.
struct GpuCodeReading {
  GpuCode code;
  Cost cost;
};

// The readers of the public headers with a budget of the caller's; those have one of their own, `limits_of_one_file`.
// What is not read for want of it is a defect of the result.

Result<std::shared_ptr<const Image>> read_image(const File&, Budget&);
/// Sets has_gpu_code and lacks_gpu_code of an image.
void note_gpu_code(const File&, Budget&, Image&);
MetFatbins meet_fatbins(const File&, Budget&);
GpuCode read_gpu_code(const File&, const Image&, const MetFatbins&, Budget&);
/// With a budget for one file.
GpuCodeReading read_gpu_code_at_cost(const File&, const Image&);
PeSymbols read_pe_symbols(const File&, const Image&, Budget&);

/// Puts a limit that was met before all other defects.
void tell_limit(const Budget&, std::vector<Defect>&);

}  // namespace cudald
