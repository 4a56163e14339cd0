// The driver that was stated: CUD301, and a stub in its place: CUD309.

#include <doctest/doctest.h>

#include "common/fatbin_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

/// A program with a runtime of this release on a machine with this driver.
Report with_driver(const std::string& driver, const std::string& soname, std::uint32_t release,
                   bool require_gpu = false) {
  TestWorld world;
  world.add("/bin/app", program({.needed = {soname}}));
  world.files.add_file("/lib/" + soname, cuda_runtime(soname, release));
  world.query.environment.driver = driver;
  world.query.require_gpu = require_gpu;
  return world.explain({"/bin/app"});
}

TEST_CASE("a driver below the floor of a major is too old, one between it and the release is a note") {
  const std::string soname = "libcudart.so.12";
  REQUIRE(findings(with_driver("", soname, 12040)) == "");
  REQUIRE(findings(with_driver("550.54.14", soname, 12040)) == "");
  const auto minor = with_driver("525.60.13", soname, 12040);
  REQUIRE(findings(minor) == "CUD301 note libcudart.so.12: 525.60.13\n");
  CHECK(in_full(minor) ==
        R"(CUD301 | note | /lib/libcudart.so.12 | 525.60.13
  driver 525.60.13 is older than CUDA 12.4, which ships with 550.54.14: it runs, by minor-version compatibility
  - CUDA 12.4 ships with driver 550.54.14 | table
  - releases of one major version run on its oldest driver; code that exists only as PTX of a newer release does )"
        R"(not | rule | NVIDIA, CUDA Compatibility
  = Kernels that exist only as PTX fail with "the provided PTX was compiled with an unsupported toolchain" (222); )"
        R"(the rest works. --gpu says which files have nothing but PTX for a GPU.
)");
  CHECK(minor.findings[0].message.ends_with("it runs, by minor-version compatibility"));
  CHECK(minor.verdict == Verdict::loads);
  const auto old = with_driver("520.61.05", soname, 12040);
  REQUIRE(findings(old) == "CUD301 warning libcudart.so.12: 520.61.05\n");
  CHECK(in_full(old) ==
        R"(CUD301 | warning | /lib/libcudart.so.12 | 520.61.05
  driver 520.61.05 is too old for CUDA 12.4: 525.60.13 or newer is needed
  - libcudart.so.12, CUDA runtime 12.4 | /lib/libcudart.so.12 | proven
  - CUDA 12.4 runs from driver 525.60.13 on | table
  = It loads. The first call of CUDA fails with "CUDA driver version is insufficient for CUDA runtime version" )"
        R"((cudaErrorInsufficientDriver, 35); frameworks then see no GPU and use the CPU.
  > a driver of 525.60.13 or newer
  > or a build for CUDA 11.8 or older, the newest that this driver runs
  ! a newer CUDA toolkit: it needs a newer driver still. The cuda-compat packages help on GPUs for data centres, some )"
        R"(RTX boards for servers and Jetson alone
)");
  CHECK(old.verdict == Verdict::cpu_only);
  CHECK(old.findings[0].message == "driver 520.61.05 is too old for CUDA 12.4: 525.60.13 or newer is needed");
  CHECK(says(old.findings[0], "or a build for CUDA 11.8 or older, the newest that this driver runs"));
  CHECK(old.headline.starts_with("app cannot use the GPU here: driver 520.61.05 is too old"));
  const auto required = with_driver("520.61.05", soname, 12040, true);
  REQUIRE(findings(required) == "CUD301 error libcudart.so.12: 520.61.05\n");
  CHECK(required.verdict == Verdict::fails);
}

TEST_CASE("before CUDA 11 each release needs the driver that it brings") {
  const std::string soname = "libcudart.so.10.2";
  REQUIRE(findings(with_driver("440.33", soname, 10020)) == "");
  REQUIRE(findings(with_driver("440.31", soname, 10020)) == "CUD301 warning libcudart.so.10.2: 440.31\n");
}

