// What the packager's own rules say: CUD502, 510 and 701 to 709.

#include <doctest/doctest.h>

#include "common/fatbin_file.h"
#include "common/wheel_file.h"
#include "unit/check/finding_text.h"
#include "unit/cuda/library_file.h"

namespace cudald {
namespace {

/// What the rules of `policy` find in one library.
std::string broken(const ElfSpec& spec, const Policy& policy) {
  TestWorld world;
  world.add("/opt/liba.so", spec);
  world.add("/lib/libc.so.6", {.soname = "libc.so.6",
                               .defines_versions = {"GLIBC_2.17", "GLIBC_2.34", "GLIBC_PRIVATE", "GLIBCXX_3.4.30"}});
  world.query.policy = policy;
  world.query.symbols = SymbolCheck::none;
  const auto report = world.explain({"/opt/liba.so"});
  CHECK(report.verdict != Verdict::fails);
  return findings(report);
}

ElfSpec needing_versions(const std::vector<std::string>& versions) {
  VersionNeed need;
  need.file = "libc.so.6";
  for (const auto& version : versions) need.versions.push_back({.name = version});
  return {.needed = {"libc.so.6"}, .needs_versions = {need}};
}

TEST_CASE("without rules nothing is forbidden") {
  auto spec = needing_versions({"GLIBC_2.34"});
  spec.executable_stack = true;
  spec.flags = DF_TEXTREL;
  CHECK(broken(spec, {}) == "");
}

TEST_CASE("versions of glibc and libstdc++ are compared as numbers") {
  CHECK(broken(needing_versions({"GLIBC_2.17", "GLIBC_2.34"}), {.max_glibc = "2.28"}) ==
        "CUD701 error liba.so: GLIBC_2.34\n");
  CHECK(broken(needing_versions({"GLIBC_2.34"}), {.max_glibc = "2.34"}) == "");
  CHECK(broken(needing_versions({"GLIBC_2.17"}), {.max_glibc = "2.5"}) == "CUD701 error liba.so: GLIBC_2.17\n");
  CHECK(broken(needing_versions({"GLIBC_PRIVATE"}), {.max_glibc = "2.28"}) == "");
  CHECK(broken(needing_versions({"GLIBCXX_3.4.30"}), {.max_glibcxx = "3.4.9"}) ==
        "CUD702 error liba.so: GLIBCXX_3.4.30\n");
  CHECK(broken(needing_versions({"GLIBCXX_3.4.30"}), {.max_glibc = "2.17", .max_glibcxx = "3.4.30"}) == "");
}

TEST_CASE("only libraries that are allowed come from outside") {
  Policy policy;
  policy.allowed_libraries = {{"libm.so.*", "ld-*"}};
  CHECK(broken(needing_versions({}), policy) == "CUD703 error liba.so: libc.so.6\n");
  policy.allowed_libraries->push_back("libc.so.6");
  CHECK(broken(needing_versions({}), policy) == "");
}

TEST_CASE("search paths: absolute ones, and those that fit a pattern") {
  const ElfSpec spec{.runpath = "$ORIGIN:/opt/x/lib"};
  CHECK(broken(spec, {.forbid_absolute_rpath = true}) == "CUD704 error liba.so: /opt/x/lib\n");
  CHECK(broken({.rpath = "$ORIGIN/../lib"}, {.forbid_absolute_rpath = true}) == "");
  CHECK(broken(spec, {.forbidden_rpath = {"/opt/*"}}) == "CUD704 error liba.so: /opt/x/lib\n");
  CHECK(broken(spec, {.forbidden_rpath = {"/usr/*"}}) == "");
}

TEST_CASE("GPUs that are required and forbidden") {
  const auto found = [](const std::vector<FatbinEntry>& code, const Policy& policy) {
    TestWorld world;
    world.files.add_file("/opt/libk.so", gpu_library({.soname = "libk.so"}, code));
    world.query.policy = policy;
    return findings(world.explain({"/opt/libk.so"}));
  };
  const std::vector<FatbinEntry> code = {{2, 70}, {1, 80}};
  CHECK(found(code, {.required_gpus = {{70, 0}, {75, 0}, {90, 0}}}) == "");
  CHECK(found(code, {.required_gpus = {{61, 0}}}) == "CUD705 error libk.so: sm_61\n");
  CHECK(found(code, {.forbidden_gpus = {{70, 0}}}) == "CUD706 error libk.so: sm_70\n");
  CHECK(found(code, {.forbidden_gpus = {{75, 0}}}) == "");
  CHECK(found({}, {.required_gpus = {{70, 0}}}) == "CUD705 error sm_70\n");
}

TEST_CASE("stacks and text relocations") {
  const Policy policy{.forbid_executable_stack = true, .forbid_text_relocations = true};
  CHECK(broken({.executable_stack = false}, policy) == "");
  CHECK(broken({.executable_stack = true}, policy) == "CUD708 error liba.so: liba.so\n");
  CHECK(broken({}, policy) == "CUD708 error liba.so: liba.so\n");
  CHECK(broken({.flags = DF_TEXTREL, .executable_stack = false}, policy) == "CUD709 error liba.so: liba.so\n");
}

TEST_CASE("what claims the stable ABI uses nothing else of Python") {
  const auto found = [](const std::string& name, const std::string& symbol, bool checked = true) {
    TestWorld world;
    world.files.add_file("/opt/" + name, elf({.uses = {{symbol}}}));
    world.query.policy.check_abi3 = checked;
    world.query.symbols = SymbolCheck::none;
    return findings(world.explain({"/opt/" + name}));
  };
  CHECK(found("a.abi3.so", "PyList_New") == "");
  CHECK(found("a.abi3.so", "PyUnicode_AsUnicode") == "CUD510 warning a.abi3.so: PyUnicode_AsUnicode\n");
  CHECK(found("a.abi3.so", "PyType_GetName") == "CUD510 warning a.abi3.so: PyType_GetName (3.11)\n");
  CHECK(found("a.cpython-311-x86_64-linux-gnu.so", "PyUnicode_AsUnicode") == "");
  CHECK(found("a.abi3.so", "PyUnicode_AsUnicode", false) == "");
}

TEST_CASE("of a wheel its own files are judged, and the tag says since when") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-abi3-linux_x86_64.whl";
  world.files.add_file(path,
                       wheel_file({{"pkg/__init__.py", ""}, {"pkg/a.abi3.so", elf({.uses = {{"PyType_GetName"}}})}}));
  world.query.symbols = SymbolCheck::none;
  CHECK(findings(world.explain({path})).find("CUD510") == std::string::npos);
  world.query.policy.forbid_executable_stack = true;
  CHECK(findings(world.explain({path})).find("CUD708 error a.abi3.so: a.abi3.so\n") != std::string::npos);
}

TEST_CASE("each rule says what is broken, where that stands, and what mends it") {
  TestWorld world;
  auto spec = needing_versions({"GLIBC_2.17", "GLIBC_2.34", "GLIBCXX_3.4.30"});
  spec.needed.push_back("libc.so.6");
  spec.runpath = "$ORIGIN:/opt/x/lib";
  spec.flags = DF_TEXTREL;
  spec.executable_stack = true;
  world.add("/opt/liba.so", spec);
  world.add("/opt/b.abi3.so", {.uses = {{"PyUnicode_AsUnicode"}, {"PyUnicode_AsUnicodeAndSize"}, {"PyType_GetName"}}});
  world.add("/lib/libc.so.6",
            {.soname = "libc.so.6", .defines_versions = {"GLIBC_2.17", "GLIBC_2.34", "GLIBCXX_3.4.30"}});
  world.query.symbols = SymbolCheck::none;
  Policy policy{.max_glibc = "2.28", .max_glibcxx = "3.4.20"};
  policy.allowed_libraries.emplace();
  policy.forbid_absolute_rpath = policy.forbid_executable_stack = policy.forbid_text_relocations = true;
  world.query.policy = policy;
  CHECK(in_full(world.explain({"/opt/liba.so"})) == R"(CUD701 | error | /opt/liba.so | GLIBC_2.34
  liba.so needs GLIBC_2.34, and no newer glibc than GLIBC_2.28 is allowed
  - its version needs name GLIBC_2.34 | /opt/liba.so | proven
  > build it in an image that has glibc 2.28 or older
CUD702 | error | /opt/liba.so | GLIBCXX_3.4.30
  liba.so needs GLIBCXX_3.4.30, and no newer libstdc++ than GLIBCXX_3.4.20 is allowed
  - its version needs name GLIBCXX_3.4.30 | /opt/liba.so | proven
  > build it in an image that has libstdc++ 3.4.20 or older
CUD703 | error | /opt/liba.so | libc.so.6
  liba.so needs libc.so.6, which is none of the libraries that may come from outside
  - it is in its list of needed libraries | /opt/liba.so | proven
CUD704 | error | /opt/liba.so | /opt/x/lib
  the DT_RUNPATH of liba.so names /opt/x/lib, which is forbidden
  - it is "$ORIGIN:/opt/x/lib" | /opt/liba.so | proven
  > name folders by where the file itself lies: $ORIGIN
CUD708 | error | /opt/liba.so | liba.so
  liba.so makes the stack executable
  - its PT_GNU_STACK has the flag for execution | /opt/liba.so | proven
  = From glibc 2.41 on a dlopen of it fails: cannot enable executable stack.
CUD709 | error | /opt/liba.so | liba.so
  liba.so has text relocations: its code is written to when it is loaded
  - DT_TEXTREL or DF_TEXTREL is set | /opt/liba.so | proven
)");
  CHECK(in_full(world.explain({"/opt/b.abi3.so"})) == R"(CUD708 | error | /opt/b.abi3.so | b.abi3.so
  b.abi3.so makes the stack executable
  - it has no PT_GNU_STACK, which means the same | /opt/b.abi3.so | proven
  = From glibc 2.41 on a dlopen of it fails: cannot enable executable stack.
CUD510 | warning | /opt/b.abi3.so | PyUnicode_AsUnicode
  b.abi3.so claims the stable ABI, and uses PyUnicode_AsUnicode and 2 more, which are no part of it
  - no part of it: PyUnicode_AsUnicode, PyUnicode_AsUnicodeAndSize | /opt/b.abi3.so | proven
  - only from a later release on: PyType_GetName (3.11) | /opt/b.abi3.so | proven
  - what is part of it, and since when | table
  = Its import fails in a Python that does not have these functions.
)");
}

TEST_CASE("rules on CUDA: what is bundled, which GPUs have code, which driver may be needed") {
  TestWorld world;
  world.files.add_file("/opt/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  world.files.add_file("/opt/libk.so", with_linked_runtime(11080, {.soname = "libk.so"}, {{2, 70}}));
  world.add("/opt/libplain.so", {.soname = "libplain.so"});
  Policy policy;
  policy.forbid_bundled_cuda = true;
  policy.required_gpus = {{80, 0}};
  policy.forbidden_gpus = {{70, 0}};
  policy.max_driver = "470.0";
  world.query.policy = policy;
  CHECK(in_full(world.explain({"/opt/libcudart.so.12"})) == R"(CUD705 | error | sm_80
  nothing here has code for GPUs, and code for sm_80 is required
CUD707 | error | 525.60.13
  CUDA 12.4 needs driver 525.60.13 or newer, and no newer one than 470.0 may be needed
CUD502 | error | /opt/libcudart.so.12 | CUDA runtime
  libcudart.so.12 is NVIDIA's CUDA runtime 12.4
)");
  CHECK(in_full(world.explain({"/opt/libk.so"})) == R"(CUD705 | error | /opt/libk.so | sm_80
  libk.so has no code that runs on sm_80, which is required
CUD706 | error | /opt/libk.so | sm_70
  libk.so has code for sm_70, which is forbidden
CUD502 | error | /opt/libk.so | CUDA runtime
  libk.so holds a linked-in CUDA runtime 11.8
)");
  CHECK(in_full(world.explain({"/opt/libplain.so"})) == R"(CUD705 | error | sm_80
  nothing here has code for GPUs, and code for sm_80 is required
)");
}

TEST_CASE("of a wheel all of its own files are judged, wherever they lie, and none of those beside it") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
  const std::string beside = "/dist/dep-1.0-py3-none-any.whl";
  const ElfSpec needing{.runpath = "$ORIGIN/../pkg.libs:$ORIGIN/../dep", .needed = {"libown.so", "libdep.so"}};
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import a\n"},
                                         {"pkg/a.so", elf(needing)},
                                         {"pkg.libs/libown.so", elf({.runpath = "/opt/own"})}}));
  world.files.add_file(beside, wheel_file({{"dep/libdep.so", elf({.runpath = "/opt/dep"})}}, "", "dep"));
  world.query.packages = {beside};
  world.query.policy.forbid_absolute_rpath = true;
  world.query.symbols = SymbolCheck::none;
  CHECK(findings(world.explain({path})) == "CUD704 error libown.so: /opt/own\n");
}

}  // namespace
}  // namespace cudald
