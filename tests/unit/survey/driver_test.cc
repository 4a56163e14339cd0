#include <doctest/doctest.h>

#include "unit/survey/surveyed.h"

namespace cudald {
namespace {

TEST_CASE("the driver is told by its library, the kernel's text and a module, and held against the runtimes") {
  auto files = healthy();
  Environment environment;
  environment.variables["LD_LIBRARY_PATH"] = "/driver";
  files.add_file("/driver/libcuda.so.470.82.01", driver_library("470.82.01"));
  files.add_symlink("/driver/libcuda.so.1", "libcuda.so.470.82.01");
  auto stack = look(files, environment);
  CHECK(stack.driver.version == "470.82.01");
  CHECK(stack.driver.known_by == "/driver/libcuda.so.470.82.01");
  CHECK(has_remark(stack, "needs driver 525.60.13 or newer; this one is 470.82.01"));

  files.add_file("/lib/modules/6.1/updates/dkms/nvidia.ko", std::string("x\0version=535.104.05\0y", 22));
  stack = look(files, environment);
  CHECK(stack.driver.module_version == "535.104.05");
  CHECK(has_remark(stack, "the kernel module of 535.104.05"));
  files.add_file("/proc/driver/nvidia/version",
                 "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.82.01  Wed Oct 27\nGCC version: 12.2.0\n");
  CHECK(look(files, environment).driver.module_version == "535.104.05");
  CHECK(look(files, environment, true).driver.module_version == "470.82.01");
}

TEST_CASE("the library of a cuda-compat package is no sign of an update without a restart") {
  auto files = healthy();
  Environment environment;
  environment.variables["LD_LIBRARY_PATH"] = "/usr/local/cuda-12.9/compat";
  files.add_file("/usr/local/cuda-12.9/compat/libcuda.so.575.57.08", driver_library("575.57.08"));
  files.add_symlink("/usr/local/cuda-12.9/compat/libcuda.so.1", "libcuda.so.575.57.08");
  files.add_file("/lib/modules/6.1/updates/dkms/nvidia.ko", std::string("x\0version=535.104.05\0y", 22));
  const auto stack = look(files, environment);
  CHECK(has_remark(stack, "of a package cuda-compat, over the kernel module of 535.104.05: forward compatibility"));
  CHECK_FALSE(has_remark(stack, "refuses to start"));
}

}  // namespace
}  // namespace cudald
