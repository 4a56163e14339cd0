// Builds for the CUDA that is installed, of what asks for another.

#include <doctest/doctest.h>

#include "check/fixes/cuda_build.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/fixes/fix_text.h"

namespace cudald {
namespace {

TEST_CASE("where another CUDA is installed, the build for that comes first") {
  TestWorld world;
  world.files.add_file(packages_folder + "onnxruntime_gpu-1.18.1.dist-info/METADATA",
                       "Name: onnxruntime-gpu\nVersion: 1.18.1\n");
  world.files.add_file(packages_folder + "onnxruntime_gpu-1.18.1.dist-info/RECORD", "onnxruntime/capi/libp.so,,\n");
  world.add(packages_folder + "onnxruntime/capi/libp.so", {.needed = {"libcublas.so.11"}});
  world.add(packages_folder + "nvidia/cublas/lib/libcublas.so.12", {.soname = "libcublas.so.12"});
  const auto report = world.explain({packages_folder + "onnxruntime/capi/libp.so"});
  REQUIRE(findings(report) == "CUD102 error libp.so: libcublas.so.11\n");
  CHECK(
      commands(report.findings[0]).starts_with("pip install 'onnxruntime-gpu>=1.21.0,<=1.26.0'\npip install nvidia-"));
  CHECK(in_full(report).find("  - onnxruntime-gpu 1.21.0 to 1.26.0 is built for CUDA 12") != std::string::npos);
  CHECK(in_full(report).find(" | table\n", in_full(report).find("is built for CUDA 12")) != std::string::npos);
}

/// What is told of a library of onnxruntime-gpu that misses cuBLAS, beside these libraries.
std::string onnxruntime_told(const std::string& version, const std::string& needed,
                             const std::vector<std::string>& beside, const std::string& requires_dist = "",
                             std::uint16_t machine = EM_X86_64) {
  TestWorld world;
  const auto info = packages_folder + "onnxruntime_gpu-" + version + ".dist-info/";
  world.files.add_file(info + "METADATA", "Name: onnxruntime-gpu\nVersion: " + version + "\n" + requires_dist);
  world.files.add_file(info + "RECORD", "onnxruntime/capi/libp.so,,\n");
  world.add(packages_folder + "onnxruntime/capi/libp.so", {.needed = {needed}});
  for (const auto& name : beside)
    world.add(packages_folder + "nvidia/cublas/lib/" + name, {.machine = machine, .soname = name});
  const auto text = commands(world.explain({packages_folder + "onnxruntime/capi/libp.so"}).findings.at(0));
  return text.substr(0, text.find('\n'));
}

TEST_CASE(
    "a build for the CUDA that is installed comes first only where there is one and the requester is for another") {
  const std::string eleven = "libcublas.so.11", twelve = "libcublas.so.12";
  CHECK(onnxruntime_told("1.18.1", eleven, {twelve}) == "pip install 'onnxruntime-gpu>=1.21.0,<=1.26.0'");
  CHECK(onnxruntime_told("1.18.1", eleven, {twelve}, "", EM_AARCH64) == "pip install nvidia-cublas-cu11");
  CHECK(onnxruntime_told("1.18.1", eleven, {"libcublas.so.10"}) == "pip install nvidia-cublas-cu11");
  CHECK(onnxruntime_told("1.18.1", "libcublas.so.11.5", {"libcublas.so.11"}).find("onnxruntime-gpu") ==
        std::string::npos);
  // What the package itself requires comes before another release of it.
  CHECK(onnxruntime_told("1.18.1", eleven, {twelve}, "Requires-Dist: nvidia-cublas-cu11==11.11.3.6\n") ==
        "pip install nvidia-cublas-cu11==11.11.3.6");
}

TEST_CASE("a project that names its builds after CUDA is taken in the one for the CUDA that is installed") {
  TestWorld world;
  const auto info = packages_folder + "cupy_cuda11x-13.0.0.dist-info/";
  world.files.add_file(info + "METADATA", "Name: cupy-cuda11x\nVersion: 13.0.0\n");
  world.files.add_file(info + "RECORD", "cupy/cublas.so,,\n");
  world.add(packages_folder + "cupy/cublas.so", {.needed = {"libcublas.so.11"}});
  world.add(packages_folder + "nvidia/cublas/lib/libcublas.so.12", {.soname = "libcublas.so.12"});
  const auto report = world.explain({packages_folder + "cupy/cublas.so"});
  REQUIRE(findings(report) == "CUD102 error cublas.so: libcublas.so.11\n");
  CHECK(commands(report.findings[0]).starts_with("pip uninstall -y cupy-cuda11x\npip install cupy-cuda12x\n"));
  CHECK(report.findings[0].message.ends_with("; cupy-cuda11x 13.0.0 is built for CUDA 11, and CUDA 12 is installed"));
}

}  // namespace
}  // namespace cudald
