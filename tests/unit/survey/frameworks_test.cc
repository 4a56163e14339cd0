#include <doctest/doctest.h>

#include "unit/survey/surveyed.h"

namespace cudald {
namespace {

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

}  // namespace
}  // namespace cudald
