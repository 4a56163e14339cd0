#include "knowledge/gpu_use.h"

#include <algorithm>

#include "base/json.h"
#include "embedded.h"
#include "knowledge/knowledge.h"

namespace cudald {

std::optional<GpuUse> gpu_use_of(std::string_view module,
                                 const std::function<bool(const std::string& through)>& is_imported,
                                 const Knowledge& knowledge) {
  static const auto built_in = parse_table(embedded_gpu_use());
  const auto* newer = knowledge.newer_table("gpu-use");
  const auto& table = newer != nullptr ? *newer : built_in;
  std::optional<GpuUse> first;
  for (const auto& row : table.at("rows")) {
    if (row.at("module").get_ref<const std::string&>() != module) continue;
    GpuUse use{row.at("through"), row.at("extra"), row.at("require"),
               row.at("before"),  row.at("lost"),  row.at("source")};
    if (is_imported(use.through)) return use;
    if (!first) first = std::move(use);
  }
  return first;
}

bool is_driver_library(std::string_view name) {
  // Source: README of NVIDIA's driver for Linux, "Installed Components".
  constexpr std::string_view names[] = {"libcuda.so.1",
                                        "libcudadebugger.so.1",
                                        "libnvcuvid.so.1",
                                        "libnvidia-cfg.so.1",
                                        "libnvidia-encode.so.1",
                                        "libnvidia-fbc.so.1",
                                        "libnvidia-ml.so.1",
                                        "libnvidia-nvvm.so.4",
                                        "libnvidia-opencl.so.1",
                                        "libnvidia-opticalflow.so.1",
                                        "libnvidia-ptxjitcompiler.so.1",
                                        "libnvoptix.so.1"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_cuda_library_name(std::string_view name) {
  if (name.starts_with("lib")) name.remove_prefix(3);
  // Of most names no more is looked at.
  if (!name.starts_with("cu") && !name.starts_with('n')) return false;
  constexpr std::string_view stems[] = {"cuda.",    "cudart",   "cublas",    "cudnn",     "cufft",
                                        "curand",   "cusolver", "cusparse",  "cupti",     "cufile",
                                        "cutensor", "nvrtc",    "nvJitLink", "nvjitlink", "nvToolsExt",
                                        "nvinfer",  "nvcuda",   "nvidia-ml", "nccl",      "nvshmem"};
  return std::any_of(std::begin(stems), std::end(stems), [&](std::string_view stem) { return name.starts_with(stem); });
}

}  // namespace cudald