TEST_CASE("a branch is its newest driver, and no release needs a newer one than its own") {
  REQUIRE(findings(with_driver("535", "libcudart.so.12", 12020)) == "");
  REQUIRE(findings(with_driver("450.51.06", "libcudart.so.11.0", 11000)) == "");
  const auto too_old = with_driver("470", "libcudart.so.12", 12000);
  REQUIRE(findings(too_old) == "CUD301 warning libcudart.so.12: 470\n");
  CHECK(says(too_old.findings[0], "a build for CUDA 11.8 or older, the newest that this driver runs"));
  CHECK(says(too_old.findings[0], "by minor-version compatibility; PTX it compiles up to that of CUDA 11.4"));
}

TEST_CASE("the library of a cuda-compat package is told where it is found, and proposed where it lies") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12090));
  world.files.add_file("/usr/local/cuda-12.9/compat/libcuda.so.1", cuda_driver("575.57.08"));
  world.query.environment.driver = "470.256.02";
  const auto beside = world.explain({"/bin/app"});
  REQUIRE(findings(beside) == "CUD301 warning libcudart.so.12: 470.256.02\n");
  CHECK(says(beside.findings[0], "NVIDIA's library of driver 575.57.08, which is here"));
  CHECK(says(beside.findings[0], "LD_LIBRARY_PATH=/usr/local/cuda-12.9/compat"));
  world.set("LD_LIBRARY_PATH", "/usr/local/cuda-12.9/compat");
  const auto used = world.explain({"/bin/app"});
  REQUIRE(findings(used) == "CUD301 note libcudart.so.12: 470.256.02\n");
  CHECK(in_full(used) ==
        R"(CUD301 | note | /lib/libcudart.so.12 | 470.256.02
  driver 470.256.02 is older than CUDA 12.9 needs; /usr/local/cuda-12.9/compat/libcuda.so.1 is of driver 575.57.08: )"
        R"(forward compatibility
  - libcuda.so.1 is of driver 575.57.08 | /usr/local/cuda-12.9/compat/libcuda.so.1 | proven
  - a package cuda-compat serves GPUs for data centres, some RTX boards for servers and Jetson, on Linux | rule | )"
        R"(NVIDIA, CUDA Compatibility
  = On those GPUs it works. On any other the first call of CUDA fails with "forward compatibility was attempted on )"
        R"(non supported HW" (cudaErrorCompatNotSupportedOnDevice, 804).
  > on any other: a driver of 525.60.13 or newer
  > take /usr/local/cuda-12.9/compat out of LD_LIBRARY_PATH | unset LD_LIBRARY_PATH | for this shell
)");
  CHECK(says(used.findings[0], "forward compatibility"));
  CHECK(says(used.findings[0], "804"));
}

TEST_CASE("a driver that is stated counts, whatever driver this machine has") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12090));
  world.files.add_file("/lib/libcuda.so.1", cuda_driver("580.65.06"));
  world.query.environment.driver = "470.256.02";
  REQUIRE(findings(world.explain({"/bin/app"})) == "CUD301 warning libcudart.so.12: 470.256.02\n");
}

TEST_CASE("a driver that lies in the tree is judged where none is stated") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12090));
  world.files.add_file("/lib/libcuda.so.1", cuda_driver("470.256.02"));
  REQUIRE(findings(world.explain({"/bin/app"})) == "CUD301 warning libcudart.so.12: 470.256.02\n");
  world.files.add_file("/lib/libcuda.so.1", cuda_driver("580.65.06"));
  REQUIRE(findings(world.explain({"/bin/app"})) == "");
}

TEST_CASE("a GPU that came after the driver is likely unknown to it") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  world.query.environment.driver = "550.54.14";
  world.query.gpus = {{90, 0}};
  REQUIRE(findings(world.explain({"/bin/app"})) == "");
  world.query.gpus = {{120, 0}};
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD301 note 550.54.14\n");
  CHECK(in_full(report) ==
        R"(CUD301 | note | 550.54.14
  driver 550.54.14 is likely too old for sm_120: toolkits make code for it from CUDA 12.8 on, which ships with driver )"
        R"(570.26
  - CUDA 12.8 ships with driver 570.26 | table
  = A driver does not show a GPU that it does not know: "no CUDA-capable device is detected".
  > a driver of 570.26 or newer
)");
}

