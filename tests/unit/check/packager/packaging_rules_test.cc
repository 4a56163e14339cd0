// What the packager's own rules say: CUD502, 510 and 701 to 709.

#include <doctest/doctest.h>

#include "common/fatbin_file.h"
#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/knowledge/library_file.h"

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

TEST_CASE("of what is installed the recorded tag says since when; without one nothing is too new") {
  const auto found = [](const std::string& tag, const std::string& symbol) {
    TestWorld world;
    const std::string site = "/v/lib/python3.11/site-packages/";
    world.files.add_file(site + "pkg/a.abi3.so", elf({.uses = {{symbol}}}));
    const auto info = site + "pkg-1.0.dist-info/";
    world.files.add_file(info + "METADATA", "Name: pkg\nVersion: 1.0\n");
    world.files.add_file(info + "RECORD", "pkg/a.abi3.so,,\n");
    if (!tag.empty()) world.files.add_file(info + "WHEEL", "Wheel-Version: 1.0\nTag: " + tag + "\n");
    world.query.symbols = SymbolCheck::none;
    return findings(world.explain({site + "pkg/a.abi3.so"}));
  };
  CHECK(found("cp311-abi3-linux_x86_64", "PyType_GetName") == "");
  CHECK(found("cp39-abi3-linux_x86_64", "PyType_GetName") == "CUD510 warning a.abi3.so: PyType_GetName (3.11)\n");
  CHECK(found("", "PyType_GetName") == "");
  CHECK(found("", "PyUnicode_AsUnicode") == "CUD510 warning a.abi3.so: PyUnicode_AsUnicode\n");
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
  liba.so needs libc.so.6, which is not one of the libraries that may come from outside
  - it is in its list of needed libraries | /opt/liba.so | proven
CUD704 | error | /opt/liba.so | /opt/x/lib
  the DT_RUNPATH of liba.so names /opt/x/lib, which is forbidden
  - it is "$ORIGIN:/opt/x/lib" | /opt/liba.so | proven
  > name directories relative to the file: $ORIGIN
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
  const ElfSpec needing{
      .runpath = "$ORIGIN/../pkg.libs:$ORIGIN/../dep", .needed = {"libown.so", "libdep.so"}, .executable_stack = false};
  const ElfSpec own{.runpath = "/opt/own", .executable_stack = false};
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import a\n"},
                                         {"pkg/a.so", elf(needing)},
                                         {"pkg.libs/libown.so", elf(own)}}));
  world.files.add_file(
      beside, wheel_file({{"dep/libdep.so", elf({.runpath = "/opt/dep", .executable_stack = false})}}, "", "dep"));
  world.query.packages = {beside};
  world.query.policy.forbid_absolute_rpath = true;
  world.query.symbols = SymbolCheck::none;
  CHECK(findings(world.explain({path})) == "CUD704 error libown.so: /opt/own\n");
}

TEST_CASE("the newest version that is needed counts, in whatever order; weak needs and odd names do not") {
  const auto told = [](const ElfSpec& spec, const Policy& policy) {
    TestWorld world;
    world.add("/opt/liba.so", spec);
    ElfSpec libc{.soname = "libc.so.6"};
    for (const auto& version : spec.needs_versions[0].versions) libc.defines_versions.push_back(version.name);
    world.add("/lib/libc.so.6", libc);
    world.query.policy = policy;
    return findings(world.explain({"/opt/liba.so"}));
  };
  const Policy policy{.max_glibc = "2.17"};
  CHECK(told(needing_versions({"GLIBC_2.34", "GLIBC_2.30"}), policy) == "CUD701 error liba.so: GLIBC_2.34\n");
  CHECK(told(needing_versions({"GLIBC_2.30", "GLIBC_2.34"}), policy) == "CUD701 error liba.so: GLIBC_2.34\n");
  for (const std::string odd : {"GLIBC_", "GLIBC_/3", "GLIBC_:9", "GLIBD_2.34", "GLIBC_ABI_DT_RELR"}) {
    CAPTURE(odd);
    CHECK(told(needing_versions({odd}), policy) == "");
  }
  CHECK(told(needing_versions({"GLIBC_9"}), policy) == "CUD701 error liba.so: GLIBC_9\n");
  CHECK(told(needing_versions({"GLIBC_0.9"}), {.max_glibc = "0"}) == "CUD701 error liba.so: GLIBC_0.9\n");
  auto weak = needing_versions({"GLIBC_2.34"});
  weak.needs_versions[0].versions[0].weak = true;
  CHECK(told(weak, policy) == "");
}

