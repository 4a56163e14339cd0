// Several CUDA runtimes in one process: CUD303, who was built for another CUDA: CUD308, and majors that mix: CUD302.

#include <doctest/doctest.h>

#include <algorithm>

#include <cudald/cuda_library.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/installed_package.h"
#include "unit/check/findings/made_report.h"
#include "unit/knowledge/library_file.h"

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

/// What CUD308 says of any extension that was built for another CUDA than its framework, by in_full().
const std::string extension_of_other_cuda =
    R"(  = Both load. Extensions that compare the two CUDA versions, as torchvision and torch_sparse do where )"
    R"(there is a GPU, raise RuntimeError at import. Others register their kernels with their own runtime, and )"
    R"(pass streams and memory of one runtime to the other.
)";

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
  CHECK(says(finding, "symbols cannot cross: every reference names its symbol version"));
  CHECK(says(finding, "driver 525.60.13 or newer serves both"));
}

TEST_CASE("without a version a reference ends in the runtime that was loaded first, which is a risk") {
  auto world = with_runtimes();
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "libb.so"}}));
  world.add("/opt/liba.so", user_of(eleven));
  world.add("/opt/libb.so", {.needed = {twelve}, .uses = {{"cudaGetDeviceCount"}}});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) ==
          "CUD303 warning libcudart.so.12: libcudart.so.12\nCUD205 note libb.so: cudaGetDeviceCount\n");
  CHECK(in_full(report, "CUD303") ==
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
  CHECK(says(report.findings[0], "calls to a runtime that is linked in stay within that file"));
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
  - symbols cannot cross: calls to a runtime that is linked in stay within that file | proven
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
  - _ext.so needs libtorch_frame.so and needs libcudart.so.11.0 | )"
        R"(/venv/lib/python3.11/site-packages/ext/_ext.so | proven
  - libtorch_frame.so needs libcudart.so.12 | /venv/lib/python3.11/site-packages/frame/libtorch_frame.so | proven
)" + extension_of_other_cuda +
            R"(  > install a build of _ext.so for CUDA 12, or one of libtorch_frame.so for CUDA 11
  ! another toolkit or LD_LIBRARY_PATH: neither changes what the code was built for
CUD303 | note | /lib/libcudart.so.12 | libcudart.so.12
  two CUDA runtimes in one process, libcudart.so.11.0, CUDA runtime 11.8 and libcudart.so.12, CUDA runtime 12.4, kept )"
            R"(apart
  - libcudart.so.11.0, CUDA runtime 11.8: used by _ext.so; 1 reference ends in it | /lib/libcudart.so.11.0 | proven
  - libcudart.so.12, CUDA runtime 12.4: used by libtorch_frame.so; 1 reference ends in it | /lib/libcudart.so.12 | )"
            R"(proven
  - symbols cannot cross: every reference names its symbol version, and each runtime defines another one | proven
)" + two_runtimes_kept_apart);
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings[0].message ==
        "_ext.so is built for CUDA 11, and libtorch_frame.so, which it extends, for CUDA 12");
  CHECK(says(report.findings[0], "_ext.so needs libtorch_frame.so and needs libcudart.so.11.0"));
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
  - libext.so needs libtorch_frame.so and has a CUDA runtime linked in | /ext/libext.so | proven
  - libtorch_frame.so needs libcudart.so.12 | /frame/libtorch_frame.so | proven
)" + extension_of_other_cuda +
            R"(  > install a build of libext.so for CUDA 12, or one of libtorch_frame.so for CUDA 11.8
  ! another toolkit or LD_LIBRARY_PATH: neither changes what the code was built for
