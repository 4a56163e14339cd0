#include "knowledge/framework_builds.h"

#include <doctest/doctest.h>

using namespace cudald;

TEST_CASE("which builds of a framework there are, and for which GPUs") {
  std::string labels;
  for (const auto& build : index_builds_of("torch"))
    if (is_of_release(build, "2.8.0+cu128")) labels += build.label + " ";
  CHECK(labels == "cu126 cu128 cu129 ");
  CHECK(index_builds_of("numpy").empty());
  for (const auto& build : index_builds_of("torch")) {
    if (build.label == "cu126") CHECK(is_of_release(build, "2.13.0"));
    if (build.label == "cu126") CHECK(build.serves({61, 0}));
    if (build.label == "cu130") CHECK_FALSE(build.serves({70, 0}));
    if (build.label == "cu124") CHECK_FALSE(build.serves({120, 0}));
  }
}

TEST_CASE("which builds alone have a library") {
  CHECK(builds_with_library("torch", "libtorch_hip.so")->called == "ROCm");
  CHECK(builds_with_library("torch", "libc10_cuda.so")->labels == "cu*");
  CHECK_FALSE(builds_with_library("torch", "libtorch_cpu.so"));
}

TEST_CASE("an index that has builds for one release of a framework") {
  CHECK(index_for_release("torch-scatter", "torch", "1.13.1+cu117", "cu117") ==
        "--find-links https://data.pyg.org/whl/torch-1.13.1+cu117.html");
  CHECK(index_for_release("torch-scatter", "torch", "1.13.1", "").empty());
  CHECK(index_for_release("xformers", "torch", "2.2.0", "cu121").empty());
  CHECK(setting_that_compiles("flash-attn") == "FLASH_ATTENTION_FORCE_BUILD=TRUE");
  CHECK(setting_that_compiles("xformers").empty());
}

TEST_CASE("distributions that are released in step") {
  CHECK(companion_release("torchaudio", "1.13.1") == "0.13");
  CHECK(companion_release("torchaudio", "2.9.0+cu128") == "2.9");
  CHECK(companion_release("torchvision", "1.13.1") == "0.14");
  CHECK(companion_release("torchvision", "2.14") == "0.29");
  CHECK(companion_release("torchvision", "3.0").empty());
  CHECK(companion_release("numpy", "2.0").empty());
  CHECK(framework_release("torchvision", "0.14.1") == "1.13");
  CHECK(framework_release("torchvision", "0.20.1+cu121") == "2.5");
  CHECK(framework_release("torchaudio", "0.12.0") == "1.12");
  CHECK(framework_release("torchaudio", "2.1.2") == "2.1");
  CHECK(companion_of("torchaudio")->framework == "torch");
  CHECK_FALSE(companion_of("torch"));
  CHECK(companion_release("torchtext", "2.3.1") == "0.18");
  CHECK(companion_release("torchtext", "2.4.0").empty());
  CHECK(framework_release("torchtext", "0.18.0") == "2.3");
  CHECK(companions_of("torch").size() == 3);
}
TEST_CASE("the distribution that a compiled module beside its package is of") {
  CHECK(distribution_compiled_as("flash_attn_2_cuda") == "flash-attn");
  CHECK(distribution_compiled_as("flash_attn").empty());
}
