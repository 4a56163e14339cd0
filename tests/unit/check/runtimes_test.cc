// Several CUDA runtimes in one process: CUD303, who was built for another CUDA: CUD308, and majors that mix: CUD302.

#include <doctest/doctest.h>

#include <algorithm>

#include <cudald/cuda_library.h>

#include "unit/check/finding_text.h"
#include "unit/check/installed_package.h"
#include "unit/cuda/library_file.h"

namespace cudald {
namespace {

const std::string eleven = "libcudart.so.11.0", twelve = "libcudart.so.12";

/// A library that calls the runtime that it needs, by the version that the runtime gives to its functions.
ElfSpec user_of(const std::string& runtime, std::vector<ElfNeeded> others = {}) {
  ElfSpec spec{.needed = {runtime},
               .needs_versions = {{runtime, {{runtime}}}},
               .uses = {{.name = "cudaGetDeviceCount", .version = runtime}}};
  for (auto& other : others) spec.needed.push_back(std::move(other));
  return spec;
}

/// Runtimes of CUDA 11.8 and 12.4 in /lib, which is searched.
TestWorld with_runtimes() {
  TestWorld world;
  world.files.add_file("/lib/" + eleven, cuda_runtime(eleven, 11080));
  world.files.add_file("/lib/" + twelve, cuda_runtime(twelve, 12040));
  return world;
}

TEST_CASE("one runtime, whoever uses it, is nothing to tell") {
  auto world = with_runtimes();
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "libb.so"}}));
  for (const std::string name : {"liba.so", "libb.so"}) world.add("/opt/" + name, user_of(twelve));
  REQUIRE(findings(world.explain({"/bin/app"})) == "");
}

TEST_CASE("two runtimes whose users each reach their own are noted, with who uses them and the driver for both") {
  auto world = with_runtimes();
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "libb.so"}}));
  world.add("/opt/liba.so", user_of(eleven));
  world.add("/opt/libb.so", user_of(twelve));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD303 note libcudart.so.12: libcudart.so.12\n");
  CHECK(report.verdict == Verdict::loads);
  const auto& finding = report.findings[0];
  CHECK(finding.message.starts_with("two CUDA runtimes in one process, libcudart.so.11.0"));
  CHECK(finding.message.ends_with(", kept apart"));
  CHECK(says(finding, "used by liba.so; 1 reference ends in it"));
  CHECK(says(finding, "used by libb.so; 1 reference ends in it"));
  CHECK(says(finding, "symbols cannot cross: every reference names the version that it wants"));
  CHECK(says(finding, "driver 525.60.13 or newer serves both"));
}

TEST_CASE("without a version a reference ends in the runtime that was loaded first, which is a risk") {
  auto world = with_runtimes();
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "libb.so"}}));
  world.add("/opt/liba.so", user_of(eleven));
  world.add("/opt/libb.so", {.needed = {twelve}, .uses = {{"cudaGetDeviceCount"}}});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD303 warning libcudart.so.12: libcudart.so.12\n");
  CHECK(in_full(report) ==
        R"(CUD303 | warning | /lib/libcudart.so.12 | libcudart.so.12
  two CUDA runtimes in one process, libcudart.so.11.0, CUDA runtime 11.8 and libcudart.so.12, CUDA runtime 12.4: )"
        R"(calls meant for one reach the other
  - libcudart.so.11.0, CUDA runtime 11.8: used by liba.so; 1 reference ends in it | /lib/libcudart.so.11.0 | proven
  - libcudart.so.12, CUDA runtime 12.4: used by libb.so | /lib/libcudart.so.12 | proven
  - symbols cross: 1 reference of the users of libcudart.so.12 is answered by another runtime, first )"
        R"(cudaGetDeviceCount of libb.so | proven
)" + two_runtimes_share +
            R"(  = cudaGetDeviceCount of libb.so is answered by the other runtime: what one registers or allocates a )"
            R"(handle for, the other does not know. Kernels fail with "invalid device function", or results are wrong.
)" + one_runtime_is_left);
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings[0].message.ends_with("calls meant for one reach the other"));
  CHECK(says(report.findings[0],
             "1 reference of the users of libcudart.so.12 is answered by another runtime, first cudaGetDeviceCount "
             "of libb.so"));

  // The other way round it is the right one, by luck.
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"libb.so", "liba.so"}}));
  const auto lucky = world.explain({"/bin/app"});
  REQUIRE(findings(lucky) == "CUD303 note libcudart.so.11.0: libcudart.so.11.0\n");
  CHECK(says(lucky.findings[0], "symbols do not cross here, but could: the references of libb.so name no version"));
}