CUD303 | note | /ext/libext.so | libext.so
  two CUDA runtimes in one process, libcudart.so.12, CUDA runtime 12.4 and CUDA runtime 11.8 inside libext.so, kept )"
            R"(apart
  - libcudart.so.12, CUDA runtime 12.4: used by libtorch_frame.so; 1 reference ends in it | /lib/libcudart.so.12 | )"
            R"(proven
  - CUDA runtime 11.8 inside libext.so: linked into it, and used by it alone | /ext/libext.so | proven
  - symbols cannot cross: calls to a runtime that is linked in stay within that file | proven
)" + two_runtimes_kept_apart);
  CHECK(says(report.findings[0], "libext.so needs libtorch_frame.so and has a CUDA runtime linked in"));
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
  libcurand.so.10 comes from CUDA 12, and the other libraries that app needs are of CUDA 11
  - libcurand.so.10, cuRAND 10.3.9 | /lib/libcurand.so.10 | proven
  = It loads, as several majors of CUDA give it the same name; it has been made and tested with another runtime.
)");
  CHECK(report.findings[0].message ==
        "libcurand.so.10 comes from CUDA 12, and the other libraries that app needs are of CUDA 11");
  world.files.add_file("/lib/libcurand.so.10", curand(10300));  // of CUDA 11
  REQUIRE(findings(world.explain({"/bin/app"})) == "");

  // Where nothing else tells the major, any will do.
  world.add("/bin/app", program({.needed = {"libcurand.so.10"}}));
  world.files.add_file("/lib/libcurand.so.10", curand(10309));
  REQUIRE(findings(world.explain({"/bin/app"})) == "");
}

TEST_CASE("of three runtimes two are named and the rest counted") {
  auto world = with_runtimes();
  world.files.add_file("/lib/libcudart.so.13", cuda_runtime("libcudart.so.13", 13000));
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "libb.so", "libc.so"}}));
  world.add("/opt/liba.so", user_of(eleven));
  world.add("/opt/libb.so", user_of(twelve));
  world.add("/opt/libc.so", user_of("libcudart.so.13"));
  CHECK(in_full(world.explain({"/bin/app"})) ==
        R"(CUD303 | note | /lib/libcudart.so.12 | libcudart.so.12
  3 CUDA runtimes in one process, libcudart.so.11.0, CUDA runtime 11.8, libcudart.so.12, CUDA runtime )"
        R"(12.4 and 1 more, kept apart
  - libcudart.so.11.0, CUDA runtime 11.8: used by liba.so; 1 reference ends in it | /lib/libcudart.so.11.0 | proven
  - libcudart.so.12, CUDA runtime 12.4: used by libb.so; 1 reference ends in it | /lib/libcudart.so.12 | proven
  - libcudart.so.13, CUDA runtime 13.0: used by libc.so; 1 reference ends in it | /lib/libcudart.so.13 | proven
  - symbols cannot cross: every reference names its symbol version, and each runtime defines another one | proven
  - shared: the driver and the primary context of each GPU, so memory and streams of one can be used by )"
        R"(the other | rule | CUDA Driver API, Primary Context Management
  - not shared: kernels, textures and managed variables belong to the runtime that registered them; each )"
        R"(has its own last error | rule | CUDA C++ Programming Guide, Interoperability between Runtime and Driver )"
        R"(APIs
  - driver 580 or newer serves all | table
  = Both work side by side, as long as each library launches its own kernels. cudaGetLastError of one )"
        R"(does not report the errors of the other.
  > use builds for one CUDA, so that only one runtime is loaded: an extension built for the CUDA of its )"
        R"(framework, or newer builds of both
  ! installing both toolkits, or changing LD_LIBRARY_PATH: neither changes what the code was built for
)");
  world.add("/opt/libd.so", user_of(twelve));
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "libb.so", "libd.so"}}));
  CHECK(in_full(world.explain({"/bin/app"})) ==
        R"(CUD303 | note | /lib/libcudart.so.12 | libcudart.so.12
  two CUDA runtimes in one process, libcudart.so.11.0, CUDA runtime 11.8 and libcudart.so.12, CUDA )"
        R"(runtime 12.4, kept apart
  - libcudart.so.11.0, CUDA runtime 11.8: used by liba.so; 1 reference ends in it | /lib/libcudart.so.11.0 | proven
  - libcudart.so.12, CUDA runtime 12.4: used by libb.so, libd.so; 2 references end in it | )"
        R"(/lib/libcudart.so.12 | proven
  - symbols cannot cross: every reference names its symbol version, and each runtime defines another one | proven
)" + two_runtimes_kept_apart);
}