TEST_CASE("of two runtimes each is held against the driver") {
  TestWorld world;
  world.query.symbols = SymbolCheck::none;
  world.query.environment.driver = "450.80.02";
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "libb.so"}}));
  world.files.add_file("/opt/liba.so", with_linked_runtime(12040));
  world.files.add_file("/opt/libb.so", with_linked_runtime(12060));
  REQUIRE(findings(world.explain({"/bin/app"})) ==
          "CUD301 warning liba.so: 450.80.02\n"
          "CUD301 warning libb.so: 450.80.02\n"
          "CUD303 note libb.so: libb.so\n");
  world.files.add_file("/opt/libb.so", with_linked_runtime(12040));  // of one release only the first is told
  REQUIRE(findings(world.explain({"/bin/app"})) == "CUD301 warning liba.so: 450.80.02\n");
}

TEST_CASE("a stub that is loaded as the driver takes the GPU away, the driver itself does not") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcuda.so.1"}}));
  world.files.add_file("/usr/local/cuda/lib64/stubs/libcuda.so.1", driver_stub());
  world.set("LD_LIBRARY_PATH", "/usr/local/cuda/lib64/stubs");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) ==
          "CUD309 warning libcuda.so.1: libcuda.so.1\n"
          "CUD104 note app: libcuda.so.1\n");
  CHECK(in_full(report) ==
        R"(CUD309 | warning | /usr/local/cuda/lib64/stubs/libcuda.so.1 | libcuda.so.1
  the driver's library that is found, /usr/local/cuda/lib64/stubs/libcuda.so.1, is the toolkit's stub
  - DT_SONAME is libcuda.so.1 | /usr/local/cuda/lib64/stubs/libcuda.so.1 | proven
  - exports cuInit | /usr/local/cuda/lib64/stubs/libcuda.so.1 | proven
  - exports cuDriverGetVersion | /usr/local/cuda/lib64/stubs/libcuda.so.1 | proven
  - cuInit does nothing but answer 34, CUDA_ERROR_STUB_LIBRARY | /usr/local/cuda/lib64/stubs/libcuda.so.1 | proven
  = It loads. Every call of the driver fails with CUDA_ERROR_STUB_LIBRARY (34); the CUDA runtime says "CUDA driver is )"
        R"(a stub library", and frameworks see no GPU.
  > take /usr/local/cuda/lib64/stubs out of LD_LIBRARY_PATH | unset LD_LIBRARY_PATH | for this shell
  > in a container the driver is the host's | docker run --gpus all IMAGE | needs the NVIDIA Container Toolkit on the )"
        R"(host
  > libcuda.so.1 belongs to the NVIDIA driver; on Debian | sudo apt install nvidia-driver | needs the non-free )"
        R"(component and a machine with an NVIDIA GPU
CUD104 | note | /bin/app | libcuda.so.1
  libcuda.so.1 is found through LD_LIBRARY_PATH
  = In a shell, service or container without that variable the search continues with the next rules.
)");
  CHECK(report.verdict == Verdict::cpu_only);
  CHECK(report.findings[0].message ==
        "the driver's library that is found, /usr/local/cuda/lib64/stubs/libcuda.so.1, is the toolkit's stub");
  CHECK(says(report.findings[0], "CUDA_ERROR_STUB_LIBRARY"));
  world.query.require_gpu = true;
  CHECK(world.explain({"/bin/app"}).verdict == Verdict::fails);

  world.query.require_gpu = false;
  world.files.add_file("/usr/local/cuda/lib64/stubs/libcuda.so.1",
                       library({"libcuda.so.1", "", {{"cuInit", ""}, {"cuDriverGetVersion", ""}}}));
  REQUIRE(findings(world.explain({"/bin/app"})) == "CUD104 note app: libcuda.so.1\n");
}

