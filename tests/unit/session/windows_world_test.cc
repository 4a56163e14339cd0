#include <algorithm>

#include <doctest/doctest.h>

#include <cudald/windows_host_file.h>

#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {
namespace {

PeSpec needing_f(const std::string& dll) { return {.imports = {{dll, {{"f"}}}}}; }

PeSpec exporting_f(const std::string& name) { return {.name = name, .exports = {{"f", 1, ""}}}; }

std::string import_error(const Report& report) {
  for (const auto& target : report.resolution.targets)
    if (target.kind == TargetKind::import) return target.error.empty() ? "imported" : target.error;
  return "no import";
}

const std::string module_not_found = "The specified module could not be found.";

/// A Python for Windows in /py, as it lies on a disk, with a package that needs b.dll.
TestWorld installed() {
  TestWorld world;
  PeSpec program;
  program.characteristics = 0x22;
  for (const auto* file : {"/py/python.exe", "/py/Scripts/python.exe"}) world.files.add_file(file, pe(program));
  world.files.add_file("/py/Lib/os.py", "import sys\n");
  world.files.add_file("/py/Lib/site-packages/pkg/__init__.py", "from . import _C\n");
  world.files.add_file("/py/Lib/site-packages/pkg/_C.cp311-win_amd64.pyd", pe(needing_f("b.dll")));
  world.query.prefix = "/py";
  return world;
}

TEST_CASE("--prefix names a Python of Windows") {
  auto world = installed();
  world.files.add_file("/py/python311.dll", pe(exporting_f("python311.dll")));
  CHECK(import_error(world.explain({"pkg"})) == "ImportError: DLL load failed while importing _C: " + module_not_found);
  CHECK(import_error(world.explain({"py:nothing"})) == "ModuleNotFoundError: No module named 'nothing'");
  world.files.add_file("/py/b.dll", pe(exporting_f("b.dll")));
  const auto report = world.explain({"pkg"});
  CHECK(import_error(report) == "imported");
  CHECK(report.resolution.objects.front().path == "/py/python.exe");
  CHECK(report.resolution.imports.front().python_version == "3.11");
}

TEST_CASE("conda's Python searches folders of the prefix, before 3.10 in another way") {
  auto world = installed();
  world.files.add_folder("/py/conda-meta");
  world.files.add_file("/py/Library/bin/b.dll", pe(exporting_f("b.dll")));
  world.files.add_file("/py/python311.dll", pe(exporting_f("python311.dll")));
  CHECK(import_error(world.explain({"pkg"})) == "imported");
  CHECK(probes(world.explain({"pkg"}), "/py/Lib/site-packages/pkg/_C.cp311-win_amd64.pyd", "b.dll").find("user") !=
        std::string::npos);

  auto old = installed();
  old.files.add_folder("/py/conda-meta");
  old.files.add_file("/py/python39.dll", pe(exporting_f("python39.dll")));
  old.files.add_file("/py/Lib/site-packages/pkg/_C.pyd", pe(needing_f("b.dll")));
  old.query.environment.dll_path = {"/p"};
  old.files.add_file("/p/b.dll", pe(exporting_f("b.dll")));
  CHECK(import_error(old.explain({"pkg"})) == "imported");
}

TEST_CASE("a virtual environment of Windows, whose base may lie elsewhere") {
  auto world = installed();
  world.files.add_file("/v/pyvenv.cfg", "home = C:\\Python311\nversion = 3.11.4\n");
  world.files.add_file("/v/Scripts/python.exe", pe({}));
  world.files.add_file("/v/Lib/site-packages/other/__init__.py", "from . import _C\n");
  world.files.add_file("/v/Lib/site-packages/other/_C.pyd", pe(needing_f("python311.dll")));
  world.query.prefix = "/v";
  const auto report = world.explain({"other"});
  CHECK(import_error(report) == "imported");
  CHECK(report.resolution.objects.back().load_name == "Z:\\v\\Lib\\site-packages\\other\\_C.pyd");
  // The interpreter itself needs it before.
  const auto& all = report.resolution.objects;
  CHECK(std::any_of(all.begin(), all.end(),
                    [](const Object& object) { return object.load_name == "C:\\Python311\\python311.dll"; }));
  world.files.add_file("/v/pyvenv.cfg", "home = Z:\\py\nversion = 3.11.4\n");
  CHECK(import_error(world.explain({"other"})) ==
        "ImportError: DLL load failed while importing _C: " + module_not_found);
}

TEST_CASE("conda's folders are added to the search from Python 3.10 on, and stand at the front of PATH before") {
  const auto rule = [](const std::string& minor) {
    TestWorld world = installed();
    world.files.add_folder("/py/conda-meta");
    world.files.add_file("/py/Library/bin/b.dll", pe(exporting_f("b.dll")));
    world.files.add_file("/py/python3" + minor + ".dll", pe(exporting_f("python3" + minor + ".dll")));
    world.files.add_file("/py/Lib/site-packages/pkg/_C.pyd", pe(needing_f("b.dll")));
    world.query.environment.dll_path = {"/p"};
    const auto report = world.explain({"pkg"});
    for (const auto& object : report.resolution.objects)
      for (const auto& edge : object.edges)
        if (edge.name == "b.dll" && edge.object) return std::string(to_string(edge.rule));
    return std::string("none");
  };
  // What is stated was added before, and is searched first.
  for (const auto* minor : {"10", "12"}) {
    TestWorld world = installed();
    world.files.add_folder("/py/conda-meta");
    for (const auto* folder : {"/py/Library/bin/", "/u/"})
      world.files.add_file(std::string(folder) + "b.dll", pe(exporting_f("b.dll")));
    world.files.add_file(std::string("/py/python3") + minor + ".dll", pe({}));
    world.files.add_file("/py/Lib/site-packages/pkg/_C.pyd", pe(needing_f("b.dll")));
    world.query.environment.dll_directories = {"/u"};
    CHECK(objects(world.explain({"pkg"})).find("/u/b.dll\n") != std::string::npos);
  }
  CHECK(rule("9") == "path");
  CHECK(rule("10") == "user-dir");
  CHECK(rule("12") == "user-dir");
}

TEST_CASE("where no Python of Windows is at hand a module that is nowhere may be installed all the same") {
  const auto outcome = [](const std::string& code) {
    TestWorld world;
    const std::string path = "/dist/pkg-1.0-cp311-cp311-win_amd64.whl";
    world.files.add_file(path, wheel_file({{"pkg/__init__.py", code}, {"pkg/_C.pyd", pe({})}}));
    world.query.world = WorldKind::here;
    const auto report = world.explain({path});
    std::string told;
    for (const auto& target : report.resolution.targets) told += target.error.empty() ? "loads\n" : target.error + "\n";
    return told;
  };
  CHECK(outcome("import somebodys_module\nfrom . import _C\n") == "loads\nloads\nloads\n");
  CHECK(outcome("from . import _D\n").starts_with("loads\nImportError: cannot import name '_D' from "));
}

TEST_CASE("a .pth file of a wheel alone adds its directories of Windows, and runs its import lines") {
  const auto outcome = [](const std::string& pth, const std::string& inner = "") {
    TestWorld world;
    const std::string path = "/dist/pkg-1.0-cp311-cp311-win_amd64.whl";
    world.files.add_file(path, wheel_file({{"pkg.pth", pth},
                                           {"pkg/__init__.py", "import typesof\nfrom . import _C\n"},
                                           {"pkg/_C.pyd", pe(needing_f("types.dll"))},
                                           {"inner/lib/typesof.py", inner},
                                           {"start.py", "import os\nos.add_dll_directory(__file__[:-8] + 'dlls')\n"},
                                           {"dlls/types.dll", pe(exporting_f("types.dll"))}}));
    world.query.world = WorldKind::here;
    for (const auto& target : world.explain({path}).resolution.targets)
      if (!target.error.empty()) return target.error;
    return std::string("loads");
  };
  CHECK(outcome("inner\\lib\nimport start\n") == "loads");
  CHECK(outcome("inner\\lib\nimport start\n", "raise ValueError('inner')\n") == "ValueError: inner");
  CHECK(outcome("inner\\lib\n") == "ImportError: DLL load failed while importing _C: " + module_not_found);
}

TEST_CASE("a PATH that is stated is searched, in any case of letters, its empty parts left out") {
  const auto found = [](const std::string& variable, const std::string& value) {
    TestWorld world;
    world.files.add_file("/d/a.dll", pe(needing_f("b.dll")));
    world.files.add_file("/p/b.dll", pe(exporting_f("b.dll")));
    world.query.environment.stated[variable] = value;
    return objects(world.explain({"/d/a.dll"})).find("/p/b.dll\n") != std::string::npos;
  };
  CHECK(found("Path", "/none;;/p"));
  CHECK(found("PATH", "Z:\\p"));
  CHECK_FALSE(found("PATHS", "/p"));
  CHECK_FALSE(found("PATH", "/p:/q"));
}

TEST_CASE("a Python of Windows for another machine than was asked for is refused") {
  auto world = installed();
  world.files.add_file("/py/python311.dll", pe(exporting_f("python311.dll")));
  world.files.add_file("/py/b.dll", pe(exporting_f("b.dll")));
  world.query.environment.machine = EM_X86_64;
  CHECK(import_error(world.explain({"pkg"})) == "imported");
  world.query.environment.machine = EM_AARCH64;
  CHECK(outcome(world.explain({"pkg"})) == "unreadable: made for x86_64, not for the aarch64 that was asked for\n");
}

TEST_CASE("a tree is a copy of Windows by its system folder, in any usual case of letters") {
  const auto is_copy = [](const std::string& folder, const std::string& sysroot, bool whole = true) {
    TestWorld world;
    world.query.sysroot = sysroot;
    world.files.add_folder(folder);
    if (whole) world.files.add_file(folder + "/ApiSetSchema.dll", pe({}));
    if (whole) world.files.add_file(folder + "/NTDLL.dll", pe({}));
    world.files.add_file("/app/a.dll", pe(needing_f("USER32.dll")));
    return outcome(world.explain({"/app/a.dll"})).find("error 126") != std::string::npos;
  };
  for (const auto* folder : {"/Windows/System32", "/windows/system32", "/WINDOWS/SYSTEM32", "/Windows/system32"})
    CHECK_MESSAGE(is_copy(folder, "/copy"), folder);
  CHECK_FALSE(is_copy("/Windows/System", "/copy"));
  CHECK_FALSE(is_copy("/Windows/System32", "/"));
  CHECK_FALSE(is_copy("/Windows/System32", "/copy", false));
}

TEST_CASE("a part of drive C: is that drive, and what API sets stand for may be in the Windows that is not there") {
  TestWorld world;
  world.query.sysroot = "/copy";
  world.files.add_file("/Users/u/a.dll", pe(needing_f("api-ms-win-crt-math-l1-1-0.dll")));
  CHECK(world.explain({"/Users/u/a.dll"}).resolution.objects.back().load_name == "C:\\Windows\\System32\\ucrtbase.dll");
  world.files.add_file("/Windows/System32/ntdll.dll", pe({}));
  CHECK(outcome(world.explain({"/Users/u/a.dll"})).find("error 126") == std::string::npos);
  world.files.add_file("/Windows/System32/apisetschema.dll", pe({}));
  CHECK(outcome(world.explain({"/Users/u/a.dll"})).find("error 126") != std::string::npos);
}

TEST_CASE("a described machine of Windows has its own folders and Python, unless another one is given") {
  auto described = std::make_shared<WindowsHostFile>();
  described->folders = {
      {"c:\\windows\\system32", {"kernel32.dll"}}, {"c:\\tools", {"b.dll"}}, {"c:\\py", {"python310.dll"}}};
  described->path = {"C:\\tools"};
  described->python_folder = "C:\\Py";
  described->python_minor = 10;
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(needing_f("b.dll")));
  world.files.add_file("/w/pkg-1.0-py3-none-win_amd64.whl",
                       wheel_file({{"pkg/__init__.py", "from . import m\n"}, {"pkg/m.pyd", pe({})}}));
  const auto python = [&] {
    const auto report = world.explain({"/w/pkg-1.0-py3-none-win_amd64.whl"});
    return report.resolution.imports.empty() ? "none" : report.resolution.imports.front().python_version;
  };
  world.query.world = WorldKind::here;
  CHECK(objects(world.explain({"/d/a.dll"})).find("b.dll") == std::string::npos);
  CHECK(python() == "3.11");
  world.query.windows_host = described;
  CHECK(objects(world.explain({"/d/a.dll"})).ends_with("C:\\tools\\b.dll\n"));
  CHECK(python() == "3.10");
  world.query.python = "3.12";
  CHECK(python() == "3.12");
}