/// Uses several functions of the runtime, without saying of which.
ElfSpec careless_user(const std::string& runtime) {
  return {.needed = {runtime},
          .uses = {{.name = "cudaGetDeviceCount"}, {.name = "cudaRuntimeGetVersion"}, {.name = "other_function"}}};
}

TEST_CASE("references that go astray are counted for each runtime, with the first of them") {
  auto world = with_runtimes();
  const std::string user = "libb.so", more = "libc.so";
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "libb.so", "libc.so", "libother.so"}}));
  world.add("/opt/liba.so", user_of(eleven));
  world.add("/opt/libother.so", {.defines = {{"other_function"}}});
  for (const auto& name : {user, more}) world.add("/opt/" + name, careless_user(twelve));
  CHECK(in_full(world.explain({"/bin/app"}), "CUD303") ==
        R"(CUD303 | warning | /lib/libcudart.so.12 | libcudart.so.12
  two CUDA runtimes in one process, libcudart.so.11.0, CUDA runtime 11.8 and libcudart.so.12, CUDA )"
        R"(runtime 12.4: calls meant for one reach the other
  - libcudart.so.11.0, CUDA runtime 11.8: used by liba.so; 1 reference ends in it | /lib/libcudart.so.11.0 | proven
  - libcudart.so.12, CUDA runtime 12.4: used by libb.so, libc.so | /lib/libcudart.so.12 | proven
  - symbols cross: 4 references of the users of libcudart.so.12 are answered by another runtime, first )"
        R"(cudaGetDeviceCount of libc.so | proven
  - shared: the driver and the primary context of each GPU, so memory and streams of one can be used by )"
        R"(the other | rule | CUDA Driver API, Primary Context Management
  - not shared: kernels, textures and managed variables belong to the runtime that registered them; each )"
        R"(has its own last error | rule | CUDA C++ Programming Guide, Interoperability between Runtime and Driver )"
        R"(APIs
  - driver 525.60.13 or newer serves both | table
  = cudaGetDeviceCount of libc.so is answered by the other runtime: what one registers or allocates a )"
        R"(handle for, the other does not know. Kernels fail with "invalid device function", or results are wrong.
  > use builds for one CUDA, so that only one runtime is loaded: an extension built for the CUDA of its )"
        R"(framework, or newer builds of both
  ! installing both toolkits, or changing LD_LIBRARY_PATH: neither changes what the code was built for
)");
  // Nothing goes astray where the right one comes first.
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"libb.so", "libc.so", "liba.so", "libother.so"}}));
  const auto lucky = world.explain({"/bin/app"});
  REQUIRE(lucky.findings.size() == 1);
  CHECK(lucky.findings[0].evidence[2].text ==
        "symbols do not cross here, but could: the references of libc.so, libb.so name no version");
  CHECK(says(lucky.findings[0], "used by libb.so, libc.so; 4 references end in it"));
}

/// A program with CUDA 12.4, and behind it a library with a runtime of its own whose calls all end in the first.
Report with_idle_runtime(std::uint32_t release, bool split = false) {
  auto world = with_runtimes();
  const std::string bundled = release < 12000 ? "libcudart-0badc0de.so.11.0" : "libcudart-0badc0de.so.12";
  auto user = careless_user(bundled);
  if (split) {
    user.uses.push_back({.name = "cudaGetDeviceCount", .version = bundled});
    user.needs_versions = {{bundled, {{bundled}}}};
  }
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "libb.so", "libother.so"}}));
  world.add("/opt/liba.so", user_of(twelve));
  world.add("/opt/libother.so", {.defines = {{"other_function"}}});
  world.add("/opt/libb.so", user);
  world.files.add_file("/usr/lib/" + bundled, cuda_runtime(bundled, release));
  return world.explain({"/bin/app"});
}