TEST_CASE("what comes from outside is asked for by a file's own list, and told once") {
  TestWorld world;
  world.add("/opt/liba.so", {.soname = "liba.so", .runpath = "/opt", .needed = {"libb.so", "libc.so.6"}});
  world.add("/opt/libb.so", {.soname = "libb.so", .needed = {"libc.so.6"}});
  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  world.add("/lib/libplug.so", {.soname = "libplug.so"});
  world.query.dlopens = {{.name = "libplug.so", .caller = "liba.so"}};
  world.query.policy.allowed_libraries.emplace();
  CHECK(findings(world.explain({"/opt/liba.so"})) ==
        "CUD703 error liba.so: libb.so\nCUD703 error liba.so: libc.so.6\n");
  // Both are own files now, and the second one asks for what the first one has told.
  CHECK(findings(world.explain({"/opt/liba.so", "/opt/libb.so"})) == "CUD703 error liba.so: libc.so.6\n");
  world.query.policy.allowed_libraries->push_back("libc.so.6");
  CHECK(findings(world.explain({"/opt/liba.so", "/opt/libb.so"})) == "");
}

TEST_CASE("of a search path the first folder that is forbidden is told, with the list in which it stands") {
  const auto told = [](const ElfSpec& spec, const Policy& policy) {
    TestWorld world;
    world.add("/opt/liba.so", spec);
    world.query.policy = policy;
    return in_full(world.explain({"/opt/liba.so"}));
  };
  CHECK(told({.rpath = "$ORIGIN:/one:/two"}, {.forbid_absolute_rpath = true}) == R"(CUD704 | error | /opt/liba.so | /one
  the DT_RPATH of liba.so names /one, which is forbidden
  - it is "$ORIGIN:/one:/two" | /opt/liba.so | proven
  > name directories relative to the file: $ORIGIN
)");
  // A DT_RUNPATH switches the other one off.
  CHECK(told({.rpath = "/one", .runpath = "/two"}, {.forbid_absolute_rpath = true}) ==
        R"(CUD704 | error | /opt/liba.so | /two
  the DT_RUNPATH of liba.so names /two, which is forbidden
  - it is "/two" | /opt/liba.so | proven
  > name directories relative to the file: $ORIGIN
)");
  CHECK(told({.runpath = "rel/x"}, {.forbid_absolute_rpath = true, .forbidden_rpath = {"rel/*"}}) ==
        R"(CUD704 | error | /opt/liba.so | rel/x
  the DT_RUNPATH of liba.so names rel/x, which is forbidden
  - it is "rel/x" | /opt/liba.so | proven
  > name directories relative to the file: $ORIGIN
CUD107 | note | /opt/liba.so | rel/x
  the DT_RUNPATH of liba.so searches the current directory ("rel/x")
  - DT_RUNPATH is "rel/x" | /opt/liba.so | proven
  = A file planted in the directory from which a program is started would be loaded.
  > search only the other directories | patchelf --remove-rpath /opt/liba.so
)");
  CHECK(told({.runpath = "/one"}, {.forbidden_rpath = {"rel/*"}}) == "");
}

TEST_CASE("code for GPUs: each way to have it, what is required of each file, and of none where nothing is") {
  const auto found = [](const std::vector<FatbinEntry>& code, const Policy& policy) {
    TestWorld world;
    world.files.add_file("/opt/libk.so", gpu_library({.soname = "libk.so"}, code));
    world.query.policy = policy;
    return findings(world.explain({"/opt/libk.so"}));
  };
  const std::vector<FatbinEntry> code = {{2, 70}, {1, 80}};  // SASS and PTX
  CHECK(found(code, {.forbidden_gpus = {{80, 0}}}) == "CUD706 error libk.so: sm_80\n");
  CHECK(found(code, {.required_gpus = {{61, 0}, {70, 0}, {62, 0}}}) ==
        "CUD705 error libk.so: sm_61\nCUD705 error libk.so: sm_62\n");
  CHECK(found(code, {.required_gpus = {{70, 0}}, .forbidden_gpus = {{70, 0}}}) == "CUD706 error libk.so: sm_70\n");
  CHECK(found({}, {.forbidden_gpus = {{70, 0}}}) == "");
  CHECK(found({}, {.required_gpus = {{75, 0}, {80, 0}}}) == "CUD705 error sm_75\n");
}

TEST_CASE("the stack: x86 without a word has an executable one, other machines have not") {
  const auto broken_on = [](std::uint16_t machine, std::optional<bool> executable) {
    TestWorld world;
    world.files.add_file("/lib/ld-linux-aarch64.so.1", elf({.machine = EM_AARCH64}));
    world.files.add_file("/lib/ld-linux.so.2", elf({.is_64 = false, .machine = EM_386}));
    world.add("/opt/liba.so", {.is_64 = machine != EM_386, .machine = machine, .executable_stack = executable});
    world.query.policy.forbid_executable_stack = true;
    return findings(world.explain({"/opt/liba.so"})).find("CUD708 error liba.so: liba.so\n") != std::string::npos;
  };
  CHECK(broken_on(EM_X86_64, std::nullopt));
  CHECK(broken_on(EM_386, std::nullopt));
  CHECK_FALSE(broken_on(EM_AARCH64, std::nullopt));
  CHECK_FALSE(broken_on(EM_386, false));
  CHECK(broken_on(EM_AARCH64, true));
}

