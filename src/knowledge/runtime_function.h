#pragma once

#include <array>
#include <string_view>

namespace cudald {

/// Whether a function may be one of the CUDA runtime, by its name or how that begins.
inline bool is_runtime_function(std::string_view name) {
  return name.starts_with("cuda") || name.starts_with("__cuda");
}

/// A library that has a runtime for others to call, or for itself in a way that others may come before, has one of
/// these: what every program with kernels calls, and what finds and frees its devices' memory.
inline constexpr auto runtime_signs = std::to_array<std::string_view>({
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaSetDevice",
    "cudaMalloc",
    "cudaMallocAsync",
    "cudaMallocHost",
    "cudaHostAlloc",
    "cudaMallocManaged",
    "cudaFree",
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemset",
    "cudaLaunch",
    "cudaLaunchKernel",
    "cudaGetLastError",
    "cudaPeekAtLastError",
    "cudaGetErrorString",
    "cudaStreamCreate",
    "cudaStreamSynchronize",
    "cudaDeviceSynchronize",
    "cudaEventRecord",
    "cudaFuncGetAttributes",
    "cudaRuntimeGetVersion",
    "cudaDriverGetVersion",
    "__cudaRegisterFatBinary",
    "__cudaRegisterFunction",
    "__cudaPushCallConfiguration",
    "__cudaPopCallConfiguration",
});

}  // namespace cudald
