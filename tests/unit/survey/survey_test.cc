#include <cudald/cuda_stack.h>

#include <doctest/doctest.h>

#include <algorithm>

#include "common/memory_file_system.h"
#include "common/pe_builder.h"
#include "unit/cuda/library_file.h"

namespace cudald {
namespace {

const std::string site = "/venv/lib/python3.11/site-packages";

std::string runtime(std::uint32_t answer, const std::string& soname) {
  return library({soname, soname, {{"cudaRuntimeGetVersion", store(answer)}, {"cudaGetDeviceCount", ""}}});
}

std::string driver_library(const std::string& version) {
  return library(
      {"libcuda.so.1", "", {{"cuInit", ""}, {"cuDriverGetVersion", "nvidia-application-profiles-" + version + "-rc"}}});
}

/// "cudart 12.8 prefix /venv/…", a line each.
std::vector<std::string> copies(const CudaStack& stack) {
  std::vector<std::string> lines;
  for (const auto& copy : stack.copies)
    lines.push_back(std::string(to_string(copy.library.kind)) + " " + copy.library.version + " " +
                    std::string(to_string(copy.place)) + " " + copy.path +
                    (copy.package ? " of " + copy.package->name : ""));
  return lines;
}

bool has_remark(const CudaStack& stack, std::string_view part) {
  return std::any_of(stack.remarks.begin(), stack.remarks.end(),
                     [&](const std::string& remark) { return remark.find(part) != std::string::npos; });
}

CudaStack look(const MemoryFileSystem& files, const Environment& environment = {}, bool is_host = false) {
  auto stack = survey(files, environment, "/venv", is_host);
  add_remarks(stack, files);
  return stack;
}

MemoryFileSystem healthy() {
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

TEST_CASE("the libraries and frameworks of an environment, by their files") {
  const auto stack = look(healthy());
  CHECK(copies(stack) ==
        std::vector<std::string>{"cudart 12.8 prefix " + site +
                                 "/nvidia/cuda_runtime/lib/libcudart.so.12 of nvidia-cuda-runtime-cu12"});
  REQUIRE(stack.frameworks.size() == 3);
  CHECK(stack.frameworks[0].package.name == "onnxruntime-gpu");
  CHECK(stack.frameworks[0].cuda == "");  // the table's row is not verified
  CHECK(stack.frameworks[1].package.name == "tensorflow");
  CHECK(stack.frameworks[1].cuda == "11.2");
  CHECK(stack.frameworks[1].cudnn == "8");
  CHECK(stack.frameworks[2].cuda == "12.8");
  CHECK(stack.frameworks[2].cudnn == "9.10.2");
  CHECK(stack.frameworks[2].known_by == site + "/torch/version.py");
  CHECK(stack.driver.version == "");
  CHECK(stack.remarks.empty());
  CHECK(cuda_folders(stack) == std::vector<std::string>{site + "/nvidia/cuda_runtime/lib"});
}

TEST_CASE("a file counts once, and what only bears a name does not") {
  auto files = healthy();
  files.add_file(site + "/nvidia/cublas/lib/libcublas.so.12", "no library");
  files.add_file(site + "/nvidia/cublas/lib/libcudart_notes.txt", "");
  files.add_symlink("/venv/lib/libcudart.so.12", site + "/nvidia/cuda_runtime/lib/libcudart.so.12");
  CHECK(look(files).copies.size() == 1);
}

TEST_CASE("an environment of Windows has its libraries elsewhere") {
  MemoryFileSystem files;
  PeSpec dll;
  dll.name = "cudnn64_9.dll";
  files.add_file("/venv/Lib/site-packages/nvidia/cudnn/bin/cudnn64_9.dll", pe(dll));
  CHECK(copies(look(files)) ==
        std::vector<std::string>{"cudnn 9 prefix /venv/Lib/site-packages/nvidia/cudnn/bin/cudnn64_9.dll"});
}

TEST_CASE("toolkits say their version in one of four files") {
  auto files = healthy();
  files.add_file("/usr/local/cuda-12.4/version.json", R"({"cuda": {"name": "CUDA SDK", "version": "12.4.1"}})");
  files.add_file("/usr/local/cuda-10.2/version.txt", "CUDA Version 10.2.89\n");
  files.add_file("/usr/local/cuda-11.0/include/cuda.h", "#define CUDA_VERSION 11000\n");
  files.add_file("/usr/local/cuda-13.0/include/cuda_runtime_api.h", "#define CUDART_VERSION  13000\n");
  files.add_file("/usr/local/cuda-9.0/version.json", "[]");
  files.add_symlink("/usr/local/cuda", "cuda-12.4");
  std::vector<std::string> versions;
  for (const auto& toolkit : look(files).toolkits) versions.push_back(toolkit.path + " " + toolkit.version);
  CHECK(versions == std::vector<std::string>{"/usr/local/cuda-12.4 12.4.1", "/usr/local/cuda-10.2 10.2.89",
                                             "/usr/local/cuda-11.0 11.0", "/usr/local/cuda-13.0 13.0",
                                             "/usr/local/cuda-9.0 "});
}

TEST_CASE("the driver is told by its library, the kernel's text and a module, and held against the runtimes") {
  auto files = healthy();
  Environment environment;
  environment.variables["LD_LIBRARY_PATH"] = "/driver";
  files.add_file("/driver/libcuda.so.470.82.01", driver_library("470.82.01"));
  files.add_symlink("/driver/libcuda.so.1", "libcuda.so.470.82.01");
  auto stack = look(files, environment);
  CHECK(stack.driver.version == "470.82.01");
  CHECK(stack.driver.known_by == "/driver/libcuda.so.470.82.01");
  CHECK(has_remark(stack, "needs driver 525.60.13 or newer; this one is 470.82.01"));

  files.add_file("/lib/modules/6.1/updates/dkms/nvidia.ko", std::string("x\0version=535.104.05\0y", 22));
  stack = look(files, environment);
  CHECK(stack.driver.module_version == "535.104.05");
  CHECK(has_remark(stack, "the kernel module of 535.104.05"));
  files.add_file("/proc/driver/nvidia/version",
                 "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.82.01  Wed Oct 27\nGCC version: 12.2.0\n");
  CHECK(look(files, environment).driver.module_version == "535.104.05");
  CHECK(look(files, environment, true).driver.module_version == "470.82.01");
}

TEST_CASE("what is odd is remarked upon") {
  auto files = healthy();
  Environment environment;
  environment.variables["LD_LIBRARY_PATH"] = "/old:/none::/stubs";
  files.add_file("/old/libcudart.so.12", runtime(12040, "libcudart.so.12"));
  files.add_file("/old/libcudnn_ops.so.9",
                 library({"libcudnn_ops.so.9", "libcudnn_ops.so.9", {{"cudnnGetVersion", answer(90100)}}}));
  files.add_file("/old/libcudnn_cnn.so.9",
                 library({"libcudnn_cnn.so.9", "libcudnn_cnn.so.9", {{"cudnnGetVersion", answer(91002)}}}));
  files.add_file("/stubs/libcuda.so.1",
                 library({"libcuda.so.1", "", {{"cuInit", answer(34)}, {"cuDriverGetVersion", answer(34)}}}));
  const auto stack = look(files, environment);
  CHECK(stack.driver.version == "");
  CHECK(has_remark(stack, "libcudart.so.12 is here in 2 versions"));
  CHECK(has_remark(stack, "/old mixes parts of cuDNN from 2 releases"));
  CHECK(has_remark(stack, "/stubs/libcuda.so.1 is the toolkit's stub, and LD_LIBRARY_PATH leads to it"));
  CHECK(has_remark(stack, "LD_LIBRARY_PATH names /none, which is no folder"));
  CHECK(has_remark(stack, "LD_LIBRARY_PATH has an empty element"));
}

}  // namespace
}  // namespace cudald
