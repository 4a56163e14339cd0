#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/cuda_stack.h>

#include "common/memory_file_system.h"
#include "unit/knowledge/library_file.h"

namespace cudald {

inline const std::string site = "/venv/lib/python3.11/site-packages";

inline std::string runtime(std::uint32_t answer, const std::string& soname) {
  return library({soname, soname, {{"cudaRuntimeGetVersion", store(answer)}, {"cudaGetDeviceCount", ""}}});
}

inline std::string driver_library(const std::string& version) {
  return library(
      {"libcuda.so.1", "", {{"cuInit", ""}, {"cuDriverGetVersion", "nvidia-application-profiles-" + version + "-rc"}}});
}

/// "cudart 12.8 prefix /venv/…", a line each.
inline std::vector<std::string> copies(const CudaStack& stack) {
  std::vector<std::string> lines;
  for (const auto& copy : stack.copies)
    lines.push_back(std::string(to_string(copy.library.kind)) + " " + copy.library.version + " " +
                    std::string(to_string(copy.place)) + " " + copy.path +
                    (copy.package ? " of " + copy.package->name : ""));
  return lines;
}

inline bool has_remark(const CudaStack& stack, std::string_view part) {
  return std::any_of(stack.remarks.begin(), stack.remarks.end(),
                     [&](const std::string& remark) { return remark.find(part) != std::string::npos; });
}

inline CudaStack look(const MemoryFileSystem& files, const Environment& environment = {}, bool is_host = false) {
  auto stack = survey(files, environment, "/venv", is_host, built_in_knowledge());
  add_remarks(stack, files);
  return stack;
}

inline MemoryFileSystem healthy() {
  MemoryFileSystem files;
  files.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  files.add_file(site + "/torch-2.9.1.dist-info/METADATA", "");
  files.add_file(site + "/torch/version.py", "__all__ = ['cuda', 'git_version']\ncuda: Optional[str] = '12.8'\n");
  files.add_file(site + "/tensorflow-2.6.0.dist-info/METADATA", "");
  files.add_file(site + "/tensorflow/python/platform/build_info.py",
                 "build_info = OrderedDict([('cuda_version', '64_112'), ('cudnn_version', '64_8')])\n");
  files.add_file(site + "/onnxruntime_gpu-1.16.3.dist-info/METADATA", "");
  files.add_file(site + "/nvidia/cuda_runtime/lib/libcudart.so.12", runtime(12080, "libcudart.so.12"));
  files.add_file(site + "/nvidia_cuda_runtime_cu12-12.8.90.dist-info/RECORD",
                 "nvidia/cuda_runtime/lib/libcudart.so.12,,\n");
  files.add_file(site + "/nvidia_cuda_runtime_cu12-12.8.90.dist-info/METADATA",
                 "Name: nvidia-cuda-runtime-cu12\nVersion: 12.8.90\n");
  return files;
}

}  // namespace cudald
