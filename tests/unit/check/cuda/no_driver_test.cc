// Software for GPUs where there is no driver: CUD310.

#include <doctest/doctest.h>

#include "common/fatbin_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

TestWorld without_driver() {
  TestWorld world;
  world.query.environment.any_driver = false;
  return world;
}

TestWorld with_runtime() {
  auto world = without_driver();
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  return world;
}

TEST_CASE("a runtime without a driver is on the CPU only, and fails where the GPU is required") {
  auto world = with_runtime();
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD310 warning libcudart.so.12: libcuda.so.1\n");
  CHECK(in_full(report) ==
        R"(CUD310 | warning | /lib/libcudart.so.12 | libcuda.so.1
  no NVIDIA driver here (libcuda.so.1 is not found in any directory the loader searches)
  - libcudart.so.12, CUDA runtime 12.4: it opens libcuda.so.1 when the GPU is first used | /lib/libcudart.so.12 | )"
        R"(rule | CUDA C++ Programming Guide
  - to judge for a machine that has a driver: --driver VERSION | rule
  = It starts. The first call of CUDA fails with "CUDA driver version is insufficient for CUDA runtime version" (35) )"
        R"(or "no CUDA-capable device is detected" (100); frameworks then see no GPU and use the CPU.
  > in a container the driver is the host's | docker run --gpus all IMAGE | needs the NVIDIA Container Toolkit on the )"
        R"(host
  > libcuda.so.1 belongs to the NVIDIA driver; on Debian | sudo apt install nvidia-driver | needs the non-free )"
        R"(component and a machine with an NVIDIA GPU
  ! a CUDA toolkit or NVIDIA's packages for pip or conda: none of them has the driver
)");
  CHECK(report.verdict == Verdict::cpu_only);
  CHECK(
      report.headline ==
      "app cannot use the GPU: no NVIDIA driver here (libcuda.so.1 is not found in any directory the loader searches)");
  world.query.require_gpu = true;
  const auto required = world.explain({"/bin/app"});
  REQUIRE(findings(required) == "CUD310 error libcudart.so.12: libcuda.so.1\n");
  CHECK(required.verdict == Verdict::fails);
  CHECK(required.headline == report.headline);
}

TEST_CASE("a driver that is found, stated or taken for granted is one") {
  auto world = with_runtime();
  world.query.environment.driver = "550.54.14";
  CHECK(findings(world.explain({"/bin/app"})) == "");
  world.query.environment.driver.clear();
  world.query.environment.any_driver = true;
  CHECK(findings(world.explain({"/bin/app"})) == "");
  world.query.environment.any_driver = false;
  world.add("/opt/driver/libcuda.so.1", {.soname = "libcuda.so.1"});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD310 warning libcudart.so.12: libcuda.so.1\n");
  world.set("LD_LIBRARY_PATH", "/opt/driver");
  CHECK(findings(world.explain({"/bin/app"})) == "");
}

TEST_CASE("a runtime that was linked in asks for the driver, what only names it does not") {
  auto world = without_driver();
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.files.add_file("/lib/liba.so", with_linked_runtime(12040));
  CHECK(findings(world.explain({"/bin/app"})) == "CUD310 warning liba.so: libcuda.so.1\n");
  world.add("/lib/liba.so", {.soname = "liba.so"});
  CHECK(findings(world.explain({"/bin/app"})) == "");
}

TEST_CASE("the toolkit's stub is no driver, and is told as that") {
  auto world = with_runtime();
  world.files.add_file("/stubs/libcuda.so.1", driver_stub());
  world.set("LD_LIBRARY_PATH", "/stubs");
  CHECK(findings(world.explain({"/bin/app"})) == "CUD309 warning libcudart.so.12: libcuda.so.1\n");
}

TEST_CASE("a driver that lies where no loader looks is told with its folder") {
  auto world = with_runtime();
  world.add("/usr/lib/wsl/lib/libcuda.so.1", {.soname = "libcuda.so.1"});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD310 warning libcudart.so.12: libcuda.so.1\n");
  CHECK(report.findings[0].message ==
        "the NVIDIA driver's library is in /usr/lib/wsl/lib, which the loader does not search");
  CHECK(report.findings[0].fixes.front().command.find("export LD_LIBRARY_PATH=/usr/lib/wsl/lib") == 0);
  CHECK(report.findings[0].fixes.front().title ==
        "for this shell only: the driver's library is there, but not on the search path");
}

TEST_CASE("a driver that a program needs itself and that is not there is told as the missing library") {
  auto world = without_driver();
  world.add("/bin/app", program({.needed = {"libcuda.so.1"}}));
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error app: libcuda.so.1\n");
  CHECK(in_full(world.explain({"/bin/app"})) ==
        R"(CUD101 | error | /bin/app | libcuda.so.1
  libcuda.so.1 is not found in any directory the loader searches
  = The program does not start: libcuda.so.1: cannot open shared object file: No such file or directory
  > in a container the driver is the host's | docker run --gpus all IMAGE | needs the NVIDIA Container Toolkit on the )"
        R"(host
  > libcuda.so.1 belongs to the NVIDIA driver; on Debian | sudo apt install nvidia-driver | needs the non-free )"
        R"(component and a machine with an NVIDIA GPU
  ! the toolkit's stubs/libcuda.so: it is for linking only and answers every call with an error
)");
}

