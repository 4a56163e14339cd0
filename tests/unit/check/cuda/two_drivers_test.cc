// The driver's library and the module of the kernel: CUD314, and of cuda-compat CUD301.

#include <doctest/doctest.h>

#include "common/built_in.h"
#include "common/fatbin_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

TestWorld with_drivers(const std::string& library, const std::string& module) {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12000));
  world.files.add_file("/lib/libcuda.so.1", cuda_driver(library));
  world.files.add_file("/proc/driver/nvidia/version",
                       "NVRM version: NVIDIA UNIX x86_64 Kernel Module  " + module + "  Sat Aug 19 2023\nGCC 12.2.0\n");
  return world;
}

TEST_CASE("a library and a module of one release are told of as little as a driver that is stated") {
  CHECK(findings(with_drivers("570.26", "570.26").explain({"/bin/app"})) == "");
  auto stated = with_drivers("570.26", "580.65.06");
  stated.query.environment.driver = "580.65.06";
  CHECK(findings(stated.explain({"/bin/app"})) == "");
}

TEST_CASE("after an update the old module is still in the kernel") {
  const auto report = with_drivers("580.65.06", "570.26").explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD314 warning libcudart.so.12: libcuda.so.1\n");
  CHECK(in_full(report) ==
        R"(CUD314 | warning | /lib/libcudart.so.12 | libcuda.so.1
  libcuda.so.1 is of driver 580.65.06, and the kernel's module of 570.26
  - the library is of driver 580.65.06 | /lib/libcuda.so.1 | proven
  - the module of the running kernel is of 570.26 | /proc/driver/nvidia/version | proven
  = It starts. The first call of CUDA fails with "system has unsupported display driver / cuda driver combination" )"
        R"((cudaErrorSystemDriverMismatch, 803), and nvidia-smi says "Driver/library version mismatch".
  > restart the machine: the kernel then loads the module of the new release | without a restart, with nothing using )"
        R"(the GPU: sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe nvidia
  > in a container: take /lib/libcuda.so.1 out of the container; the host's is mounted by: docker run --gpus all
  ! another CUDA toolkit, or another build of the program: both ask the same driver
)");
  CHECK(report.verdict == Verdict::cpu_only);
  CHECK(report.findings[0].message == "libcuda.so.1 is of driver 580.65.06, and the kernel's module of 570.26");
  CHECK(report.findings[0].fixes.front().title.starts_with("restart the machine"));
}

TEST_CASE("a container has a library of its own before the host's") {
  auto world = with_drivers("550.54.14", "570.26");
  const auto alone = world.explain({"/bin/app"});
  REQUIRE(findings(alone) == "CUD314 warning libcudart.so.12: libcuda.so.1\n");
  CHECK(alone.findings[0].fixes.front().title.starts_with("in a container: take /lib/libcuda.so.1 out"));
  world.files.add_file("/usr/local/nvidia/lib64/libcuda.so.1", cuda_driver("570.26"));
  const auto mounted = world.explain({"/bin/app"});
  CHECK(mounted.findings[0].fixes.front().command.find("LD_LIBRARY_PATH=/usr/local/nvidia/lib64") != std::string::npos);
}