TEST_CASE("of LD_LIBRARY_PATH only the directory of the stub is taken out; with a stated driver that is all") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcuda.so.1"}}));
  world.files.add_file("/cuda/lib64/stubs/libcuda.so.1", driver_stub());
  world.query.environment.driver = "550.54.14";
  world.set("LD_LIBRARY_PATH", "/opt/a b:/cuda/lib64/stubs/:/opt/c");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.front().code == "CUD309");
  CHECK(commands(report.findings.front()) == "export LD_LIBRARY_PATH='/opt/a b:/opt/c'\n");
}

TEST_CASE("a stub is told as well where the driver is only opened on use") {
  TestWorld world;
  world.query.constants = ConstantScope::files;
  world.query.symbols = SymbolCheck::none;
  ElfSpec app = program({.runpath = "/stubs", .uses = {{"dlopen", ElfUse::call}}});
  world.files.add_file("/bin/app", with_sections(elf(app), {{".rodata", std::string("\0libcuda.so.1\0", 14)}}));
  world.files.add_file("/stubs/libcuda.so.1", driver_stub());
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD309 warning app: libcuda.so.1\n");
  CHECK(in_full(report) ==
        R"(CUD309 | warning | /bin/app | libcuda.so.1
  the driver's library that is found, /stubs/libcuda.so.1, is the toolkit's stub
  - DT_SONAME is libcuda.so.1 | /stubs/libcuda.so.1 | proven
  - exports cuInit | /stubs/libcuda.so.1 | proven
  - exports cuDriverGetVersion | /stubs/libcuda.so.1 | proven
  - cuInit does nothing but answer 34, CUDA_ERROR_STUB_LIBRARY | /stubs/libcuda.so.1 | proven
  = It loads. Every call of the driver fails with CUDA_ERROR_STUB_LIBRARY (34); the CUDA runtime says "CUDA driver is )"
        R"(a stub library", and frameworks see no GPU.
  > keep the stub out of the search at run time: it is for the linker's -L alone
  > in a container the driver is the host's | docker run --gpus all IMAGE | needs the NVIDIA Container Toolkit on the )"
        R"(host
  > libcuda.so.1 belongs to the NVIDIA driver; on Debian | sudo apt install nvidia-driver | needs the non-free )"
        R"(component and a machine with an NVIDIA GPU
)");
  CHECK(report.verdict == Verdict::cpu_only);
}

/// A program with CUDA 12.9 and no driver that was stated.
TestWorld with_runtime_12_9() {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12090));
  return world;
}

const std::string compat_12_9 = "/usr/local/cuda-12.9/compat";

void add_kernel_module(TestWorld& world, const std::string& version) {
  world.files.add_file("/proc/driver/nvidia/version",
                       "NVRM version: NVIDIA UNIX x86_64 Kernel Module  " + version + "  Sat Aug 19 2023\n");
}

TEST_CASE("of several cuda-compat packages the newest is proposed, compared by numbers") {
  auto world = with_runtime_12_9();
  world.query.environment.driver = "470.256.02";
  world.files.add_file("/usr/local/cuda-11.8/compat/libcuda.so.1", cuda_driver("520.61.05"));
  world.files.add_file("/usr/local/cuda-12.10/compat/libcuda.so.1", cuda_driver("580.65.06"));
  world.files.add_file("/usr/local/cuda-12.9/compat/libcuda.so.1", cuda_driver("575.57.08"));
  world.files.add_file("/usr/local/cuda-13.0/lib64/libcudart.so.13", "");
  world.files.add_file("/usr/local/other-14/compat/libcuda.so.1", cuda_driver("999.1"));
  CHECK(in_full(world.explain({"/bin/app"})) ==
        R"(CUD301 | warning | /lib/libcudart.so.12 | 470.256.02
  driver 470.256.02 is too old for CUDA 12.9: 525.60.13 or newer is needed
  - libcudart.so.12, CUDA runtime 12.9 | /lib/libcudart.so.12 | proven
  - CUDA 12.9 runs from driver 525.60.13 on | table
  = It loads. The first call of CUDA fails with "CUDA driver version is insufficient for CUDA runtime version" )"
        R"((cudaErrorInsufficientDriver, 35); frameworks then see no GPU and use the CPU.
  > a driver of 525.60.13 or newer
  > or a build for CUDA 11.8 or older, the newest that this driver runs | by minor-version compatibility; PTX )"
        R"(it compiles up to that of CUDA 11.4
  > or, on GPUs for data centres, NVIDIA's library of driver 580.65.06, which is here | export )"
        R"(LD_LIBRARY_PATH=/usr/local/cuda-12.10/compat${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | for this shell )"
        R"(only
  ! a newer CUDA toolkit: it needs a newer driver still. The cuda-compat packages help on GPUs for data )"
        R"(centres, some RTX boards for servers and Jetson alone
)");
  // One of which no release is known is not proposed.
  auto unknown = with_runtime_12_9();
  unknown.query.environment.driver = "470.256.02";
  unknown.files.add_file(compat_12_9 + "/libcuda.so.1",
                         library({"libcuda.so.1", "", {{"cuInit", answer(0)}, {"cuDriverGetVersion", answer(0)}}}));
  const auto report = unknown.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].fixes.size() == 2);
  // Nor is it taken for a newer one where it is found.
  unknown.set("LD_LIBRARY_PATH", compat_12_9);
  CHECK(findings(unknown.explain({"/bin/app"})) == findings(report));
}

