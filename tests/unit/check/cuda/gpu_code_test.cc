#include <algorithm>
#include <utility>

#include <doctest/doctest.h>

#include <cudald/gpu_code.h>

#include "common/fatbin_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

/// A program that needs a library with this GPU code, and the same judged for `gpus`.
Report judged_code(const std::vector<FatbinEntry>& code, std::vector<GpuArchitecture> gpus) {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libk.so"}}));
  world.files.add_file("/lib/libk.so", gpu_library({.soname = "libk.so"}, code));
  world.query.gpus = std::move(gpus);
  return world.explain({"/bin/app"});
}

TEST_CASE("a library without code for the GPU is a warning, one with only PTX a note") {
  const std::vector<FatbinEntry> code = {{2, 70}, {2, 90, 'a'}, {1, 80}, {1, 90, 'a'}};
  CHECK(findings(judged_code(code, {})) == "");
  CHECK(findings(judged_code(code, {{70, 0}})) == "");
  CHECK(findings(judged_code(code, {{75, 0}, {90, 0}})) == "");
  CHECK(findings(judged_code(code, {{61, 0}})) == "CUD307 warning libk.so: sm_61\n");
  CHECK(in_full(judged_code(code, {{61, 0}})) ==
        R"(CUD307 | warning | /lib/libk.so | sm_61
  libk.so has no code for sm_61: it contains sm_70, sm_90a and PTX of sm_80, sm_90a
  - toolkits likely make code for sm_61 from CUDA 8.0 on, and no longer from 13.0 on | table
  - the headers of its fatbins | /lib/libk.so | proven
  - code runs on GPUs of its own major version that are not older; of sm_NNa on that GPU alone | rule | NVIDIA, CUDA )"
        R"(Programming Guide, "Compute Capabilities"
  = It loads. The first kernel that it starts fails with "no kernel image is available for execution on the device" )"
        R"((cudaErrorNoKernelImageForDevice, 209).
  > an older build of libk.so: of an older release, or of this one for an older CUDA (likely before 13.0) | cudald )"
        R"(show FILE lists what a build contains; one's own: nvcc -gencode arch=compute_61,code=sm_61
  ! a newer driver or a newer release: newer builds contain code for newer GPUs
)");
  CHECK(findings(judged_code(code, {{86, 0}, {120, 0}})) ==
        "CUD307 note libk.so: sm_86\nCUD307 note libk.so: sm_120\n");
  CHECK(findings(judged_code({{1, 90, 'a'}}, {{100, 0}})) == "CUD307 warning libk.so: sm_100\n");
  CHECK(in_full(judged_code({{1, 90, 'a'}}, {{100, 0}})) ==
        R"(CUD307 | warning | /lib/libk.so | sm_100
  libk.so has no code for sm_100: it contains PTX of sm_90a
  - toolkits make code for sm_100 from CUDA 12.8 on | table
  - the headers of its fatbins | /lib/libk.so | proven
  - code runs on GPUs of its own major version that are not older; of sm_NNa on that GPU alone | rule | NVIDIA, CUDA )"
        R"(Programming Guide, "Compute Capabilities"
  = It loads. The first kernel that it starts fails with "no kernel image is available for execution on the device" )"
        R"((cudaErrorNoKernelImageForDevice, 209).
  > a newer build of libk.so: of a newer release, or of this one for a newer CUDA (12.8 or newer) | cudald show FILE )"
        R"(lists what a build contains; one's own: nvcc -gencode arch=compute_100,code=sm_100
  ! a newer driver: it runs no code for another architecture, and compiles only PTX that is there and not newer than )"
        R"(the GPU
)");
  CHECK(findings(judged_code({}, {{100, 0}})) == "");

  const auto report = judged_code({{2, 70}, {2, 80}}, {{120, 0}});
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings[0].message == "libk.so has no code for sm_120: it contains sm_70, sm_80 and no PTX");
  const auto text = all_words(report.findings[0]);
  for (const auto* part :
       {"no kernel image is available for execution on the device", "209", "code=sm_120", "not: a newer driver"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

TEST_CASE("PTX that is newer than the driver is not compiled: a warning") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libk.so"}}));
  world.files.add_file("/lib/libk.so", with_linked_runtime(12080, {.soname = "libk.so"}, {{1, 90}}));
  world.query.gpus = {{120, 0}};
  world.query.environment.driver = "580.65.06";
  const auto fresh = world.explain({"/bin/app"});
  world.query.environment.driver = "535.104.05";
  const auto old = world.explain({"/bin/app"});
  const auto of_code = [](const Report& report) {
    std::string text;
    for (const auto& finding : report.findings)
      if (finding.code == "CUD307") text += std::string(to_string(finding.level)) + " " + finding.message + "\n";
    return text;
  };
  CAPTURE(of_code(fresh));
  CAPTURE(of_code(old));
  CHECK(of_code(fresh).starts_with("note libk.so has only PTX for sm_120"));
  // Of a release whose driver no document names, nothing is told of a driver that is newer than all that are known.
  world.files.add_file("/lib/libk.so", with_linked_runtime(99000, {.soname = "libk.so"}, {{1, 90}}));
  world.query.environment.driver = "9999.1";
  CHECK(of_code(world.explain({"/bin/app"})).starts_with("note "));
  CHECK(of_code(old).starts_with("warning libk.so has only PTX for sm_120, of CUDA 12.8: driver 535.104.05 compiles"));
  for (const auto& finding : old.findings)
    if (finding.code == "CUD307")
      CHECK(finding.fixes.front().title == "a driver of 570.26 or newer: CUDA 12.8 ships with it");
}

TEST_CASE("code that the runtime does not register is not judged") {
  TestWorld world;
  world.files.add_file("/lib/libk.so", with_sections(elf({}), {{".nv_fatbin", fatbin({{2, 52}})}}));
  world.query.gpus = {{120, 0}};
  const auto report = world.explain({"/lib/libk.so"});
  CHECK(findings(report) == "");
  REQUIRE(report.resolution.objects.front().gpu);
  CHECK(report.resolution.objects.front().gpu->sass.size() == 1);
}

TEST_CASE("GPU code is read only if the question asks for it") {
  TestWorld world;
  world.files.add_file("/lib/libk.so", gpu_library({}, {{2, 52}}));
  CHECK_FALSE(world.explain({"/lib/libk.so"}).resolution.objects.front().gpu);
  world.query.gpu_code = true;
  CHECK(world.explain({"/lib/libk.so"}).resolution.objects.front().gpu);
}

TEST_CASE("a damaged fatbin is told, and nothing is claimed of its GPUs") {
  auto bytes = gpu_library({}, {{2, 52}});
  const auto at = bytes.find("\x50\xed\x55\xba");
  REQUIRE(at != std::string::npos);
  poke(bytes, at + 8, std::uint64_t{1} << 40);
  TestWorld world;
  world.files.add_file("/lib/libk.so", bytes);
  world.query.gpus = {{120, 0}};
  CHECK(findings(world.explain({"/lib/libk.so"})) == "CUD901 warning libk.so: libk.so\n");
  CHECK(in_full(world.explain({"/lib/libk.so"})) ==
        R"(CUD901 | warning | /lib/libk.so | libk.so
  libk.so: a fatbin runs past its section or the file
  - a fatbin runs past its section or the file at offset 0xe8 | /lib/libk.so | proven
  = Which GPUs it has code for is not shown.
)");
}

TEST_CASE("where a GPU is required, no code for it is an error, but in libraries of NVIDIA, which choose at run time") {
  for (const auto& [name, level] :
       {std::pair<std::string, Level>{"libk.so", Level::error}, {"libcublasLt.so.12", Level::warning}}) {
    const auto& seen_name = name;
    CAPTURE(seen_name);
    TestWorld world;
    world.query.require_gpu = true;
    world.query.gpus = {{61, 0}};
    world.add("/bin/app", program({.needed = {name}}));
    world.files.add_file("/lib/" + name, gpu_library({.soname = name}, {{2, 70}}));
    const auto report = world.explain({"/bin/app"});
    const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                    [](const Finding& finding) { return finding.code == "CUD307"; });
    REQUIRE(found != report.findings.end());
    CHECK(found->level == level);
  }
}