TEST_CASE(
    "a library of CUDA of which no release is known is bundled all the same; files for Windows have no such stack") {
  TestWorld world;
  world.add("/opt/libcudnn.so.9", {.soname = "libcudnn.so.9", .executable_stack = false});
  world.query.policy.forbid_bundled_cuda = world.query.policy.forbid_executable_stack = true;
  CHECK(in_full(world.explain({"/opt/libcudnn.so.9"}), "CUD502") == R"(CUD502 | error | /opt/libcudnn.so.9 | cuDNN
  libcudnn.so.9 is NVIDIA's cuDNN 9
)");
  PeSpec app;
  app.characteristics = 0x22;
  world.files.add_file("/app/app.exe", pe(app));
  CHECK(findings(world.explain({"/app/app.exe"})) == "");
}

/// What of the stable ABI a module of a wheel with this tag uses and must not.
std::string unstable(const std::string& tag, const std::string& module, const std::vector<std::string>& used) {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-" + tag + "-linux_x86_64.whl";
  ElfSpec spec{.executable_stack = false};
  for (const auto& name : used) spec.uses.push_back({name});
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", ""}, {"pkg/" + module, elf(spec)}}));
  world.query.symbols = SymbolCheck::none;
  std::string text;
  for (const auto& finding : world.explain({path}).findings)
    if (finding.code == "CUD510") text += finding.message + "\n";
  return text;
}

TEST_CASE("the tag of a wheel claims the stable ABI for its modules, from the oldest Python that it names") {
  const std::vector<std::string> later{"PyType_GetName"}, later_still{"PyType_GetModuleByDef"};
  const std::string since = ", and uses PyType_GetName (3.11), which is only in that of later releases\n";
  CHECK(unstable("cp38-abi3", "a.so", later) == "a.so claims the stable ABI of Python 3.8" + since);
  CHECK(unstable("cp310-abi3", "a.abi3.so", later) == "a.abi3.so claims the stable ABI of Python 3.10" + since);
  CHECK(unstable("cp311-abi3", "a.so", later) == "");
  CHECK(unstable("cp311.cp39-abi3", "a.so", later) == "a.so claims the stable ABI of Python 3.9" + since);
  CHECK(unstable("cp39.cp311-abi3", "a.so", later) == "a.so claims the stable ABI of Python 3.9" + since);
  CHECK(unstable("cp310-abi3", "a.abi3.so", {"PyType_GetName", "PyUnicode_AsUnicode"}) ==
        "a.abi3.so claims the stable ABI of Python 3.10, and uses PyUnicode_AsUnicode and 1 more, which are no part of "
        "it\n");
  CHECK(unstable("cp310-abi3", "a.abi3.so", {"PyType_GetName", "PyType_GetModuleByDef"}) ==
        "a.abi3.so claims the stable ABI of Python 3.10, and uses PyType_GetModuleByDef (3.13) and 1 more, which are "
        "only in that of later releases\n");
  // A tag that names no release of Python 3 says nothing of since when.
  CHECK(unstable("cp3-abi3", "a.abi3.so", later) == "a.abi3.so claims the stable ABI" + since);
  CHECK(unstable("py3-abi3", "a.abi3.so", later) == "a.abi3.so claims the stable ABI" + since);
}

TEST_CASE("what is no module of the stable ABI may use all of Python") {
  const std::vector<std::string> used{"PyUnicode_AsUnicode"};
  for (const auto& [tag, module] :
       {std::pair("cp311-abi3", "a.cpython-311-x86_64-linux-gnu.so"), std::pair("cp311-abi3", "liba.so.1"),
        std::pair("cp311-cp311", "a.so"), std::pair("cp311-abi3.cp311", "a.so"), std::pair("cp311-none", "a.so")}) {
    const auto& seen_tag = tag;
    CAPTURE(seen_tag);
    const auto& seen_module = module;
    CAPTURE(seen_module);
    CHECK(unstable(tag, module, used) == "");
  }
  CHECK(unstable("cp311-abi3", "a.so", used) ==
        "a.so claims the stable ABI of Python 3.11, and uses PyUnicode_AsUnicode, which is no part of it\n");
  CHECK(unstable("cp311-abi3", "a.so", {}) == "");
}

}  // namespace
}  // namespace cudald