TEST_CASE("a runtime in whose place another one answers everything, and is not older, is loaded and not used") {
  for (const auto release : {12040u, 12030u}) {
    const auto idle = with_idle_runtime(release);
    REQUIRE(findings(idle) ==
            "CUD303 note libcudart-0badc0de.so.12: libcudart-0badc0de.so.12\n"
            "CUD205 note libb.so: cudaGetDeviceCount\n");
    CHECK(idle.verdict == Verdict::loads);
    CHECK(idle.findings[0].message.ends_with(", kept apart"));
    CHECK(says(idle.findings[0],
               "libcudart-0badc0de.so.12 is loaded and not used: all 2 references of its users are answered by "
               "libcudart.so.12, which is not older"));
    for (const auto& evidence : idle.findings[0].evidence) CHECK(evidence.text.find("symbols") != 0);
    CHECK(idle.findings[0].consequence.starts_with("Both work side by side"));
  }
  // A newer one would have been needed; one of another major; one that answers something itself.
  CHECK(findings(with_idle_runtime(12050)) ==
        "CUD303 warning libcudart-0badc0de.so.12: libcudart-0badc0de.so.12\n"
        "CUD205 note libb.so: cudaGetDeviceCount\n");
  CHECK(with_idle_runtime(11080).findings[0].level == Level::warning);
  CHECK(with_idle_runtime(12040, true).findings[0].level == Level::warning);
}

TEST_CASE("what uses both runtimes does not go astray in either") {
  auto world = with_runtimes();
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"libb.so"}}));
  auto both = careless_user(eleven);
  both.needed.emplace_back(twelve);
  both.uses.pop_back();
  world.add("/opt/libb.so", both);
  CHECK(in_full(world.explain({"/bin/app"})) ==
        R"(CUD303 | note | /lib/libcudart.so.12 | libcudart.so.12
  two CUDA runtimes in one process, libcudart.so.11.0, CUDA runtime 11.8 and libcudart.so.12, CUDA )"
        R"(runtime 12.4, kept apart
  - libcudart.so.11.0, CUDA runtime 11.8: used by libb.so; 2 references end in it | /lib/libcudart.so.11.0 | proven
  - libcudart.so.12, CUDA runtime 12.4: used by libb.so | /lib/libcudart.so.12 | proven
  - symbols do not cross here, but could: the references of libb.so name no version | proven
)" + two_runtimes_kept_apart);
  world.query.symbols = SymbolCheck::none;
  CHECK(in_full(world.explain({"/bin/app"})) ==
        R"(CUD303 | note | /lib/libcudart.so.12 | libcudart.so.12
  two CUDA runtimes in one process, libcudart.so.11.0, CUDA runtime 11.8 and libcudart.so.12, CUDA )"
        R"(runtime 12.4, kept apart
  - libcudart.so.11.0, CUDA runtime 11.8: used by libb.so | /lib/libcudart.so.11.0 | proven
  - libcudart.so.12, CUDA runtime 12.4: used by libb.so | /lib/libcudart.so.12 | proven
)" + two_runtimes_kept_apart);
}

TEST_CASE("runtimes of no known release are told without a driver, and those that nobody uses say so") {
  auto world = with_runtimes();
  world.files.add_file("/lib/" + eleven,
                       library({eleven, eleven, {{"cudaRuntimeGetVersion", ""}, {"cudaGetDeviceCount", ""}}}));
  world.files.add_file("/lib/" + twelve,
                       library({twelve, twelve, {{"cudaRuntimeGetVersion", ""}, {"cudaGetDeviceCount", ""}}}));
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so"}}));
  world.add("/opt/liba.so", {.needed = {eleven}});
  world.query.dlopens = {{.name = twelve}};
  CHECK(in_full(world.explain({"/bin/app"})) ==
        R"(CUD303 | note | /lib/libcudart.so.12 | libcudart.so.12
  two CUDA runtimes in one process, libcudart.so.11.0, CUDA runtime 11.0 and libcudart.so.12, CUDA )"
        R"(runtime 12, kept apart
  - libcudart.so.11.0, CUDA runtime 11.0: used by liba.so | /lib/libcudart.so.11.0 | proven
  - libcudart.so.12, CUDA runtime 12: used by app | /lib/libcudart.so.12 | proven
  - symbols cannot cross: every reference names its symbol version, and each runtime defines another one | proven
)" + two_runtimes_kept_apart);
}