TEST_CASE("the machines of docs/gpu-verdicts.md, with a stand-in for a framework") {
  struct Row {
    std::string driver;
    std::vector<GpuArchitecture> gpus;
    Verdict verdict, required;
  };
  const Row rows[] = {
      {"", {}, Verdict::cpu_only, Verdict::fails},
      {"450.51", {}, Verdict::cpu_only, Verdict::fails},
      {"580.65.06", {}, Verdict::loads, Verdict::loads},
      {"580.65.06", {{35, 0}}, Verdict::risk, Verdict::fails},
      {"580.65.06", {{130, 0}}, Verdict::risk, Verdict::fails},
  };
  auto world = without_driver();
  world.add("/bin/app", program({.needed = {"libframe.so", "libcudart.so.12"}}));
  world.files.add_file("/lib/libframe.so", gpu_library({.soname = "libframe.so"}, {{2, 70}, {2, 90}}));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  for (const auto& row : rows) {
    CAPTURE(row.driver);
    world.query.environment.driver = row.driver;
    world.query.gpus = row.gpus;
    world.query.require_gpu = false;
    CHECK(world.explain({"/bin/app"}).verdict == row.verdict);
    world.query.require_gpu = true;
    CHECK(world.explain({"/bin/app"}).verdict == row.required);
  }
}

TEST_CASE("what needs the driver itself calls it as well, and what is told as a failure is told once") {
  auto world = without_driver();
  world.add("/bin/app", program({}));
  world.add("/opt/libneeds.so", {.soname = "libneeds.so", .needed = {"libcuda.so.1"}});
  world.query.dlopens = {{.name = "/opt/libneeds.so", .traits = {.optional = true}}};
  CHECK(in_full(world.explain({"/bin/app"}), "CUD310") ==
        R"(CUD310 | warning | /opt/libneeds.so | libcuda.so.1
  no NVIDIA driver here (libcuda.so.1 is not found in any directory the loader searches)
  - libneeds.so needs libcuda.so.1 | /opt/libneeds.so | proven
  - to judge for a machine that has a driver: --driver VERSION | rule
  = It starts. The first call of CUDA fails with "CUDA driver version is insufficient for CUDA runtime version" )"
        R"((35) or "no CUDA-capable device is detected" (100); frameworks then see no GPU and use the CPU.
  > in a container the driver is the host's | docker run --gpus all IMAGE | needs the NVIDIA Container Toolkit )"
        R"(on the host
  > libcuda.so.1 belongs to the NVIDIA driver; on Debian | sudo apt install nvidia-driver | needs the non-free )"
        R"(component and a machine with an NVIDIA GPU
  ! a CUDA toolkit or NVIDIA's packages for pip or conda: none of them has the driver
)");
  world.query.dlopens[0].traits.optional = false;
  CHECK(in_full(world.explain({"/bin/app"}), "CUD310") == "");
  // An error about something else is no reason to keep silent.
  auto other = with_runtime();
  other.add("/bin/app", program({.needed = {"libcudart.so.12", "libnone.so"}}));
  CHECK(in_full(other.explain({"/bin/app"}), "CUD310") != "");
}

TEST_CASE("a driver that is loaded or stated, or counted on, is there") {
  auto world = with_runtime();
  world.add("/bin/app", program({.runpath = "/driver", .needed = {"libcuda.so.1", "libcudart.so.12"}}));
  world.add("/driver/libcuda.so.1", {.soname = "libcuda.so.1"});
  CHECK(in_full(world.explain({"/bin/app"}), "CUD310") == "");
  auto stated = with_runtime();
  stated.query.environment.driver = "580.65.06";
  CHECK(in_full(stated.explain({"/bin/app"}), "CUD310") == "");
  auto any = with_runtime();
  any.query.environment.any_driver = true;
  CHECK(in_full(any.explain({"/bin/app"}), "CUD310") == "");
}

TEST_CASE("callers of the driver: runtimes, loaded or later, what one is linked into, and what misses the driver") {
  auto report = made_report({made_object("/bin/app"), made_cuda("/a", CudaKind::cudart, "12.4", 12),
                             made_cuda("/b", CudaKind::cudart, "12.4", 12), made_object("/c"), made_object("/d"),
                             made_cuda("/e", CudaKind::cublas, "12.4", 12)});
  auto& objects = report.resolution.objects;
  CudaLibrary linked = *objects[2].cuda;
  linked.is_static = true;
  objects[2].cuda = std::make_shared<CudaLibrary>(linked);
  objects[3].edges = {made_edge("libcuda.so.1", EdgeStatus::missing), made_edge("libother.so", EdgeStatus::missing)};
  objects[4].edges = {made_edge("libcuda.so.1", EdgeStatus::loaded, 0), made_edge("libother.so", EdgeStatus::missing)};
  CHECK(callers_of_driver(report) == std::vector<ObjectId>{1, 2, 3});
  objects[2].unmapped = true;
  CHECK(callers_of_driver(report) == std::vector<ObjectId>{1, 3});
}

}  // namespace
}  // namespace cudald
