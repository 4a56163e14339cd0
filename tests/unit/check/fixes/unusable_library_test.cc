// Files at which a search ends.

#include <elf.h>

#include <doctest/doctest.h>

#include "check/fixes/unusable_library.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/fixes/fix_text.h"

namespace cudald {
namespace {

TEST_CASE("a file that stops the search is not touched: a good one comes before it, or replaces it") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/a", .needed = {"libx.so.1"}}));
  world.files.add_file("/a/libx.so.1", "");
  const auto alone = world.explain({"/bin/app"});
  REQUIRE(findings(alone) == "CUD112 error app: libx.so.1\n");
  CHECK(in_full(alone) ==
        R"(CUD112 | error | /bin/app | libx.so.1
  libx.so.1 is found at /a/libx.so.1, but that file cannot be loaded: file too short; it is empty
  - is in /a/libx.so.1 (not an ELF file) | /a/libx.so.1 | proven
  - it is empty | /a/libx.so.1 | proven
  = The program does not start: /a/libx.so.1: file too short
  > replace /a/libx.so.1 with a usable libx.so.1
  ! another copy later in the search: the loader stops at the first bad file
)");
  CHECK(commands(alone.findings[0]) == "\n");  // nothing to type
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  CHECK(commands(world.explain({"/bin/app"}).findings[0]) ==
        "export LD_LIBRARY_PATH=/usr/local/cuda/lib64" + rest_of_path);
  // What a DT_RPATH leads to comes before LD_LIBRARY_PATH.
  world.add("/bin/app", program({.rpath = "/a", .needed = {"libx.so.1"}}));
  CHECK(commands(world.explain({"/bin/app"}).findings[0]) == "cp /usr/local/cuda/lib64/libx.so.1 /a/libx.so.1\n");
}

TEST_CASE("a file that stops the search of a relative folder is itself no other one that would do") {
  // Relative, as the search path is: what lies there is the file itself, and no other one.
  TestWorld relative;
  relative.query.environment.cwd = "/a";
  relative.add("/bin/app", program({.runpath = "../a/.", .needed = {"libcudart.so.12"}}));
  relative.files.add_file("/a/libcudart.so.12", "");
  CHECK(fixes_of(relative.explain({"/bin/app"})) ==
        R"(nvidia-cuda-runtime-cu12 provides exactly this file | pip install nvidia-cuda-runtime-cu12
site=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LD_LIBRARY_PATH=$site/nvidia/cuda_runtime/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | it lands in )"
        R"(site-packages/nvidia/cuda_runtime/lib, which is not on the search path
)");
}

TEST_CASE("an empty file in the place of the driver is what an image keeps of a container") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcuda.so.1"}}));
  world.files.add_file("/usr/lib/libcuda.so.1", "");
  world.files.add_file("/.dockerenv", "");
  const auto finding = world.explain({"/bin/app"}).findings.at(0);
  CHECK(says(finding, "it is empty, as in an image of a container that used the driver of its host"));
  CHECK(finding.fixes.at(0).command == "docker run --gpus all IMAGE");
}

TEST_CASE("an empty file of CUDA in a container on a Jetson is to come from the device") {
  TestWorld world;
  world.add("/opt/libapp.so", {.machine = EM_AARCH64, .runpath = "/a", .needed = {"libnvinfer.so.7"}});
  world.files.add_file("/a/libnvinfer.so.7", "");
  const auto command = [&] { return commands(world.explain({"/opt/libapp.so"}).findings.at(0)); };
  CHECK(command().find("jetpack") == std::string::npos);
  world.files.add_file("/.dockerenv", "");
  CHECK(command() == "sudo apt update && sudo apt install nvidia-jetpack\n\n");
}

}  // namespace
}  // namespace cudald