TEST_CASE("a runtime linked into a library counts beside another one") {
  auto world = with_runtimes();
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "libb.so"}}));
  world.add("/opt/liba.so", user_of(twelve));
  world.files.add_file("/opt/libb.so", with_linked_runtime(12060));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD303 note libb.so: libb.so\n");
  CHECK(says(report.findings[0], "12.6 inside libb.so: linked into it, and used by it alone"));
  CHECK(says(report.findings[0], "those of a runtime that is linked in end in their own file"));
}

TEST_CASE("a runtime linked into a library that does not stay loaded is told to whoever asks what files carry") {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.files.add_file("/opt/libb.so", with_linked_runtime(12060, {.needed = {"libnone.so"}}));
  world.query.dlopens = {{.name = "/opt/libb.so"}};
  const auto runtime = [&world] {
    const auto report = world.explain({"/bin/app"});
    const auto& objects = report.resolution.objects;
    const auto found = std::find_if(objects.begin(), objects.end(),
                                    [](const Object& object) { return object.path == "/opt/libb.so"; });
    REQUIRE(found != objects.end());
    CHECK(found->unmapped);
    return found->cuda ? found->cuda->version : std::string();
  };
  CHECK(runtime().empty());
  world.query.gpu_code = true;
  CHECK(runtime() == "12.6");
}

TEST_CASE("linked runtimes of one release in one package are its maker's business, in two packages they are news") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt:/else", .needed = {"liba.so", "libb.so"}}));
  world.files.add_file("/opt/liba.so", with_linked_runtime(12040));
  world.files.add_file("/opt/libb.so", with_linked_runtime(12040));
  REQUIRE(findings(world.explain({"/bin/app"})) == "");
  world.files.add_file("/opt/libb.so", with_linked_runtime(12060));
  REQUIRE(findings(world.explain({"/bin/app"})) == "CUD303 note libb.so: libb.so\n");
  CHECK(in_full(world.explain({"/bin/app"})) ==
        R"(CUD303 | note | /opt/libb.so | libb.so
  two CUDA runtimes in one process, CUDA runtime 12.4 inside liba.so and CUDA runtime 12.6 inside libb.so, kept apart
  - CUDA runtime 12.4 inside liba.so: linked into it, and used by it alone | /opt/liba.so | proven
  - CUDA runtime 12.6 inside libb.so: linked into it, and used by it alone | /opt/libb.so | proven
  - symbols cannot cross: those of a runtime that is linked in end in their own file | proven
)" + two_runtimes_kept_apart);
  world.add("/bin/app", program({.runpath = "/opt:/else", .needed = {"liba.so", "libc.so"}}));
  world.files.add_file("/else/libc.so", with_linked_runtime(12040));
  REQUIRE(findings(world.explain({"/bin/app"})) == "CUD303 note libc.so: libc.so\n");
}

