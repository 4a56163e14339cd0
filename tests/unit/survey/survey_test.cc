#include <doctest/doctest.h>

#include "common/pe_builder.h"
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

}  // namespace
}  // namespace cudald
