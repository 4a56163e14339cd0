#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

/// Whether there is a driver for the GPU in the world that is asked about; nothing if it cannot be told.
std::optional<bool> has_driver(const KnownCall& call) {
  const auto& finds = call.python.loader.finds;
  call.python.heap.work(work_of_request);
  return finds ? std::optional(finds("libcuda.so.1")) : std::nullopt;
}

/// Whether the GPUs that are stated are those that the process sees, and its framework was built for CUDA.
bool sees_stated_gpus(const KnownCall& call) {
  const auto& environment = call.python.environment;
  call.python.tracker.result().looked_at.variables.insert("CUDA_VISIBLE_DEVICES");
  if (environment.gpus.empty() || environment.variables.contains("CUDA_VISIBLE_DEVICES")) return false;
  const auto version = call.python.sys_modules.find_loaded("torch.version");
  const auto cuda =
      version == nullptr ? std::nullopt : call.python.bindings.module_attribute(call.frame, *version, "cuda");
  return cuda && cuda->get<std::string>() != nullptr;
}

/// With a driver it hangs on the GPU, which may be none, or none that the driver serves.
Value is_available(const KnownCall& call) {
  const auto driver = has_driver(call);
  return driver == false ? Value(false) : driver == true && sees_stated_gpus(call) ? Value(true) : Value();
}

Value device_count(const KnownCall& call) {
  const auto driver = has_driver(call);
  if (driver == false) return Value(0LL);
  if (driver != true || !sees_stated_gpus(call)) return {};
  return static_cast<long long>(call.python.environment.gpus.size());
}

/// (8, 6) of the first GPU, where all are of one kind: which one is asked about does not matter then.
Value device_capability(const KnownCall& call) {
  const auto& gpus = call.python.environment.gpus;
  if (has_driver(call) != true || !sees_stated_gpus(call)) return {};
  constexpr std::uint32_t base = 10;
  for (const auto gpu : gpus)
    if (gpu != gpus.front()) return {};
  return call.python.heap.list(
      {{static_cast<long long>(gpus.front() / base), static_cast<long long>(gpus.front() % base)}});
}

// Source: torch 2.9.1 torch/cuda/__init__.py; cupy 14.2 cupy/cuda/__init__.py; numba 0.62 numba/cuda/cudadrv/nvvm.py
// and numba_cuda 0.30 numba_cuda/numba/cuda/cudadrv/driver.py.
constexpr KnownFunction gpu_rows[] = {{"torch.cuda.is_available", is_available},
                                      {"torch.cuda.device_count", device_count},
                                      {"torch.cuda.get_device_capability", device_capability},
                                      {"torch._C._cuda_getDeviceCount", device_count},
                                      {"torch._C._cuda_isDriverSufficient", is_available},
                                      {"cupy.cuda.is_available", is_available},
                                      {"cupy.is_available", is_available},
                                      {"numba.cuda.is_available", is_available},
                                      {"numba.cuda.cudadrv.nvvm.is_available", is_available}};

}  // namespace

std::span<const KnownFunction> known_gpu() { return gpu_rows; }

}  // namespace cudald::python