const std::string python_site = "/venv/lib/python3.11/site-packages/";

/// What CUD308 says of an extension of a framework, both in packages; their files are as given.
std::string extension_told(TestWorld& world, const PackageName& framework, const PackageName& extension,
                           const std::vector<std::string>& files = {"ext/_ext.so"}) {
  install(world, python_site, framework, {"frame/libtorch_cuda.so"});
  install(world, python_site, extension, files);
  std::string text;
  for (const auto& finding : world.explain({python_site + "ext/_ext.so"}).findings)
    if (finding.code == "CUD308") text += finding.message + "\n";
  return text;
}

TEST_CASE("a framework whose release is known is built for the CUDA of that, an extension for what is linked into it") {
  auto world = with_runtimes();
  world.add(python_site + "frame/libtorch_cuda.so", user_of(twelve));
  const auto extension = [&](std::uint32_t release) {
    world.files.add_file(python_site + "ext/_ext.so",
                         with_linked_runtime(release, {.runpath = "$ORIGIN/../frame", .needed = {"libtorch_cuda.so"}}));
  };
  extension(12060);
  CHECK(extension_told(world, {"torch", "2.8.0"}, {"ext", "0.9"}) ==
        "ext 0.9 is built for CUDA 12.6, and torch 2.8.0, which it extends, for CUDA 12.8\n");
  CHECK(extension_told(world, {"torch", "0.0.1"}, {"ext", "0.9"}) == "");
  extension(12080);
  CHECK(extension_told(world, {"torch", "2.8.0"}, {"ext", "0.9"}) == "");
}

TEST_CASE("a runtime that an extension brings along in its package is that of its build") {
  auto world = with_runtimes();
  const std::string bundled = "libcudart-1a2b3c4d.so.12.6.77";
  world.add(python_site + "frame/libtorch_cuda.so", user_of(twelve));
  world.files.add_file(python_site + "ext.libs/" + bundled, cuda_runtime(bundled, 12060));
  auto extension = user_of(bundled, {"libtorch_cuda.so"});
  extension.runpath = "$ORIGIN/../frame:$ORIGIN/../ext.libs";
  world.add(python_site + "ext/_ext.so", extension);
  CHECK(extension_told(world, {"torch", "2.8.0"}, {"ext", "0.9"}, {"ext/_ext.so", "ext.libs/" + bundled}) ==
        "ext 0.9 is built for CUDA 12.6, and torch 2.8.0, which it extends, for CUDA 12.8\n");
  CHECK(extension_told(world, {"torch", "2.8.0"}, {"ext", "0.9"}) == "");
}

TEST_CASE("up to CUDA 10 each release has a runtime of its own name, and later each major") {
  const auto told = [](const std::string& one, std::uint32_t release, const std::string& other, std::uint32_t others) {
    auto world = with_runtimes();
    world.files.add_file("/lib/" + one, cuda_runtime(one, release));
    world.files.add_file("/lib/" + other, cuda_runtime(other, others));
    world.add(python_site + "frame/libtorch_cuda.so", user_of(other));
    auto extension = user_of(one, {"libtorch_cuda.so"});
    extension.runpath = "$ORIGIN/../frame";
    world.add(python_site + "ext/_ext.so", extension);
    return extension_told(world, {"frame", "1.0"}, {"ext", "0.9"});
  };
  CHECK(told("libcudart.so.10.1", 10010, "libcudart.so.10.2", 10020) ==
        "ext 0.9 is built for CUDA 10.1, and frame 1.0, which it extends, for CUDA 10.2\n");
  CHECK(told("libcudart.so.10.1", 10010, twelve, 12040) ==
        "ext 0.9 is built for CUDA 10.1, and frame 1.0, which it extends, for CUDA 12\n");
  CHECK(told(eleven, 11080, "libcudart.so.10.2", 10020) ==
        "ext 0.9 is built for CUDA 11, and frame 1.0, which it extends, for CUDA 10.2\n");
}