TEST_CASE("a newer library of cuda-compat is forward compatibility, an older one is not") {
  auto world = with_drivers("535.104.05", "535.104.05");
  world.files.add_file("/usr/local/cuda-12.9/compat/libcuda.so.1", cuda_driver("575.57.08"));
  world.set("LD_LIBRARY_PATH", "/usr/local/cuda-12.9/compat");
  const auto newer = world.explain({"/bin/app"});
  REQUIRE(findings(newer) == "CUD301 note libcudart.so.12: 535.104.05\n");
  CHECK(newer.findings[0].fixes.front().command == "unset LD_LIBRARY_PATH");
  world.query.message = read_message("Error 804: forward compatibility was attempted on non supported HW", built_in());
  const auto pasted = world.explain({"/bin/app"});
  REQUIRE(findings(pasted) == "CUD311 warning libcudart.so.12: 535.104.05\n");
  CHECK(in_full(pasted) ==
        R"(CUD311 | warning | /lib/libcudart.so.12 | 535.104.05
  driver 535.104.05 is older than the library of it that is found; /usr/local/cuda-12.9/compat/libcuda.so.1 is of )"
        R"(driver 575.57.08: forward compatibility
  - printed: Error 804: forward compatibility was attempted on non supported HW | proven
  - the CUDA runtime (cudaErrorCompatNotSupportedOnDevice, 804) | table
  - libcuda.so.1 is of driver 575.57.08 | /usr/local/cuda-12.9/compat/libcuda.so.1 | proven
  - a package cuda-compat serves GPUs for data centres, some RTX boards for servers and Jetson, on Linux | rule | )"
        R"(NVIDIA, CUDA Compatibility
  = the libcuda.so.1 of a package cuda-compat was found first, and supports only data center GPUs, some RTX )"
        R"(server boards and Jetson; the driver below it is older than the needed CUDA.
  > take /usr/local/cuda-12.9/compat out of LD_LIBRARY_PATH: driver 535.104.05 runs CUDA 12.0 | unset LD_LIBRARY_PATH )"
        R"(| for this shell
  > take the directory compat out of LD_LIBRARY_PATH and of ld.so.conf, and install a newer driver, or a build )"
        R"(for the )"
        R"(CUDA that the driver has | )"
        R"(export LD_LIBRARY_PATH=$(printf %s "$LD_LIBRARY_PATH" | tr : '\n' | grep -v compat | paste -sd :)
)");
  CHECK(pasted.findings[0].fixes.front().command == "unset LD_LIBRARY_PATH");
  CHECK(pasted.verdict == Verdict::cpu_only);
  world.files.add_file("/usr/local/cuda-12.9/compat/libcuda.so.1", cuda_driver("530.30.02"));
  world.query.message.reset();
  CHECK(findings(world.explain({"/bin/app"})) == "CUD314 warning libcudart.so.12: libcuda.so.1\n");
}

TEST_CASE("where a GPU is required a library and a module of two releases are an error") {
  auto world = with_drivers("580.65.06", "570.26");
  world.query.require_gpu = true;
  CHECK(findings(world.explain({"/bin/app"})).starts_with("CUD314 error libcudart.so.12: libcuda.so.1\n"));
}

TEST_CASE("what is found as the driver and is none, or does not say its release, is not held against the module") {
  auto world = with_drivers("570.26", "580.65.06");
  world.files.add_file("/lib/libcuda.so.1", driver_stub());
  CHECK(in_full(world.explain({"/bin/app"}), "CUD314") == "");
  world.files.add_file("/lib/libcuda.so.1", elf({.soname = "libother.so"}));
  CHECK(in_full(world.explain({"/bin/app"}), "CUD314") == "");
  world.files.add_file("/lib/libcuda.so.1", cuda_runtime("libcudart.so.12", 12040));
  CHECK(in_full(world.explain({"/bin/app"}), "CUD314") == "");
}

TEST_CASE("a folder with the library of the module's release is to come first, and one with another is not") {
  const auto told = [](const std::string& folder, const std::string& release) {
    auto world = with_drivers("550.54.14", "570.26");
    world.files.add_file(folder + "/libcuda.so.1", cuda_driver(release));
    const auto report = world.explain({"/bin/app"});
    for (const auto& finding : report.findings)
      if (finding.code == "CUD314")
        return finding.fixes.at(0).title.starts_with("the library of the kernel's release is in " + folder + ":");
    return false;
  };
  for (const std::string folder : {"/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/x86_64-linux-gnu",
                                   "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/lib64", "/usr/lib/wsl/lib"}) {
    CHECK_MESSAGE(told(folder, "570.26"), folder);
    CHECK_FALSE_MESSAGE(told(folder, "570.27"), folder);
  }
  CHECK_FALSE(told("/opt/driver", "570.26"));
}

}  // namespace
}  // namespace cudald