TEST_CASE("PTX that the driver cannot compile is told in full, as an error where a GPU is required") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libk.so"}}));
  world.files.add_file("/lib/libk.so", with_linked_runtime(12080, {.soname = "libk.so"}, {{1, 90}}));
  world.query.gpus = {{120, 0}};
  world.query.environment.driver = "535.104.05";
  CHECK(in_full(world.explain({"/bin/app"}), "CUD307") ==
        R"(CUD307 | warning | /lib/libk.so | sm_120
  libk.so has only PTX for sm_120, of CUDA 12.8: driver 535.104.05 compiles that of CUDA 12.2 and older
  - the headers of its fatbins | /lib/libk.so | proven
  - code runs on GPUs of its own major version that are not older; of sm_NNa on that GPU alone | rule | NVIDIA, CUDA )"
        R"(Programming Guide, "Compute Capabilities"
  = It loads. The first kernel that it starts fails with "the provided PTX was compiled with an unsupported )"
        R"(toolchain" (cudaErrorUnsupportedPtxVersion, 222).
  > a driver of 570.26 or newer: CUDA 12.8 ships with it
  > or a build with machine code for sm_120, or for CUDA 12.2 or older
  ! minor-version compatibility: it runs machine code alone
)");
  world.query.require_gpu = true;
  CHECK(in_full(world.explain({"/bin/app"}), "CUD307").starts_with("CUD307 | error | /lib/libk.so | sm_120\n"));
  // Without a driver that is stated or found nothing is known of what it compiles.
  world.query.environment.driver.clear();
  CHECK(in_full(world.explain({"/bin/app"}), "CUD307") ==
        R"(CUD307 | note | /lib/libk.so | sm_120
  libk.so has only PTX for sm_120: it contains PTX of sm_90
  - the headers of its fatbins | /lib/libk.so | proven
  - code runs on GPUs of its own major version that are not older; of sm_NNa on that GPU alone | rule | NVIDIA, CUDA )"
        R"(Programming Guide, "Compute Capabilities"
  = The driver compiles a kernel when it is first used, which delays the first run, and keeps the result in its cache )"
        R"((CUDA_CACHE_PATH). For that it must be as new as the CUDA that the PTX was made with.
)");
  world.files.add_file("/lib/libcuda.so.535.104.05", cuda_driver("535.104.05"));
  world.files.add_symlink("/lib/libcuda.so.1", "libcuda.so.535.104.05");
  CHECK(in_full(world.explain({"/bin/app"}), "CUD307").find("driver 535.104.05 compiles that of CUDA 12.2") !=
        std::string::npos);
  // A package cuda-compat has a compiler of its own release.
  world.files.add_file("/usr/local/cuda-12.9/compat/libcuda.so.1", cuda_driver("575.57.08"));
  world.files.add_file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Kernel Module  535.104.05  Wed\n");
  world.set("LD_LIBRARY_PATH", "/usr/local/cuda-12.9/compat");
  CHECK(in_full(world.explain({"/bin/app"}), "CUD307").starts_with("CUD307 | note | /lib/libk.so | sm_120\n"));
}