TEST_CASE("an extension of a framework that has another runtime than the framework is built for another CUDA") {
  auto world = with_runtimes();
  const std::string site = "/venv/lib/python3.11/site-packages/";
  world.add(site + "frame/libtorch_frame.so", user_of(twelve));
  auto extension = user_of(eleven, {"libtorch_frame.so"});
  extension.runpath = "$ORIGIN/../frame";
  world.add(site + "ext/_ext.so", extension);
  const auto report = world.explain({site + "ext/_ext.so"});
  REQUIRE(findings(report) ==
          "CUD308 warning _ext.so: _ext.so\n"
          "CUD303 note libcudart.so.12: libcudart.so.12\n");
  CHECK(in_full(report) ==
        R"(CUD308 | warning | /venv/lib/python3.11/site-packages/ext/_ext.so | _ext.so
  _ext.so is built for CUDA 11, and libtorch_frame.so, which it extends, for CUDA 12
  - _ext.so needs libtorch_frame.so, and libcudart.so.11.0 | /venv/lib/python3.11/site-packages/ext/_ext.so | proven
  - libtorch_frame.so needs libcudart.so.12 | /venv/lib/python3.11/site-packages/frame/libtorch_frame.so | proven
  = Both load. Extensions that compare the two (torchvision, torch_sparse and its like do so when a GPU is there) )"
        R"(raise RuntimeError at import; others register their kernels with a runtime of their own, and hand streams )"
        R"(and memory of one to the other.
  > a build of _ext.so for CUDA 12, or of libtorch_frame.so for CUDA 11
  ! another toolkit or LD_LIBRARY_PATH: what was compiled stays as it is
CUD303 | note | /lib/libcudart.so.12 | libcudart.so.12
  two CUDA runtimes in one process, libcudart.so.11.0, CUDA runtime 11.8 and libcudart.so.12, CUDA runtime 12.4, kept )"
        R"(apart
  - libcudart.so.11.0, CUDA runtime 11.8: used by _ext.so; 1 reference ends in it | /lib/libcudart.so.11.0 | proven
  - libcudart.so.12, CUDA runtime 12.4: used by libtorch_frame.so; 1 reference ends in it | /lib/libcudart.so.12 | )"
        R"(proven
  - symbols cannot cross: every reference names the version that it wants, and each runtime defines its own | proven
)" + two_runtimes_kept_apart);
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings[0].message ==
        "_ext.so is built for CUDA 11, and libtorch_frame.so, which it extends, for CUDA 12");
  CHECK(says(report.findings[0], "_ext.so needs libtorch_frame.so, and libcudart.so.11.0"));
  CHECK(says(report.findings[0], "libtorch_frame.so needs libcudart.so.12"));

  // With their packages it names these.
  install(world, site, {"ext", "0.9"}, {"ext/_ext.so"});
  install(world, site, {"frame", "2.0"}, {"frame/libtorch_frame.so"});
  CHECK(world.explain({site + "ext/_ext.so"}).findings[0].message ==
        "ext 0.9 is built for CUDA 11, and frame 2.0, which it extends, for CUDA 12");

  // One package may link what it likes.
  install(world, site, {"ext", "0.9"}, {"ext/_ext.so", "frame/libtorch_frame.so"});
  world.files.add_file(site + "frame-2.0.dist-info/RECORD", "");
  REQUIRE(findings(world.explain({site + "ext/_ext.so"})) == "CUD303 note libcudart.so.12: libcudart.so.12\n");
}

TEST_CASE("an extension with the same release of CUDA is not built for another one") {
  auto world = with_runtimes();
  world.add("/frame/libtorch_frame.so", user_of(twelve));
  world.files.add_file("/ext/libext.so",
                       with_linked_runtime(12040, {.runpath = "/frame", .needed = {"libtorch_frame.so"}}));
  REQUIRE(findings(world.explain({"/ext/libext.so"})) == "CUD303 note libext.so: libext.so\n");
  world.files.add_file("/ext/libext.so",
                       with_linked_runtime(11080, {.runpath = "/frame", .needed = {"libtorch_frame.so"}}));
  const auto report = world.explain({"/ext/libext.so"});
  REQUIRE(findings(report) == "CUD308 warning libext.so: libext.so\nCUD303 note libext.so: libext.so\n");
  CHECK(in_full(report) ==
        R"(CUD308 | warning | /ext/libext.so | libext.so
  libext.so is built for CUDA 11.8, and libtorch_frame.so, which it extends, for CUDA 12
  - libext.so needs libtorch_frame.so, and itself, with a CUDA runtime linked in | /ext/libext.so | proven
  - libtorch_frame.so needs libcudart.so.12 | /frame/libtorch_frame.so | proven
  = Both load. Extensions that compare the two (torchvision, torch_sparse and its like do so when a GPU is there) )"
        R"(raise RuntimeError at import; others register their kernels with a runtime of their own, and hand streams )"
        R"(and memory of one to the other.
  > a build of libext.so for CUDA 12, or of libtorch_frame.so for CUDA 11.8
  ! another toolkit or LD_LIBRARY_PATH: what was compiled stays as it is
CUD303 | note | /ext/libext.so | libext.so
  two CUDA runtimes in one process, libcudart.so.12, CUDA runtime 12.4 and CUDA runtime 11.8 inside libext.so, kept )"
        R"(apart
  - libcudart.so.12, CUDA runtime 12.4: used by libtorch_frame.so; 1 reference ends in it | /lib/libcudart.so.12 | )"
        R"(proven
  - CUDA runtime 11.8 inside libext.so: linked into it, and used by it alone | /ext/libext.so | proven
  - symbols cannot cross: those of a runtime that is linked in end in their own file | proven
)" + two_runtimes_kept_apart);
  CHECK(says(report.findings[0], "libext.so needs libtorch_frame.so, and itself, with a CUDA runtime linked in"));
}