TEST_CASE("an extension whose framework uses no runtime, or the same, or is not found, is built for no other CUDA") {
  const auto told = [](const ElfSpec& framework, bool there = true) {
    auto world = with_runtimes();
    if (there) world.add(python_site + "frame/libtorch_cuda.so", framework);
    world.add(python_site + "frame/libother.so", user_of(twelve));
    auto extension = user_of(eleven, {"libother.so", "libtorch_cuda.so"});
    extension.runpath = "$ORIGIN/../frame";
    world.add(python_site + "ext/_ext.so", extension);
    return extension_told(world, {"frame", "1.0"}, {"ext", "0.9"});
  };
  CHECK(told(user_of(twelve)) == "ext 0.9 is built for CUDA 11, and frame 1.0, which it extends, for CUDA 12\n");
  CHECK(told({}) == "");
  CHECK(told(user_of(eleven)) == "");
  CHECK(told({}, false) == "");
}

TEST_CASE("of the extensions in one folder one is told, and none that is gone again") {
  auto world = with_runtimes();
  world.add("/frame/libtorch_cuda.so", user_of(twelve));
  world.add("/bin/app", program({}));
  auto extension = user_of(eleven, {"libtorch_cuda.so"});
  extension.runpath = "/frame";
  for (const std::string path : {"/one/liba.so", "/one/libb.so", "/two/libc.so"}) world.add(path, extension);
  extension.needed.emplace_back("libnone.so");
  world.add("/three/libd.so", extension);
  for (const std::string path : {"/one/liba.so", "/one/libb.so", "/two/libc.so", "/three/libd.so"})
    world.query.dlopens.push_back({.name = path});
  std::string told;
  for (const auto& finding : world.explain({"/bin/app"}).findings)
    if (finding.code == "CUD308") told += finding.subject + " ";
  CHECK(told == "liba.so libc.so ");
}

TEST_CASE("runtimes of one release that one vendor links into several packages are its business") {
  const auto told = [](const std::string& first, const std::string& second, std::uint32_t release = 12040) {
    TestWorld world;
    world.add("/bin/app",
              program({.runpath = python_site + "one:" + python_site + "two", .needed = {"liba.so", "libb.so"}}));
    world.files.add_file(python_site + "one/liba.so", with_linked_runtime(12040));
    world.files.add_file(python_site + "two/libb.so", with_linked_runtime(release));
    if (!first.empty()) install(world, python_site, {first, "1"}, {"one/liba.so"});
    if (!second.empty()) install(world, python_site, {second, "1"}, {"two/libb.so"});
    return findings(world.explain({"/bin/app"}));
  };
  const std::string note = "CUD303 note libb.so: libb.so\n";
  CHECK(told("jaxlib", "jax-cuda12-plugin") == "");
  CHECK(told("jax_cuda12_plugin", "jaxlib") == "");
  CHECK(told("jaxlib", "jax-cuda12-plugin", 12060) == note);
  CHECK(told("jaxlib", "torch") == note);
  CHECK(told("jaxlib", "") == note);
  CHECK(told("", "jaxlib") == note);
}

