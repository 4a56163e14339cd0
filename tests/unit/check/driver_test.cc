// The driver that was stated: CUD301, and a stub in its place: CUD309.

#include <doctest/doctest.h>

#include "common/fatbin_file.h"
#include "unit/check/finding_text.h"
#include "unit/cuda/library_file.h"

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
  driver 525.60.13 is older than CUDA 12.4, which brings 550.54.14: it runs, by minor-version compatibility
  - CUDA 12.4 brings driver 550.54.14 | table
  - releases of one major version run on its oldest driver; code that is there only as PTX of a newer release does )"
        R"(not | rule | NVIDIA, CUDA Compatibility
  = Kernels that only PTX is there for fail with "the provided PTX was compiled with an unsupported toolchain" (222); )"
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

/// The driver's library as its package has it.
std::string driver_library(const std::string& version) {
  return with_sections(library({"libcuda.so.1", "", {{"cuInit", answer(0)}, {"cuDriverGetVersion", answer(0)}}}),
                       {{".rodata", '\0' + ("nvidia-application-profiles-" + version + "-rc") + '\0'}});
}

TEST_CASE("the library of a cuda-compat package is told where it is found, and proposed where it lies") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12090));
  world.files.add_file("/usr/local/cuda-12.9/compat/libcuda.so.1", driver_library("575.57.08"));
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
  > take /usr/local/cuda-12.9/compat out of the search | unset LD_LIBRARY_PATH | for all libraries and programs of )"
        R"(this shell
)");
  CHECK(says(used.findings[0], "forward compatibility"));
  CHECK(says(used.findings[0], "804"));
}

TEST_CASE("a driver that is stated counts, whatever driver this machine has") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12090));
  world.files.add_file("/lib/libcuda.so.1", driver_library("580.65.06"));
  world.query.environment.driver = "470.256.02";
  REQUIRE(findings(world.explain({"/bin/app"})) == "CUD301 warning libcudart.so.12: 470.256.02\n");
}

TEST_CASE("a driver that lies in the tree is judged where none is stated") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12090));
  world.files.add_file("/lib/libcuda.so.1", driver_library("470.256.02"));
  REQUIRE(findings(world.explain({"/bin/app"})) == "CUD301 warning libcudart.so.12: 470.256.02\n");
  world.files.add_file("/lib/libcuda.so.1", driver_library("580.65.06"));
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
  driver 550.54.14 is likely too old for sm_120: toolkits make code for it from CUDA 12.8 on, which brings driver )"
        R"(570.26
  - CUDA 12.8 brings driver 570.26 | table
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
  > keep the stub out of the search at run time: it is for the linker's -L alone
  > libcuda.so.1 belongs to the NVIDIA driver; on Debian | sudo apt install libcuda1 | needs the non-free component; )"
        R"(in a container the host's driver is mounted: docker run --gpus all
CUD104 | note | /bin/app | libcuda.so.1
  libcuda.so.1 is found through LD_LIBRARY_PATH
  = In a shell, service or container without that variable the search goes on to the next rules.
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
  > libcuda.so.1 belongs to the NVIDIA driver; on Debian | sudo apt install libcuda1 | needs the non-free component; )"
        R"(in a container the host's driver is mounted: docker run --gpus all
)");
  CHECK(report.verdict == Verdict::cpu_only);
}

}  // namespace
}  // namespace cudald
