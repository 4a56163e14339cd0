#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "common/world.h"
#include "unit/env/cache_file.h"
#include "unit/survey/surveyed.h"

namespace cudald {
namespace {

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

TEST_CASE("of this system the libraries of the loader's cache count, with the folders that they are in") {
  auto files = healthy();
  files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.31", {"/lib64", "/usr/lib64"}));
  files.add_file("/opt/cuda/libcudart.so.12", runtime(12040, "libcudart.so.12"));
  files.add_file("/usr/lib64/libcudart.so.11.0", runtime(11080, "libcudart.so.11.0"));
  files.add_file("/etc/ld.so.cache", new_cache({{"libcudart.so.12", "/opt/cuda/libcudart.so.12"},
                                                {"libother.so.1", "/opt/other/libother.so.1"}}));
  Environment environment;
  environment.cpu = x86_64_cpu(3);
  const auto stack = look(files, environment);
  CHECK(stack.platform == "linux-x86_64");
  CHECK(stack.libc == "glibc-2.31");
  CHECK(stack.x86_64_level == 3);
  const auto all = copies(stack);
  CHECK(std::find(all.begin(), all.end(), "cudart 12.4 cache /opt/cuda/libcudart.so.12") != all.end());
  CHECK(std::find(all.begin(), all.end(), "cudart 11.8 system-folder /usr/lib64/libcudart.so.11.0") != all.end());
}

TEST_CASE("the models of GPUs are those that the driver tells of this machine") {
  auto files = healthy();
  files.add_file("/proc/driver/nvidia/gpus/0000:01:00.0/information",
                 "Model: \t NVIDIA H100 PCIe\nIRQ:   100\nModel:\n");
  CHECK(look(files, {}, true).gpu_models == std::vector<std::string>{"NVIDIA H100 PCIe", ""});
}

}  // namespace
}  // namespace cudald