TEST_CASE("a linked runtime beside a library of the same release counts where others use that") {
  const auto told = [](const std::string& user_package, std::uint32_t release = 12040) {
    auto world = with_runtimes();
    world.add("/bin/app", program({.runpath = python_site + "one", .needed = {"liba.so", "libb.so"}}));
    world.files.add_file(python_site + "one/liba.so", with_linked_runtime(release));
    world.add(python_site + "one/libb.so", user_of(twelve));
    install(world, python_site, {"one", "1"}, {"one/liba.so"});
    install(world, python_site, {user_package, "1"}, {"one/libb.so"});
    if (user_package == "one") install(world, python_site, {"one", "1"}, {"one/liba.so", "one/libb.so"});
    return findings(world.explain({"/bin/app"}));
  };
  CHECK(told("one") == "");
  CHECK(told("two") == "CUD303 note liba.so: liba.so\n");
  CHECK(told("one", 12060) == "CUD303 note liba.so: liba.so\n");
}

TEST_CASE("a library of another major is told once, and only where it says which release it is") {
  const auto told = [](const std::string& bytes, const std::vector<std::string>& askers) {
    TestWorld world;
    ElfSpec app{.runpath = "/opt"};
    for (const auto& name : askers) {
      app.needed.emplace_back(name);
      world.add("/opt/" + name, {.needed = {"libcurand.so.10", "libcublas.so.11", "libcusparse.so.11"}});
    }
    world.add("/bin/app", program(app));
    for (const std::string name : {"libcublas.so.11", "libcusparse.so.11"}) world.add("/lib/" + name, {.soname = name});
    world.files.add_file("/lib/libcurand.so.10", bytes);
    return findings(world.explain({"/bin/app"}));
  };
  const auto curand = [](std::uint32_t version) {
    return library(
        {"libcurand.so.10", "libcurand.so.10", {{"curandGetVersion", store(version)}, {"curandCreateGenerator", ""}}});
  };
  CHECK(told(curand(10309), {"liba.so", "libb.so"}) == "CUD302 note liba.so: libcurand.so.10\n");
  CHECK(told(curand(90909), {"liba.so"}) == "");
  CHECK(told(elf({.soname = "libcurand.so.10"}), {"liba.so"}) == "");
}

/// Two runtimes, two users of them, and where references of these end, made by hand.
struct MadeRuntimes {
  MadeRuntimes()
      : report(made_report({made_object("/bin/app"), made_cuda("/a/libcudart.so.11.0", CudaKind::cudart, "11.8", 11),
                            made_cuda("/b/libcudart.so.12", CudaKind::cudart, "12.4", 12), made_object("/a/liba.so"),
                            made_object("/b/libb.so")})) {
    report.resolution.objects[3].edges = {made_edge("libcudart.so.11.0", EdgeStatus::loaded, 1)};
    report.resolution.objects[4].edges = {made_edge("libcudart.so.12", EdgeStatus::loaded, 2)};
    report.symbols.emplace();
  }
  std::string told() {
    report.findings.clear();
    made_findings(check_runtimes, report);
    std::string text = std::string(to_string(report.findings.at(0).level)) + "\n";
    for (const auto& each : report.findings[0].evidence)
      if (!each.text.starts_with("shared") && !each.text.starts_with("not shared")) text += each.text + "\n";
    return text;
  }
  Report report;
};

