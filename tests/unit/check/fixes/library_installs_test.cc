// Who installs a missing library: conda, pip or the system.

#include <doctest/doctest.h>

#include "check/fixes/library_installs.h"
#include "unit/check/fixes/fix_text.h"

namespace cudald {
namespace {

TEST_CASE("a program of Debian takes what the system has, a module of Python takes what pip has") {
  TestWorld world;
  world.files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\nNAME=\"Debian GNU/Linux\"\n");
  const auto first_command = [&](const std::string& path) {
    return world.explain({path}).findings.at(0).fixes.at(0).command;
  };
  world.add("/opt/app", program({.needed = {"libOpenCL.so.1"}}));
  world.add(packages_folder + "pkg/_C.so", {.needed = {"libOpenCL.so.1"}});
  CHECK(first_command("/opt/app") == "sudo apt install ocl-icd-libopencl1");
  CHECK(first_command(packages_folder + "pkg/_C.so").starts_with("pip install nvidia-cuda-runtime-cu11\n"));
}

}  // namespace
}  // namespace cudald
