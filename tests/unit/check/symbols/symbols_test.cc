#include <algorithm>
#include <tuple>

#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("a symbol that nothing defines is an error, a warning or a note by who is to blame") {
  struct Row {
    std::string name;
    std::string target;
    ElfReference use;
    std::string finding;
    Verdict verdict;
  };
  const Row rows[] = {
      {"data of a program", "/bin/app", {"f"}, "CUD201 error app: f\n", Verdict::fails},
      {"a call of a program", "/bin/app", {"f", ElfUse::call}, "CUD201 warning app: f\n", Verdict::risk},
      {"of a library, which a program may define", "/lib/libx.so", {"f"}, "CUD201 warning libx.so: f\n", Verdict::risk},
      {"of an extension module",
       "/lib/libx.so",
       {"PyModule_Create2"},
       "CUD201 note libx.so: PyModule_Create2\n",
       Verdict::loads},
      {"a weak one", "/bin/app", {"f", ElfUse::data, "", STB_WEAK}, "", Verdict::loads},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    TestWorld world;
    world.add("/bin/app", program({.uses = {row.use}}));
    world.add("/lib/libx.so", {.soname = "libx.so", .uses = {row.use}});
    const auto report = world.explain({row.target});
    CHECK(findings(report) == row.finding);
    CHECK(report.verdict == row.verdict);
  }
}

TEST_CASE("missing symbols of one file are one finding, readable and counted") {
  TestWorld world;
  ElfSpec app;
  for (int i = 0; i < 20; ++i) app.uses.push_back({"_ZN3foo1" + std::string(1, static_cast<char>('a' + i)) + "Ev"});
  world.add("/bin/app", program(app));
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD201 error app: _ZN3foo1aEv\n");
  CHECK(in_full(report) ==
        R"(CUD201 | error | /bin/app | _ZN3foo1aEv
  app needs 20 symbols, which nothing in the process defines
  - _ZN3foo1aEv = foo::a() | /bin/app | proven
  - _ZN3foo1bEv = foo::b() | /bin/app | proven
  - _ZN3foo1cEv = foo::c() | /bin/app | proven
  - _ZN3foo1dEv = foo::d() | /bin/app | proven
  - _ZN3foo1eEv = foo::e() | /bin/app | proven
  - _ZN3foo1fEv = foo::f() | /bin/app | proven
  - _ZN3foo1gEv = foo::g() | /bin/app | proven
  - _ZN3foo1hEv = foo::h() | /bin/app | proven
  = The loader stops with: symbol lookup error: /bin/app: undefined symbol: _ZN3foo1aEv
)");
  CHECK(report.findings[0].message.find("20 symbols") != std::string::npos);
  CHECK(report.findings[0].evidence.size() == 8);
  CHECK(report.findings[0].evidence[0].text.find("foo::a()") != std::string::npos);
}

TEST_CASE("a versioned symbol of a library alone is the fault of the files") {
  TestWorld world;
  world.add("/opt/plugin.so", {.soname = "plugin.so",
                               .needed = {"liba.so"},
                               .needs_versions = {{"liba.so", {{"V1"}}}},
                               .uses = {{"f", ElfUse::data, "V1"}}});
  world.add("/lib/liba.so", {.soname = "liba.so", .defines_versions = {"V1"}, .defines = {{"g", "V1"}}});
  CHECK(findings(world.explain({"/opt/plugin.so"})) == "CUD201 error plugin.so: f\n");
  CHECK(in_full(world.explain({"/opt/plugin.so"})) ==
        R"(CUD201 | error | /opt/plugin.so | f
  plugin.so needs the symbol f, which nothing in the process defines
  - f, version V1 of liba.so | /opt/plugin.so | proven
  = The loader stops with: symbol lookup error: /opt/plugin.so: undefined symbol: f, version V1
)");
}

TEST_CASE("while a library is missing, nothing is said of symbols that it might define") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"none.so"}, .uses = {{"f"}}}));
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error app: none.so\n");
}

