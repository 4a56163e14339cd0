#include <doctest/doctest.h>

#include "machine/survey/survey.h"
#include "unit/machine/survey/surveyed.h"

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

TEST_CASE("of the drivers that loaders would find the first counts that is none for linking alone") {
  auto files = healthy();
  files.add_file("/stubs/libcuda.so.1", driver_stub());
  files.add_file("/one/libcuda.so.470.82.01", driver_library("470.82.01"));
  files.add_symlink("/one/libcuda.so.1", "libcuda.so.470.82.01");
  files.add_file("/two/libcuda.so.1", driver_library("535.104.05"));
  // Its code tells nothing: its file's name does.
  files.add_file("/named/libcuda.so.550.54.14",
                 library({"libcuda.so.1", "", {{"cuInit", ""}, {"cuDriverGetVersion", ""}}}));
  files.add_symlink("/named/libcuda.so.1", "libcuda.so.550.54.14");
  files.add_file("/usr/local/nvidia/lib64/libcuda.so.1", driver_library("510.47.03"));
  const auto driver = [&](const std::string& path) {
    Environment environment;
    environment.variables["LD_LIBRARY_PATH"] = path;
    const auto found = look(files, environment).driver;
    return found.version + " " + found.known_by;
  };
  CHECK(driver("/stubs:/one:/two") == "470.82.01 /one/libcuda.so.470.82.01");
  CHECK(driver("/none:/two:/one") == "535.104.05 /two/libcuda.so.1");
  CHECK(driver("/named") == "550.54.14 /named/libcuda.so.550.54.14");
  CHECK(driver("/stubs") == "510.47.03 /usr/local/nvidia/lib64/libcuda.so.1");
}

TEST_CASE("of several kernels the first module counts that says its release, and of this machine what runs") {
  using namespace std::string_literals;
  auto files = healthy();
  files.add_file("/lib/modules/6.1/extra/nvidia.ko", "compressed");
  files.add_file("/lib/modules/6.2/extra/nvidia.ko", "\0version=535.104.05\0"s);
  files.add_file("/lib/modules/6.3/extra/nvidia.ko", "\0version=550.54.14\0"s);
  auto driver = look(files).driver;
  CHECK(driver.module_version == "535.104.05");
  CHECK(driver.module_known_by == "/lib/modules/6.2/extra/nvidia.ko");
  files.add_file("/proc/driver/nvidia/version", "no version");
  CHECK(look(files, {}, true).driver.module_version == "535.104.05");
  files.add_file("/proc/driver/nvidia/version", "Kernel Module  580.65.06  x\n");
  driver = look(files, {}, true).driver;
  CHECK(driver.module_version == "580.65.06");
  CHECK(driver.module_known_by == "/proc/driver/nvidia/version");
  CHECK(driver.version.empty());
}

TEST_CASE("the first version in a text is digits with a dot in them, without one at its end") {
  for (const auto& [text, version] :
       std::initializer_list<std::pair<const char*, const char*>>{{"Module  470.82.01  Wed", "470.82.01"},
                                                                  {"of 12, not 4.5", "4.5"},
                                                                  {"release 12.4.", "12.4"},
                                                                  {"550...", ""},
                                                                  {"...", ""},
                                                                  {"", ""},
                                                                  {"no digits", ""},
                                                                  {"1 2 3", ""},
                                                                  {"7.", ""},
                                                                  {"x1.2y", "1.2"},
                                                                  {"1.2..", "1.2"}}) {
    const auto& seen_text = text;
    CAPTURE(seen_text);
    CHECK(first_version(text) == version);
  }
}

TEST_CASE("a text of the kernel is read up to 4,096 bytes, and is empty where it cannot be") {
  MemoryFileSystem files;
  files.add_file("/text", std::string(4095, 'x') + "yz");
  files.add_file("/broken", "text", {.broken_disk = true});
  files.add_file("/closed", "text", {.readable = false});
  CHECK(read_small_text(files, "/text") == std::string(4095, 'x') + "y");
  CHECK(read_small_text(files, "/broken").empty());
  CHECK(read_small_text(files, "/closed").empty());
  CHECK(read_small_text(files, "/none").empty());
}

TEST_CASE("a module that is closed, broken, empty or too large tells nothing, and the next one is asked") {
  using namespace std::string_literals;
  const auto good = "\0version=535.104.05\0"s;
  constexpr std::uint64_t most = std::uint64_t{256} << 20;
  const auto module = [&](FileTraits traits, const std::string& bytes) {
    auto files = healthy();
    files.add_file("/lib/modules/6.1/extra/nvidia.ko", bytes, traits);
    return look(files).driver;
  };
  CHECK(module({}, good).module_version == "535.104.05");
  CHECK(module({.claimed_size = most}, good).module_version == "535.104.05");
  for (const auto& traits :
       {FileTraits{.readable = false}, FileTraits{.broken_disk = true}, FileTraits{.claimed_size = most + 1}}) {
    const auto driver = module(traits, good);
    CHECK(driver.module_version.empty());
    CHECK(driver.module_known_by == "/lib/modules/6.1/extra/nvidia.ko");
  }
  CHECK(module({}, "").module_version.empty());
  // The end of a block is the end of the file.
  CHECK(module({}, std::string(1 << 20, '\0')).module_version.empty());
  CHECK(module({}, std::string((1 << 20) - good.size(), '\0') + good).module_version == "535.104.05");
}