TEST_CASE("variables that leave out machine code, or PTX, leave nothing for a GPU where there is no other code") {
  const auto judged = [](const std::vector<FatbinEntry>& code, const std::string& variable, const std::string& value) {
    TestWorld world;
    world.add("/bin/app", program({.needed = {"libk.so"}}));
    world.files.add_file("/lib/libk.so", with_linked_runtime(12080, {.soname = "libk.so"}, code));
    world.query.gpus = {{90, 0}};
    world.query.environment.driver = "535.104.05";
    world.set(variable, value);
    return in_full(world.explain({"/bin/app"}), "CUD307");
  };
  const std::string force = "CUDA_FORCE_PTX_JIT", disable = "CUDA_DISABLE_PTX_JIT";
  const std::vector<FatbinEntry> machine_code = {{2, 80}, {2, 90}}, ptx = {{1, 80}}, both = {{2, 90}, {1, 90}};
  CHECK(judged(machine_code, force, "1") ==
        R"(CUD307 | warning | /lib/libk.so | sm_90
  libk.so contains sm_80, sm_90 and no PTX; CUDA_FORCE_PTX_JIT is 1, which leaves out machine code: nothing is left )"
        R"(for sm_90
  - CUDA_FORCE_PTX_JIT=1 makes the driver leave out machine code | rule | NVIDIA, CUDA Programming Guide, "CUDA )"
        R"(Environment Variables"
  - the headers of its fatbins | /lib/libk.so | proven
  - code runs on GPUs of its own major version that are not older; of sm_NNa on that GPU alone | rule | NVIDIA, CUDA )"
        R"(Programming Guide, "Compute Capabilities"
  = It loads. The first kernel that it starts fails with "no kernel image is available for execution on the device" )"
        R"((cudaErrorNoKernelImageForDevice, 209).
  > let the driver use all of the code | unset CUDA_FORCE_PTX_JIT | for this shell only
)");
  CHECK(judged(ptx, disable, "1") ==
        R"(CUD307 | warning | /lib/libk.so | sm_90
  libk.so contains PTX of sm_80; CUDA_DISABLE_PTX_JIT is 1, which leaves out PTX: nothing is left for sm_90
  - CUDA_DISABLE_PTX_JIT=1 makes the driver leave out PTX | rule | NVIDIA, CUDA Programming Guide, "CUDA )"
        R"(Environment Variables"
  - the headers of its fatbins | /lib/libk.so | proven
  - code runs on GPUs of its own major version that are not older; of sm_NNa on that GPU alone | rule | NVIDIA, CUDA )"
        R"(Programming Guide, "Compute Capabilities"
  = It loads. The first kernel that it starts fails with "PTX JIT compilation was disabled" )"
        R"((cudaErrorJitCompilationDisabled, 223).
  > let the driver use all of the code | unset CUDA_DISABLE_PTX_JIT | for this shell only
)");
  // What is forced is compiled, by a driver that can.
  CHECK(judged(both, force, "1")
            .find("libk.so has only PTX for sm_90 with CUDA_FORCE_PTX_JIT=1, of CUDA 12.8: driver "
                  "535.104.05 compiles that of CUDA 12.2 and older") != std::string::npos);
  CHECK(judged(both, disable, "1") == "");
  CHECK(judged(machine_code, disable, "1") == "");
  for (const auto* other : {"0", ""}) {
    CHECK(judged(machine_code, force, other) == "");
    CHECK(judged(ptx, disable, other) == judged(ptx, "CUDA_NOTHING", "1"));
  }
  CHECK(judged({{2, 80}}, force, "1").find("has no code for sm_90: it contains sm_80 and no PTX") != std::string::npos);
  CHECK(judged({{2, 80}}, disable, "1") == judged({{2, 80}}, "CUDA_NOTHING", "1"));
}