TEST_CASE("an object without versions that answers for the library of a version is noted") {
  TestWorld world;
  const VersionNeed need{"libc.so", {{.name = "V1"}}};
  world.add("/bin/app", program({.needed = {"libc.so"},
                                 .needs_versions = {need},
                                 .uses = {{.name = "malloc", .version = "V1"}, {.name = "free", .version = "V1"}}}));
  world.add("/lib/libc.so", {.soname = "libc.so",
                             .defines_versions = {"V1"},
                             .defines = {{.name = "malloc", .version = "V1"}, {.name = "free", .version = "V1"}}});
  CHECK(findings(world.explain({"/bin/app"})) == "");
  world.add("/opt/libje.so", {.soname = "libje.so", .defines = {{"malloc"}, {"free"}}});
  world.query.environment.preload = {"/opt/libje.so"};
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD204 note libje.so: malloc\n");
  CHECK(in_full(report) ==
        R"(CUD204 | note | /opt/libje.so | malloc
  malloc and 1 more are answered by libje.so, not by the library whose version was requested
  - app asks for malloc, version V1 | /bin/app | proven
  = libje.so has no versions, so it matches any version, and comes earlier in the symbol search.
)");
  CHECK(report.findings[0].message ==
        "malloc and 1 more are answered by libje.so, not by the library whose version was requested");
}

/// The report on a wheel whose only module uses a symbol that nothing defines.
Report wheel_that_uses(const std::string& symbol, std::vector<ElfNeeded> needed = {}) {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
  const ElfSpec module{.needed = std::move(needed), .uses = {{symbol}}, .executable_stack = false};
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", elf(module)}},
                                        "Requires-Dist: cudald-unknown-package\n"));
  return world.explain({path});
}

TEST_CASE("what Python imports gets no symbol of C++ from a Python that is not at hand, and may get others") {
  const auto report = wheel_that_uses("_ZN1c1fEv");
  CHECK(report.verdict == Verdict::fails);
  CHECK(findings(report).starts_with("CUD201 error a.abi3.so: _ZN1c1fEv\n"));
  CHECK(says(report.findings[0], "undefined symbol: _ZN1c1fEv"));
  CHECK(wheel_that_uses("f").verdict == Verdict::risk);
  CHECK(wheel_that_uses("PyList_New").verdict == Verdict::loads);
  // Of a library that a requirement may bring it may come all the same.
  CHECK(wheel_that_uses("_ZN1c1fEv", {"libodd.so.1"}).verdict == Verdict::loads);
}

TEST_CASE("what is Python's own is there where Python loads it, of a wheel as of a module, and is noted elsewhere") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  const ElfSpec module{.uses = {{"PyList_New"}}};
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.so", elf(module)}}));
  CHECK(findings(world.explain({path})) == "");
  world.add("/opt/a.so", module);
  CHECK(findings(world.explain({"/opt/a.so"})) == "CUD201 note a.so: PyList_New\n");
}

TEST_CASE("a version that is wanted of a file without any aborts the loader, at the start or at the first call") {
  for (const auto& [use, level, when] : {std::tuple(ElfUse::data, Level::error, "The"),
                                         std::tuple(ElfUse::call, Level::warning, "At the first call the")}) {
    TestWorld world;
    world.add("/bin/app", program({.needed = {"libx.so.1"},
                                   .needs_versions = {{"libx.so.1", {{"V_1"}}}},
                                   .uses = {{.name = "f", .use = use, .version = "V_1"}}}));
    world.add("/lib/libx.so.1", {.soname = "libx.so.1", .defines = {{"f"}}});
    const auto report = world.explain({"/bin/app"});
    const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                    [](const Finding& finding) { return finding.code == "CUD201"; });
    REQUIRE(found != report.findings.end());
    CHECK(found->level == level);
    CHECK(found->subject == "f");
    CHECK(report.resolution.objects[*found->object].path == "/bin/app");
    CHECK(found->message == "app wants f in version V_1 of libx.so.1, and that file has no versions at all");
    CHECK(found->consequence.starts_with(std::string(when) + " loader takes it for its own fault and aborts: "));
    REQUIRE(found->fixes.size() == 1);
    CHECK(found->fixes[0].title ==
          "put a libx.so.1 in place that was linked with a version script, as the one app was built against");
  }
}

