// Which release of a CUDA library has the function that is missing: CUD201.

#include <doctest/doctest.h>

#include "unit/check/finding_text.h"
#include "unit/cuda/library_file.h"

namespace cudald {
namespace {

/// A file that calls a function of libcudart.so.12 in that version.
ElfSpec calling(const std::string& function) {
  const std::string cudart = "libcudart.so.12";
  return program(
      {.needed = {cudart}, .needs_versions = {{cudart, {{cudart}}}}, .uses = {{.name = function, .version = cudart}}});
}

TEST_CASE("a function that came with a later release is dated, and the package that has it is named") {
  TestWorld world;
  world.add("/bin/app", calling("cudaGetKernel"));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12000));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD201 error app: cudaGetKernel\n");
  const auto& finding = report.findings[0];
  CHECK(
      finding.message ==
      "app needs the symbol cudaGetKernel, and libcudart.so.12 here is CUDA runtime 12.0: cudaGetKernel is first seen "
      "in 12.1");
  CHECK(says(finding, "cudaGetKernel is first seen in 12.1 of the releases of libcudart.so.12"));
  CHECK(says(finding, "\nlibcudart.so.12 is CUDA runtime 12.0\n"));
  CHECK(says(finding, "pip install 'nvidia-cuda-runtime-cu12>=12.1'"));
  CHECK(says(finding, "for this shell; it then comes before /lib"));
  CHECK(says(finding, "not: a symlink or another copy of the same release: cudaGetKernel is not in it"));
}

TEST_CASE("where pip put the library, its newer release takes the same place") {
  TestWorld world;
  const std::string folder = "/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib";
  auto app = calling("cudaGetKernel");
  app.runpath = folder;
  world.add("/bin/app", app);
  world.files.add_file(folder + "/libcudart.so.12", cuda_runtime("libcudart.so.12", 12000));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD201 error app: cudaGetKernel\n");
  CHECK(says(report.findings[0], "\npip install 'nvidia-cuda-runtime-cu12>=12.1'\n\n"));
}

TEST_CASE("of several functions the newest tells the release") {
  TestWorld world;
  auto app = calling("cudaGetKernel");
  app.uses.push_back({.name = "cudaGraphAddNode", .version = "libcudart.so.12"});
  world.add("/bin/app", app);
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12000));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].message ==
        "app needs 2 symbols, and libcudart.so.12 here is CUDA runtime 12.0: cudaGraphAddNode is first seen in 12.2");
}

TEST_CASE("a function that no release is known for is told as any other") {
  TestWorld world;
  world.add("/bin/app", calling("cudaNoSuchThing"));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12000));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD201 error app: cudaNoSuchThing\n");
  CHECK(report.findings[0].message == "app needs the symbol cudaNoSuchThing, which nothing in the process defines");
}

TEST_CASE("a library of LD_LIBRARY_PATH that comes before one with the function is taken out of the way") {
  TestWorld world;
  const std::string name = "libnvJitLink.so.12", function = "__nvJitLinkAddData_12_1";
  auto app = program({.needed = {name}, .needs_versions = {{name, {{name}}}}, .uses = {{function, ElfUse::call}}});
  app.runpath = "/new";
  app.uses.front().version = name;
  world.add("/bin/app", app);
  world.add("/old/" + name, {.soname = name, .defines_versions = {{name}}});
  world.add("/new/" + name, {.soname = name, .defines_versions = {{name}}});
  world.set("LD_LIBRARY_PATH", "/old");
  const auto nowhere = world.explain({"/bin/app"});
  REQUIRE(nowhere.findings[0].code == "CUD201");
  CHECK_FALSE(says(nowhere.findings[0], "unset LD_LIBRARY_PATH"));
  world.add("/new/" + name,
            {.soname = name, .defines_versions = {{name}}, .defines = {{.name = function, .version = name}}});
  const auto later = world.explain({"/bin/app"});
  REQUIRE(later.findings[0].code == "CUD201");
  CHECK(later.findings[0].fixes.front().command == "unset LD_LIBRARY_PATH");
  CHECK(says(later.findings[0], "/new/libnvJitLink.so.12 has it, and comes later in the search"));
}

}  // namespace
}  // namespace cudald