TEST_CASE("references count by who makes them, to what, and where they end") {
  MadeRuntimes made;
  const auto told = [&](std::vector<Binding> bindings) {
    made.report.symbols->bindings = std::move(bindings);
    return made.told();
  };
  const std::string used = "libcudart.so.11.0, CUDA runtime 11.8: used by liba.so",
                    other = "libcudart.so.12, CUDA runtime 12.4: used by libb.so",
                    driver = "driver 525.60.13 or newer serves both\n",
                    apart =
                        "symbols cannot cross: every reference names its symbol version, and each runtime "
                        "defines another one\n";
  CHECK(told({}) == "note\n" + used + "\n" + other + "\n" + apart + driver);
  CHECK(told({{3, "cudaMalloc", "v", 1}, {3, "cudaFree", "v", 1}, {4, "cudaMalloc", "v", 2}}) ==
        "note\n" + used + "; 2 references end in it\n" + other + "; 1 reference ends in it\n" + apart + driver);
  // Of the runtime itself, to what is none, of another function, and by who uses neither.
  CHECK(told({{1, "cudaMalloc", "v", 1}, {3, "cudaMalloc", "", 0}, {3, "strlen", "", 1}, {0, "cudaMalloc", "", 1}}) ==
        told({}));
  CHECK(told({{4, "cudaMalloc", "", 1}}) ==
        "warning\n" + used + "\n" + other +
            "\nsymbols cross: 1 reference of the users of libcudart.so.12 is answered "
            "by another runtime, first cudaMalloc of libb.so\n" +
            driver);
  CHECK(told({{4, "cudaFree", "", 1}, {4, "cudaMalloc", "", 1}, {4, "cudaMalloc", "", 2}}) ==
        "warning\n" + used + "\n" + other +
            "; 1 reference ends in it\nsymbols cross: 2 references of the users of "
            "libcudart.so.12 are answered by another runtime, first cudaFree of libb.so\n" +
            driver);
  CHECK(told({{4, "cudaFree", "", 2}, {4, "cudaMalloc", "", 2}}) ==
        "note\n" + used + "\n" + other +
            "; 2 references end in it\nsymbols do not cross here, but could: the "
            "references of libb.so name no version\n" +
            driver);
}

TEST_CASE("on Windows, and where symbols are not bound, nothing is said of them; unknown releases need no driver") {
  MadeRuntimes made;
  made.report.symbols->bindings = {{4, "cudaMalloc", "", 1}};
  const auto bound = made.told();
  made.report.symbols.reset();
  const auto unbound = made.told();
  CHECK(bound.starts_with("warning\n"));
  CHECK(unbound ==
        "note\nlibcudart.so.11.0, CUDA runtime 11.8: used by liba.so\nlibcudart.so.12, CUDA runtime 12.4: "
        "used by libb.so\ndriver 525.60.13 or newer serves both\n");
  MadeRuntimes windows;
  windows.report.symbols->bindings = {{4, "cudaMalloc", "", 1}};
  windows.report.resolution.windows = true;
  CHECK(windows.told().find("symbols") == std::string::npos);
  MadeRuntimes unknown;
  unknown.report.resolution.objects[1] = made_cuda("/a/libcudart.so", CudaKind::cudart, "", 0);
  CHECK(unknown.told().find("driver 525.60.13 or newer serves both\n") != std::string::npos);
  unknown.report.resolution.objects[2] = made_cuda("/b/libcudart.so", CudaKind::cudart, "", 0);
  CHECK(unknown.told().find("driver ") == std::string::npos);
}

TEST_CASE("of a runtime that does not say its release no extension is built for another one") {
  const auto told = [](const std::string& own, int own_major, const std::string& theirs, int their_major) {
    MadeRuntimes made;
    made.report.resolution.objects[1] = made_cuda("/a/x/libcudart.so.11.0", CudaKind::cudart, own, own_major);
    made.report.resolution.objects[2] = made_cuda("/b/x/libcudart.so.12", CudaKind::cudart, theirs, their_major);
    made.report.resolution.objects[4].path = "/b/libtorch.so";
    made.report.resolution.objects[3].edges.push_back(made_edge("libtorch.so", EdgeStatus::loaded, 4));
    made.told();
    std::string text;
    for (const auto& finding : made.report.findings)
      if (finding.code == "CUD308") text += finding.message + "\n";
    return text;
  };
  CHECK(told("11.8", 11, "12.4", 12) ==
        "liba.so is built for CUDA 11, and libtorch.so, which it extends, for CUDA 12\n");
  CHECK(told("", 0, "12.4", 12) == "");
  CHECK(told("11.8", 11, "", 0) == "");
  CHECK(told("10.2", 10, "12.4", 12) ==
        "liba.so is built for CUDA 10.2, and libtorch.so, which it extends, for CUDA 12\n");
}

}  // namespace
}  // namespace cudald