TEST_CASE("with a driver that can, PTX that is forced is compiled: a note; an error where a GPU is required") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libk.so"}}));
  world.files.add_file("/lib/libk.so", gpu_library({.soname = "libk.so"}, {{2, 90}, {1, 90}}));
  world.query.gpus = {{90, 0}};
  world.set("CUDA_FORCE_PTX_JIT", "1");
  const auto compiled = in_full(world.explain({"/bin/app"}), "CUD307");
  CHECK(
      compiled.starts_with("CUD307 | note | /lib/libk.so | sm_90\n  libk.so contains sm_90 and PTX of sm_90; "
                           "CUDA_FORCE_PTX_JIT is 1: its PTX is compiled for sm_90\n"));
  world.query.require_gpu = true;
  world.files.add_file("/lib/libk.so", gpu_library({.soname = "libk.so"}, {{2, 90}}));
  const auto required = in_full(world.explain({"/bin/app"}), "CUD307");
  CHECK(required.starts_with("CUD307 | error | /lib/libk.so | sm_90\n"));
}

TEST_CASE("between the GPUs that a build has code for, a build that was made for this one is wanted") {
  const auto report = judged_code({{2, 70}, {2, 90}}, {{86, 0}});
  REQUIRE(findings(report) == "CUD307 warning libk.so: sm_86\n");
  CHECK(report.findings[0].fixes.at(0).title == "a build of libk.so that was made for sm_86");
}

/// A library with this code in a process on a GPU, made by hand.
struct MadeCode {
  MadeCode() : report(made_report({made_object("/lib/libk.so")})) {
    code.sass[{70, 0}] = 1;
    code.registered = true;
    report.query.gpus = {{80, 0}};
  }
  Object& object() { return report.resolution.objects[0]; }
  std::string told() {
    report.findings.clear();
    object().gpu = std::make_shared<GpuCode>(code);
    return made_findings(check_gpu_code, report);
  }

  Report report;
  GpuCode code;
};