TEST_CASE("below a cuda-compat package that is found the kernel says which driver there is") {
  auto world = with_runtime_12_9();
  world.files.add_file(compat_12_9 + "/libcuda.so.1", cuda_driver("575.57.08"));
  world.set("LD_LIBRARY_PATH", compat_12_9);
  CHECK(in_full(world.explain({"/bin/app"}), "CUD301") == "");
  add_kernel_module(world, "470.256.02");
  CHECK(findings(world.explain({"/bin/app"})) == "CUD301 note libcudart.so.12: 470.256.02\n");
  add_kernel_module(world, "575.57.08");  // no older than the library
  CHECK(in_full(world.explain({"/bin/app"}), "CUD301") == "");
  // A newer one than CUDA 12.9 needs, and older than the library: the library does more than is needed.
  add_kernel_module(world, "550.54.14");
  CHECK(in_full(world.explain({"/bin/app"}), "CUD301") ==
        R"(CUD301 | note | /lib/libcudart.so.12 | 550.54.14
  driver 550.54.14 is older than the library of it that is found; /usr/local/cuda-12.9/compat/libcuda.so.1 is )"
        R"(of driver 575.57.08: forward compatibility
  - libcuda.so.1 is of driver 575.57.08 | /usr/local/cuda-12.9/compat/libcuda.so.1 | proven
  - a package cuda-compat serves GPUs for data centres, some RTX boards for servers and Jetson, on Linux | rule )"
        R"(| NVIDIA, CUDA Compatibility
  = On those GPUs it works. On any other the first call of CUDA fails with "forward compatibility was attempted )"
        R"(on non supported HW" (cudaErrorCompatNotSupportedOnDevice, 804).
  > take /usr/local/cuda-12.9/compat out of LD_LIBRARY_PATH: driver 550.54.14 runs CUDA 12.9 | unset LD_LIBRARY_PATH )"
        R"(| for this shell
)");
}

TEST_CASE("a cuda-compat package that the loader finds by its own list is taken out there") {
  auto world = with_runtime_12_9();
  const std::string own = "/usr/lib/cuda-12.9/compat";
  world.files.add_file(own + "/libcuda.so.1", cuda_driver("575.57.08"));
  world.files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.37", {"/lib", "/usr/lib", own}));
  world.query.environment.driver = "470.256.02";
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD301 note libcudart.so.12: 470.256.02\n");
  REQUIRE(report.findings[0].fixes.size() == 2);
  CHECK(report.findings[0].fixes[1].title ==
        "take /usr/lib/cuda-12.9/compat out of /etc/ld.so.conf and what it includes, and run: sudo ldconfig");
  CHECK(report.findings[0].fixes[1].command.empty());
}

