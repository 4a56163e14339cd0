// What pip has for a missing library.

#include <doctest/doctest.h>

#include "check/fixes/python_library.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/fixes/fix_text.h"

namespace cudald {
namespace {

TEST_CASE("pip of the environment installs the package that carries the file, and where it lands is told") {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.add(packages_folder + "pkg/_C.so", {.needed = {"libcudart.so.12"}});
  const auto carried = world.explain({packages_folder + "pkg/_C.so"});
  REQUIRE(findings(carried) == "CUD101 error _C.so: libcudart.so.12\n");
  CHECK(commands(carried.findings[0]) ==
        "/venv/bin/python -m pip install nvidia-cuda-runtime-cu12\n"
        "export LD_LIBRARY_PATH=" +
            packages_folder + "nvidia/cuda_runtime/lib" + rest_of_path);
  // Where the file's own RUNPATH leads there, nothing else is needed.
  world.add(packages_folder + "pkg/_C.so",
            {.runpath = "$ORIGIN/../nvidia/cuda_runtime/lib", .needed = {"libcudart.so.12"}});
  CHECK(commands(world.explain({packages_folder + "pkg/_C.so"}).findings[0]) ==
        "/venv/bin/python -m pip install nvidia-cuda-runtime-cu12\n");
}

TEST_CASE("a wheel that was given without what it requires wants these wheels") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  // Otherwise what it requires is assumed to be installed beside it.
  world.files.add_file("/venv/pyvenv.cfg", "");
  world.files.add_folder("/venv/lib/python3.11/site-packages");
  world.query.prefix = "/venv";
  world.files.add_file(
      path, wheel_file({{"pkg/__init__.py", "from . import _C\n"}, {"pkg/_C.so", elf({.needed = {"libcudart.so.12"}})}},
                       "Requires-Dist: numpy\nRequires-Dist: nvidia-cuda-runtime-cu12 (==12.8.90)\n"));
  const auto report = world.explain({path});
  REQUIRE(report.findings.size() == 1);
  const auto& shown = report.findings[0].evidence.back();
  CHECK(shown.text == "pkg requires nvidia-cuda-runtime-cu12==12.8.90, which provides it, and which is not given here");
  CHECK(shown.basis == Basis::proven);
  CHECK(commands(report.findings[0]) == "pip download -d wheels " + path + "\ncudald " + path + " --with wheels\n");
}

TEST_CASE("what a wheel requires of others than those that carry the library is no help") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(
      path, wheel_file({{"pkg/__init__.py", "from . import _C\n"}, {"pkg/_C.so", elf({.needed = {"libcudart.so.12"}})}},
                       "Requires-Dist: numpy\nRequires-Dist: ;;\n"));
  const auto report = world.explain({path});
  REQUIRE(report.findings.size() == 1);
  CHECK(fixes_of(report) ==
        R"(nvidia-cuda-runtime-cu12 provides exactly this file | pip install nvidia-cuda-runtime-cu12
site=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LD_LIBRARY_PATH=$site/nvidia/cuda_runtime/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | it lands in )"
        R"(site-packages/nvidia/cuda_runtime/lib, which is not on the search path
)");
}

}  // namespace
}  // namespace cudald
