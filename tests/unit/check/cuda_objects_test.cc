// How what is loaded of CUDA is gathered and named; the checks of CUDA stand on it.

#include <doctest/doctest.h>

#include "common/fatbin_file.h"
#include "unit/check/finding_text.h"
#include "unit/cuda/library_file.h"

namespace cudald {
namespace {

TEST_CASE("of many users three are named and the rest is counted") {
  TestWorld world;
  world.query.symbols = SymbolCheck::none;
  std::vector<ElfNeeded> users;
  for (const std::string name : {"liba.so", "libb.so", "libc.so", "libd.so", "libe.so"}) {
    users.emplace_back(name);
    world.add("/opt/" + name, {.needed = {"libcudart.so.12"}});
  }
  users.emplace_back("libz.so");
  world.add("/opt/libz.so", {.needed = {"libcudart.so.11.0"}});
  world.add("/bin/app", program({.runpath = "/opt", .needed = users}));
  world.files.add_file("/lib/libcudart.so.11.0", cuda_runtime("libcudart.so.11.0", 11080));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD303 note libcudart.so.11.0: libcudart.so.11.0\n");
  CHECK(in_full(report) ==
        R"(CUD303 | note | /lib/libcudart.so.11.0 | libcudart.so.11.0
  two CUDA runtimes in one process, libcudart.so.12, CUDA runtime 12.4 and libcudart.so.11.0, CUDA runtime 11.8, kept )"
        R"(apart
  - libcudart.so.12, CUDA runtime 12.4: used by liba.so, libb.so, libc.so and 2 more | /lib/libcudart.so.12 | proven
  - libcudart.so.11.0, CUDA runtime 11.8: used by libz.so | /lib/libcudart.so.11.0 | proven
)" + two_runtimes_kept_apart);
  CHECK(says(report.findings[0], "libcudart.so.11.0, CUDA runtime 11.8: used by libz.so\n"));
  CHECK(says(report.findings[0], "libcudart.so.12, CUDA runtime 12.4: used by liba.so, libb.so, libc.so and 2 more\n"));
}

TEST_CASE("a runtime that came and went with a failed dlopen is none of the process's") {
  TestWorld world;
  world.query.symbols = SymbolCheck::none;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.11.0", cuda_runtime("libcudart.so.11.0", 11080));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  world.add("/lib/libplugin.so", {.needed = {"libcudart.so.11.0"}});
  world.query.dlopens = {{.name = "libplugin.so"}};
  CHECK(findings(world.explain({"/bin/app"})) == "CUD303 note libcudart.so.11.0: libcudart.so.11.0\n");
  world.add("/lib/libplugin.so", {.needed = {"libcudart.so.11.0", "libnone.so"}});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error libplugin.so: libnone.so\n");
  CHECK(in_full(world.explain({"/bin/app"})) ==
        R"(CUD101 | error | /lib/libplugin.so | libnone.so
  libnone.so is in no folder that the loader searches
  = The dlopen fails as a whole: libnone.so: cannot open shared object file: No such file or directory
  > find the package that carries it | apt-file search --regexp '/libnone.so$' | needs: sudo apt install apt-file && )"
        R"(sudo apt-file update
)");
}

TEST_CASE("NVIDIA's own libraries do not speak for the GPUs of a framework") {
  TestWorld world;
  world.query.prefix = "/venv";
  const std::string site = "/venv/lib/python3.11/site-packages/";
  world.files.add_file(site + "frame/__init__.py", "from . import _C\n");
  world.files.add_file(site + "frame/_C.so",
                       gpu_library({.runpath = "$ORIGIN", .needed = {"libcufft.so.11", "libown.so"}}, {{2, 80}}));
  world.files.add_file(site + "frame/libcufft.so.11", gpu_library({}, {{2, 50}, {2, 60}, {2, 70}}));
  world.files.add_file(site + "frame/libown.so", gpu_library({}, {{2, 90}, {2, 100}, {1, 100}}));
  CHECK(world.explain({"py:frame"}).headline ==
        "`import frame` works and maps 4 files (Python 3.11); GPU code for sm_90, sm_100, newer by PTX of sm_100");
}

}  // namespace
}  // namespace cudald
