// What of another ABI is there, held against what is wanted: evidence of CUD102.

#include <doctest/doctest.h>

#include "unit/check/finding_text.h"
#include "unit/cuda/library_file.h"

namespace cudald {
namespace {

TEST_CASE("another release is named by its bytes, cuDNN's front by the parts beside it") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"libcudnn.so.8"}}));
  world.files.add_file("/opt/libcudnn.so.9",
                       library({"libcudnn.so.9", "libcudnn.so.9", {{"cudnnGetVersion", "\xc3"}}}));
  const auto alone = world.explain({"/bin/app"});
  REQUIRE(findings(alone) == "CUD102 error app: libcudnn.so.8\n");
  CHECK(says(alone.findings[0], "libcudnn.so.9 is cuDNN 9\n"));
  world.files.add_file("/opt/libcudnn_graph.so.9", cudnn_part("libcudnn_graph.so.9", 91002, 12090));
  CHECK(says(world.explain({"/bin/app"}).findings[0], "libcudnn.so.9 is cuDNN 9.10.2, built for CUDA 12.9\n"));
}

TEST_CASE("how many of the wanted functions the other one has is counted, by name and by version") {
  const std::string wanted = "libcudart.so.11.0";
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt",
                                 .needed = {wanted},
                                 .needs_versions = {{wanted, {{wanted}, {"older"}}}},
                                 .uses = {{.name = "cudaGetDeviceCount", .version = "older"},
                                          {.name = "cudaGetDeviceCount", .version = wanted},
                                          {.name = "cudaGetDeviceCount", .use = ElfUse::call, .version = wanted},
                                          {.name = "cudaOld", .version = wanted},
                                          {.name = "other"}}}));
  world.files.add_file("/opt/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD102 error app: libcudart.so.11.0\n");
  CHECK(says(report.findings[0],
             "of the 2 functions wanted from libcudart.so.11.0, libcudart.so.12 has 1 by name, and 0 in version "
             "libcudart.so.11.0"));
}

TEST_CASE("if the requester names no version, another one that asks is compared") {
  const std::string wanted = "libcudart.so.11.0";
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt", .needed = {wanted, "liba.so"}}));
  world.add(
      "/opt/liba.so",
      {.needed = {wanted}, .needs_versions = {{wanted, {{wanted}}}}, .uses = {{.name = "cudaOld", .version = wanted}}});
  world.files.add_file("/opt/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report).starts_with("CUD102 error app: libcudart.so.11.0\n"));
  CHECK(says(report.findings[0], "of the 1 functions wanted from libcudart.so.11.0 by liba.so, libcudart.so.12 has 0"));
}

TEST_CASE("which releases a name serves is told, and the driver that they need") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.11.0"}}));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD101 error app: libcudart.so.11.0\n");
  CHECK(says(report.findings[0],
             "libcudart.so.11.0 is the name in CUDA 11.0 to 11.8, which needs driver 450.80.02 or newer"));
}

}  // namespace
}  // namespace cudald
