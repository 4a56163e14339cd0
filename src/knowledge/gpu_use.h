#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <cudald/knowledge.h>

namespace cudald {

/// How a Python package uses the GPU that asks for no CUDA library itself (data/gpu-use.json).
struct GpuUse {
  std::string through;  ///< the module that it uses the GPU by
  std::string extra;    ///< how the extras begin that bring it along
  std::string require;  ///< the call that makes a silent fall-back an error
  std::string before;   ///< when to call it
  std::string lost;     ///< what happens without the GPU
  std::string source;
};

/// Of several ways to the GPU, the first whose module is imported; the first of all if none is.
std::optional<GpuUse> gpu_use_of(std::string_view module,
                                 const std::function<bool(const std::string& through)>& is_imported, const Knowledge&);

/// Whether a library comes with NVIDIA's driver for Linux alone: "libcuda.so.1".
bool is_driver_library(std::string_view name);

/// Whether a library is part of CUDA, its driver, or of NVIDIA's libraries beside it: "libcudart.so.12", "nvcuda.dll".
bool is_cuda_library_name(std::string_view name);

}  // namespace cudald