TEST_CASE("code counts where the runtime takes it over and it could be read, each file once") {
  MadeCode made;
  CHECK(made.told().starts_with("CUD307 | warning | /lib/libk.so | sm_80\n"));
  made.code.registered = false;
  CHECK(made.told() == "");
  made.code.registered = true;
  made.code.defects = {{"damaged", {}, false}};
  CHECK(made.told() == "");
  made.code.defects.clear();
  const auto once = made.told();
  made.report.resolution.objects.push_back(made.object());
  CHECK(made.told() == once);
  made.code.sass.clear();
  made.report.resolution.objects.resize(1);
  CHECK(made.told() == "");
}

TEST_CASE("the build that fits is that of the package, older, newer or in between") {
  const auto fix = [](GpuArchitecture gpu, bool in_package = true) {
    MadeCode made;
    made.code.sass[{90, 0}] = 1;
    if (in_package) made.object().package = PackageName{"pkg", "1.0"};
    made.report.query.gpus = {gpu};
    made.told();
    return made.report.findings.at(0).fixes.at(0).title;
  };
  CHECK(fix({61, 0}) ==
        "an older build of pkg: of an older release, or of this one for an older CUDA (likely before 13.0)");
  CHECK(fix({61, 0}, false) ==
        "an older build of libk.so: of an older release, or of this one for an older CUDA (likely before 13.0)");
  CHECK(fix({1, 0}) == "an older build of pkg: of an older release, or of this one for an older CUDA");
  CHECK(fix({120, 0}) == "a newer build of pkg: of a newer release, or of this one for a newer CUDA (12.8 or newer)");
  CHECK(fix({250, 0}) == "a newer build of pkg: of a newer release, or of this one for a newer CUDA");
  CHECK(fix({80, 0}) == "a build of pkg that was made for sm_80");
}

TEST_CASE("PTX of a newer CUDA than the driver's cannot be compiled, whichever way the release of the build is known") {
  const auto told = [](const std::string& linked, const PackageName& package, bool required = false,
                       const std::string& path = "/lib/libk.so", const std::string& driver = "550.54.14") {
    MadeCode made;
    made.object() = linked.empty() ? made_object(path) : made_cuda(path, CudaKind::cudart, linked, 12);
    if (!linked.empty()) {
      CudaLibrary library = *made.object().cuda;
      library.is_static = true;
      made.object().cuda = std::make_shared<CudaLibrary>(library);
    }
    if (!package.name.empty()) made.object().package = package;
    made.code.sass.clear();
    made.code.ptx[{70, 0}] = 1;
    made.report.query.require_gpu = required;
    made.report.query.environment.driver = driver;
    return made.told();
  };
  CHECK(told("12.8", {}) == R"(CUD307 | warning | /lib/libk.so | sm_80
  libk.so has only PTX for sm_80, of CUDA 12.8: driver 550.54.14 compiles that of CUDA 12.4 and older
  - the headers of its fatbins | /lib/libk.so | proven
  - code runs on GPUs of its own major version that are not older; of sm_NNa on that GPU alone | rule | NVIDIA, )"
                            R"(CUDA Programming Guide, "Compute Capabilities"
  = It loads. The first kernel that it starts fails with "the provided PTX was compiled with an unsupported )"
                            R"(toolchain" (cudaErrorUnsupportedPtxVersion, 222).
  > a driver of 570.26 or newer: CUDA 12.8 ships with it
  > or a build with machine code for sm_80, or for CUDA 12.4 or older
  ! minor-version compatibility: it runs machine code alone
)");
  CHECK(told("12.8", {}, true).starts_with("CUD307 | error | /lib/libk.so | sm_80\n"));
  CHECK(told("12.4", {}).starts_with("CUD307 | note | "));
  CHECK(told("12", {}).starts_with("CUD307 | note | "));
  CHECK(told("", {}).starts_with("CUD307 | note | "));
  CHECK(told("12.8", {}, false, "/lib/libk.so", "").starts_with("CUD307 | note | "));
  CHECK(told("", {"torch", "2.8.0+cu128"}).find("has only PTX for sm_80, of CUDA 12.8: driver 550.54.14 compiles") !=
        std::string::npos);
  CHECK(told("", {"nobody", "1.0"}).starts_with("CUD307 | note | "));
}

}  // namespace
}  // namespace cudald