TEST_CASE("a cuda-compat package that is too old itself is no help, and not proposed again") {
  auto world = with_runtime_12_9();
  world.files.add_file("/usr/local/cuda-11.4/compat/libcuda.so.1", cuda_driver("470.256.02"));
  world.set("LD_LIBRARY_PATH", "/usr/local/cuda-11.4/compat");
  world.query.environment.driver = "450.80.02";
  CHECK(in_full(world.explain({"/bin/app"}), "CUD301") ==
        R"(CUD301 | warning | /lib/libcudart.so.12 | 450.80.02
  driver 450.80.02 is too old for CUDA 12.9: 525.60.13 or newer is needed
  - libcudart.so.12, CUDA runtime 12.9 | /lib/libcudart.so.12 | proven
  - CUDA 12.9 runs from driver 525.60.13 on | table
  = It loads. The first call of CUDA fails with "CUDA driver version is insufficient for CUDA runtime version" )"
        R"((cudaErrorInsufficientDriver, 35); frameworks then see no GPU and use the CPU.
  > a driver of 525.60.13 or newer
  > or a build for CUDA 11.8 or older, the newest that this driver runs | by minor-version compatibility; PTX )"
        R"(it compiles up to that of CUDA 11.0
  ! a newer CUDA toolkit: it needs a newer driver still. The cuda-compat packages help on GPUs for data )"
        R"(centres, some RTX boards for servers and Jetson alone
)");
}

TEST_CASE("a driver that is older than all CUDA, one that brings the newest it runs, and releases that nobody knows") {
  const auto oldest = with_driver("100.14", "libcudart.so.12", 12040);
  REQUIRE(oldest.findings.size() == 1);
  REQUIRE(oldest.findings[0].fixes.size() == 1);
  CHECK(oldest.findings[0].fixes[0].title == "a driver of 525.60.13 or newer");
  const auto same = with_driver("440.33", "libcudart.so.12", 12040);
  REQUIRE(same.findings.size() == 1);
  REQUIRE(same.findings[0].fixes.size() == 2);
  CHECK(same.findings[0].fixes[1].title == "or a build for CUDA 10.2 or older, the newest that this driver runs");
  CHECK(same.findings[0].fixes[1].side_effect.empty());
  CHECK(in_full(with_driver("440.33", "libcudart.so.99", 99000)) == "");
}

TEST_CASE("a file in the driver's place that is no driver, or does not say which, is judged as none") {
  auto world = with_runtime_12_9();
  world.files.add_file("/lib/libcuda.so.1",
                       library({"libcuda.so.1", "", {{"cuInit", answer(0)}, {"cuDriverGetVersion", answer(0)}}}));
  CHECK(findings(world.explain({"/bin/app"})) == "");
  world.files.add_file("/lib/libcuda.so.1", cuda_runtime("libcudart.so.11.0", 11080));
  CHECK(findings(world.explain({"/bin/app"})) == "");
  world.files.add_file("/lib/libcuda.so.1", driver_stub());
  CHECK(findings(world.explain({"/bin/app"})) == "CUD309 warning libcudart.so.12: libcuda.so.1\n");
}

TEST_CASE("the driver itself that is opened on use is no stub, nor is another library that is") {
  TestWorld world;
  world.query.constants = ConstantScope::files;
  world.query.symbols = SymbolCheck::none;
  ElfSpec app = program({.runpath = "/stubs", .uses = {{"dlopen", ElfUse::call}}});
  const auto opening = [&](const std::string& name) {
    world.files.add_file("/bin/app", with_sections(elf(app), {{".rodata", '\0' + name + '\0'}}));
    return in_full(world.explain({"/bin/app"}), "CUD309");
  };
  world.files.add_file("/stubs/libcuda.so.1", cuda_driver("575.57.08"));
  world.files.add_file("/stubs/libother.so.1", driver_stub());
  CHECK(opening("libcuda.so.1") == "");
  CHECK(opening("libother.so.1") == "");
  CHECK(opening("libcuda.so") == "");  // is not there
  world.files.add_file("/stubs/libcuda.so", driver_stub());
  CHECK(opening("libcuda.so").starts_with("CUD309 | warning | /bin/app | libcuda.so.1\n"));
}

}  // namespace
}  // namespace cudald
