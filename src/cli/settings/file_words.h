#pragma once

#include <memory>
#include <string>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/pe_symbols.h>
#include <cudald/session.h>

namespace cudald {

/// What one file says of itself, for `show` and `diff`.
struct FileWords {
  std::shared_ptr<const Image> image;
  PeSymbols symbols;
  std::shared_ptr<const GpuCode> gpu;       ///< nullptr: none
  std::shared_ptr<const CudaLibrary> cuda;  ///< what it is itself, else the runtime linked into it; nullptr: neither
};

Result<FileWords> read_file_words(Session&, const std::string& absolute_path);

}  // namespace cudald
