#include "python/known_functions.h"

namespace cudald::python {
namespace {

/// Whether there is a driver for the GPU in the world that is asked about; nothing if it cannot be told.
std::optional<bool> has_driver(const KnownCall& call) {
  const auto& finds = call.python.loader_.finds;
  call.python.heap_.work(work_of_request);
  return finds ? std::optional(finds("libcuda.so.1")) : std::nullopt;
}

/// With a driver it hangs on the GPU, which may be none, or none that the driver serves.
Value is_available(const KnownCall& call) { return has_driver(call) == false ? Value(false) : Value(); }
Value device_count(const KnownCall& call) { return has_driver(call) == false ? Value(0LL) : Value(); }

// Source: torch 2.9.1 torch/cuda/__init__.py; cupy 14.2 cupy/cuda/__init__.py; numba 0.62 numba/cuda/cudadrv/nvvm.py
// and numba_cuda 0.30 numba_cuda/numba/cuda/cudadrv/driver.py.
constexpr KnownFunction gpu_rows[] = {
    {"torch.cuda.is_available", is_available},       {"torch.cuda.device_count", device_count},
    {"torch._C._cuda_getDeviceCount", device_count}, {"torch._C._cuda_isDriverSufficient", is_available},
    {"cupy.cuda.is_available", is_available},        {"cupy.is_available", is_available},
    {"numba.cuda.is_available", is_available},       {"numba.cuda.cudadrv.nvvm.is_available", is_available}};

}  // namespace

std::span<const KnownFunction> known_gpu() { return gpu_rows; }

}  // namespace cudald::python