TEST_CASE("what lies in the driver's place and is none is passed over") {
  auto files = healthy();
  files.add_folder("/folder/libcuda.so.1");
  files.add_file("/text/libcuda.so.1", "text");
  files.add_file("/closed/libcuda.so.1", driver_library("1.2"), {.readable = false});
  files.add_file("/broken/libcuda.so.1", driver_library("1.2"), {.broken_disk = true});
  files.add_file("/plain/libcuda.so.1", elf({.soname = "libother.so"}));
  files.add_file("/runtime/libcuda.so.1", runtime(12080, "libcudart.so.12"));
  files.add_symlink("/gone/libcuda.so.1", "/nowhere");
  // One that does not say its release is kept unless a later one does.
  files.add_file("/silent/libcuda.so.1", library({"libcuda.so.1", "", {{"cuInit", ""}, {"cuDriverGetVersion", ""}}}));
  files.add_file("/good/libcuda.so.1", driver_library("535.104.05"));
  const auto driver = [&](const std::string& path) {
    Environment environment;
    environment.variables["LD_LIBRARY_PATH"] = path;
    const auto found = look(files, environment).driver;
    return found.version + " " + found.known_by;
  };
  const std::string all = "/folder:/text:/closed:/broken:/plain:/runtime:/gone:/none";
  CHECK(driver(all) == " ");
  CHECK(driver(all + ":/silent") == " /silent/libcuda.so.1");
  CHECK(driver(all + ":/silent:/good") == "535.104.05 /good/libcuda.so.1");
  CHECK(driver("/good:/silent") == "535.104.05 /good/libcuda.so.1");
}

TEST_CASE("the library of a cuda-compat package over no kernel module that is known, and remarks in full") {
  auto files = healthy();
  Environment environment;
  environment.variables["LD_LIBRARY_PATH"] = "/usr/local/cuda-12.9/compat";
  files.add_file("/usr/local/cuda-12.9/compat/libcuda.so.1", driver_library("575.57.08"));
  CHECK(look(files, environment).remarks ==
        std::vector<std::string>{
            "/usr/local/cuda-12.9/compat/libcuda.so.1 is of a package cuda-compat: forward compatibility, which works "
            "on GPUs for data centres, some RTX boards for servers and Jetson alone; on others CUDA ends with error "
            "804"});
  environment.variables["LD_LIBRARY_PATH"] = "/driver";
  files.add_file("/driver/libcuda.so.1", driver_library("575.57.08"));
  CHECK(look(files, environment).remarks.empty());
  files.add_file("/proc/driver/nvidia/version", "Kernel Module  575.57.08  x\n");
  CHECK(look(files, environment, true).remarks.empty());
  files.add_file("/proc/driver/nvidia/version", "Kernel Module  575.57.09  x\n");
  CHECK(look(files, environment, true).remarks ==
        std::vector<std::string>{"the driver library is of 575.57.08, the kernel module of 575.57.09: CUDA refuses to "
                                 "start until the module is loaded anew"});
}

TEST_CASE("of a module's release 32 characters are read, also of one that ends where a block does") {
  using namespace std::string_literals;
  const std::string digits(40, '1'), cut = "1." + digits.substr(0, 30);
  const auto release = [](const std::string& bytes) {
    MemoryFileSystem files;
    files.add_file("/lib/modules/6.1/extra/nvidia.ko", bytes);
    return look(files).driver.module_version;
  };
  CHECK(release("\0version=1."s + digits + "\0"s) == cut);
  constexpr std::size_t block = 1 << 20;
  for (const std::size_t before : {block - 43, block - 42, block - 41, block - 40, block - 33, block - 9, block - 1}) {
    CAPTURE(before);
    CHECK(release(std::string(before, '\0') + "\0version=1."s + digits + "\0"s) == cut);
  }
}

TEST_CASE("the release of a driver for Windows is the end of its files' version") {
  CHECK(windows_driver_version("31.0.15.3623") == "536.23");
  CHECK(windows_driver_version("32.0.15.6094") == "560.94");
  CHECK(windows_driver_version("1.2.3").empty());
  CHECK(windows_driver_version("").empty());
}

}  // namespace
}  // namespace cudald