TEST_CASE("what uses several runtimes itself is built for none of them alone") {
  auto world = with_runtimes();
  world.add("/frame/libtorch_frame.so", user_of(twelve));
  auto extension = user_of(twelve, {eleven, "libtorch_frame.so"});
  extension.runpath = "/frame";
  extension.needs_versions.push_back({eleven, {{eleven}}});
  extension.uses.push_back({.name = "cudaGetDeviceCount", .version = eleven});
  world.add("/ext/libext.so", extension);
  CHECK(findings(world.explain({"/ext/libext.so"})) == "CUD303 note libcudart.so.11.0: libcudart.so.11.0\n");
}

TEST_CASE("what is no framework has no extensions, and what proves no minor release is of a major") {
  auto world = with_runtimes();
  world.add("/frame/libcustatevec.so", user_of(twelve));
  world.files.add_file("/ext/libext.so",
                       with_linked_runtime(12060, {.runpath = "/frame", .needed = {"libcustatevec.so"}}));
  CHECK(findings(world.explain({"/ext/libext.so"})) == "CUD303 note libext.so: libext.so\n");
  // The runtime that is installed need not be the one that libtorch_frame.so was built for.
  world.add("/frame/libtorch_frame.so", user_of(twelve));
  world.files.add_file("/ext/libext.so",
                       with_linked_runtime(12060, {.runpath = "/frame", .needed = {"libtorch_frame.so"}}));
  CHECK(findings(world.explain({"/ext/libext.so"})) == "CUD303 note libext.so: libext.so\n");
}

TEST_CASE("a library whose name several majors share, found in another one than the rest, is told") {
  TestWorld world;
  const auto curand = [](std::uint32_t version) {
    return library(
        {"libcurand.so.10", "libcurand.so.10", {{"curandGetVersion", store(version)}, {"curandCreateGenerator", ""}}});
  };
  world.add("/bin/app", program({.needed = {"libcurand.so.10", "libcublas.so.11"}}));
  world.add("/lib/libcublas.so.11", {.soname = "libcublas.so.11"});
  world.files.add_file("/lib/libcurand.so.10", curand(10309));  // of CUDA 12
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD302 note app: libcurand.so.10\n");
  CHECK(in_full(report) ==
        R"(CUD302 | note | /bin/app | libcurand.so.10
  libcurand.so.10 comes from CUDA 12, and the rest of what app asks for is of CUDA 11
  - libcurand.so.10, cuRAND 10.3.9 | /lib/libcurand.so.10 | proven
  = It loads, as several majors of CUDA give it the same name; it has been made and tested with another runtime.
)");
  CHECK(report.findings[0].message ==
        "libcurand.so.10 comes from CUDA 12, and the rest of what app asks for is of CUDA 11");
  world.files.add_file("/lib/libcurand.so.10", curand(10300));  // of CUDA 11
  REQUIRE(findings(world.explain({"/bin/app"})) == "");

  // Where nothing else tells the major, any will do.
  world.add("/bin/app", program({.needed = {"libcurand.so.10"}}));
  world.files.add_file("/lib/libcurand.so.10", curand(10309));
  REQUIRE(findings(world.explain({"/bin/app"})) == "");
}

}  // namespace
}  // namespace cudald
