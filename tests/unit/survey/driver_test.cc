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

TEST_CASE("a kernel's module says its release in a field of its own, wherever distributions put it") {
  using namespace std::string_literals;
  const auto module = [](const std::string& folder, const std::string& bytes) {
    auto files = healthy();
    files.add_file("/lib/modules/6.1/" + folder + "/nvidia.ko", bytes);
    const auto driver = look(files).driver;
    return driver.module_version.empty() ? "none" : driver.module_version + " " + driver.module_known_by;
  };
  const auto good = "\0version=535.104.05\0"s;
  for (const std::string folder : {"updates/dkms", "updates", "extra", "extra/nvidia", "weak-updates/nvidia",
                                   "kernel/drivers/video", "kernel/drivers/video/nvidia"})
    CHECK(module(folder, good) == "535.104.05 /lib/modules/6.1/" + folder + "/nvidia.ko");
  CHECK(module("elsewhere", good) == "none");
  CHECK(module("extra", "version=535.104.05\0"s) == "none");
  CHECK(module("extra", "\0srcversion=1.2\0"s) == "none");
  CHECK(module("extra", "\0srcversion=1.2\0version=3.4\0"s) == "3.4 /lib/modules/6.1/extra/nvidia.ko");
  CHECK(module("extra", "\0version=none\0"s) == "none");
  // On the border between two blocks, and far behind it.
  for (const std::size_t at : {(1U << 20) - 70, (1U << 20) - 10, (1U << 20) + 5, 3U << 20})
    CHECK(module("extra", std::string(at, '\0') + good) == "535.104.05 /lib/modules/6.1/extra/nvidia.ko");
}

}  // namespace
}  // namespace cudald