TEST_CASE("variables of a described machine of Windows count, unless they are stated") {
  auto described = std::make_shared<WindowsHostFile>();
  described->folders = {{"c:\\windows\\system32", {"kernel32.dll"}}};
  described->variables = {{"TOOLS", "described"}};
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py",
                                           "import os\nif os.environ.get('TOOLS') == 'described':\n"
                                           "  from . import m\n"},
                                          {"pkg/m.pyd", pe(needing_f("none.dll"))}}));
  world.query.world = WorldKind::here;
  CHECK(import_error(world.explain({"py:pkg", wheel})) == "imported");
  world.query.windows_host = described;
  CHECK(import_error(world.explain({"py:pkg", wheel})).starts_with("ImportError"));
  world.query.environment.stated = {{"TOOLS", "stated"}};
  CHECK(import_error(world.explain({"py:pkg", wheel})) == "imported");
}

TEST_CASE("beside a Python of Windows wheels that are asked about have a place of their own") {
  auto world = installed();
  world.files.add_file("/py/python311.dll", pe(exporting_f("python311.dll")));
  const std::string wheel = "/w/other-1.0-cp311-cp311-win_amd64.whl";
  world.files.add_file(wheel, wheel_file({{"other/__init__.py", "from . import m\n"}, {"other/m.pyd", pe({})}}));
  const auto report = world.explain({"py:other", wheel});
  CHECK(import_error(report) == "imported");
  CHECK(report.resolution.objects.back().load_name == "C:\\Wheels\\Lib\\site-packages\\other\\m.pyd");
}

}  // namespace
}  // namespace cudald