/// CUD201 and its like of a file that misses these symbols, made by hand.
std::string told_of_missing(const std::vector<MissingSymbol>& missing, std::vector<Edge> edges = {},
                            TargetKind kind = TargetKind::start) {
  auto report = made_report({made_object("/lib/liba.so"), made_object("/lib/libb.so")});
  report.resolution.targets[0].kind = kind;
  report.resolution.objects[1].edges = std::move(edges);
  report.symbols.emplace();
  report.symbols->missing = missing;
  made_findings(check_symbols, report);
  std::string text;
  for (const auto& finding : report.findings)
    text += std::string(to_string(finding.level)) + ": " + finding.message + "\n";
  return text;
}

MissingSymbol missing_symbol(const std::string& name, bool of_files = false, bool lazy = false) {
  MissingSymbol missing;
  missing.name = name;
  missing.of_files = of_files;
  missing.lazy = lazy;
  return missing;
}

TEST_CASE("symbols of Python begin as those of its interface do") {
  const std::string python = " of Python's own symbols come from the interpreter\n",
                    other = "from the program that loads it\n";
  for (const std::string name : {"PyList_New", "Py_Initialize", "_Py_Dealloc", "_PyObject_New"})
    CHECK(told_of_missing({missing_symbol(name)}) == "note: liba.so is an extension module: 1" + python);
  for (const std::string name : {"Py", "_Py", "Pylon", "Py1", "xPy_New", "__Py_New", "pyList_New"}) {
    CAPTURE(name);
    CHECK(told_of_missing({missing_symbol(name)}) == "warning: liba.so expects the symbol " + name + " " + other);
  }
  CHECK(told_of_missing({missing_symbol("PyList_New"), missing_symbol("Py_Initialize"), missing_symbol("f")}) ==
        "warning: liba.so expects the symbol f " + other + "note: liba.so is an extension module: 2" + python);
  for (const auto kind : {TargetKind::import, TargetKind::package})
    CHECK(told_of_missing({missing_symbol("PyList_New")}, {}, kind) == "");
  CHECK(told_of_missing({missing_symbol("PyList_New")}, {}, TargetKind::dlopen) != "");
  CHECK(told_of_missing({missing_symbol("f")}, {}, TargetKind::import) != "");
}

TEST_CASE("what files should define is missed at the start or at the first call, and counted") {
  CHECK(told_of_missing({missing_symbol("f", true)}) ==
        "error: liba.so needs the symbol f, which nothing in the process defines\n");
  CHECK(told_of_missing({missing_symbol("f", true), missing_symbol("_Z1gv", true)}) ==
        "error: liba.so needs 2 symbols, which nothing in the process defines\n");
  CHECK(told_of_missing({missing_symbol("_Z1gv", true, true)}) ==
        "warning: liba.so calls g(), which nothing in the process defines\n");
  CHECK(told_of_missing({missing_symbol("f", true, true), missing_symbol("g", true, true)}) ==
        "warning: liba.so calls 2 functions, which nothing in the process defines\n");
  CHECK(told_of_missing({missing_symbol("f"), missing_symbol("g")}) ==
        "warning: liba.so expects 2 symbols from the program that loads it\n");
}

TEST_CASE("symbols that a missing library would define are not told, but for those of Python") {
  auto hard = made_edge("libnone.so", EdgeStatus::missing), soft = hard, found = hard;
  soft.hard = false;
  found.object = 0;
  auto versioned = missing_symbol("f", true);
  CHECK(told_of_missing({versioned}, {hard}) == "");
  CHECK(told_of_missing({versioned}, {soft}) != "");
  CHECK(told_of_missing({versioned}, {found}) != "");
  versioned.version_file = "libnone.so";
  CHECK(told_of_missing({versioned}, {hard}) == "");
  versioned.version_file = "libother.so";
  CHECK(told_of_missing({versioned}, {hard}) != "");
  CHECK(told_of_missing({missing_symbol("PyList_New")}, {hard}) != "");
}

}  // namespace
}  // namespace cudald
