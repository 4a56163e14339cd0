#include <set>

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {
namespace {

PeSpec needing(const std::string& dll) { return {.imports = {{dll, {{"f"}}}}}; }

PeSpec having(const std::string& name) { return {.name = name, .exports = {{"f", 1, ""}}}; }

/// A package of the wheel `pkg` whose module needs b.dll, which lies in folders that somebody must name.
Report with_code(const std::string& code, const std::vector<std::string>& path = {}, const std::string& python = "") {
  TestWorld world;
  world.query.environment.dll_path = path;
  world.query.python = python;
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/_C.pyd", pe(needing("b.dll"))},
                                          {"pkg/__init__.py", code},
                                          {"pkg/lib/b.dll", pe(having("b.dll"))},
                                          {"pkg/lib/z.dll", pe(needing("c.dll"))},
                                          {"pkg.libs/b.dll", pe(having("b.dll"))}}));
  world.files.add_file("/p/c.dll", pe(having("c.dll")));
  return world.explain({"py:pkg", wheel});
}

std::string error_of(const Report& report) {
  for (const auto& target : report.resolution.targets)
    if (target.kind == TargetKind::import) return target.error.empty() ? "imported" : target.error;
  return "no import";
}

std::string imported(const std::string& code, const std::vector<std::string>& path = {},
                     const std::string& python = "") {
  return error_of(with_code(code, path, python));
}

const std::string not_found = "The specified module could not be found.";

TEST_CASE("a module of Windows is imported by its sources") {
  CHECK(imported("") == "imported");
  CHECK(imported("from . import _C\n") == "ImportError: DLL load failed while importing _C: " + not_found);
  CHECK(
      imported("import os\nos.add_dll_directory(os.path.join(os.path.dirname(__file__), 'lib'))\nfrom . import _C\n") ==
      "imported");
  // As delvewheel writes it.
  CHECK(imported("import os\nif os.path.isdir(libs := os.path.abspath(os.path.join(os.path.dirname(__file__), "
                 "os.pardir, 'pkg.libs'))):\n"
                 "  os.add_dll_directory(libs)\nfrom . import _C\n") == "imported");
  CHECK(imported(
            "import os\ntry:\n  os.add_dll_directory('C:\\\\nowhere')\nexcept FileNotFoundError:\n  from . import _C\n")
            .starts_with("ImportError"));
  CHECK(imported("import os\nos.add_dll_directory('lib')\n")
            .starts_with("OSError: [WinError 87] The parameter is incorrect: 'lib'"));
}

TEST_CASE("what the system is, and how its paths are written, decides") {
  const auto known = [](const std::string& condition) {
    return imported("import os, sys, platform, ntpath, pathlib\nif not (" + condition + "):\n  from . import _C\n") ==
           "imported";
  };
  CHECK(
      known("sys.platform == 'win32' and os.name == 'nt' and platform.system() == 'Windows' and platform.machine() == "
            "'AMD64'"));
  CHECK(known("__file__ == r'C:\\Python311\\Lib\\site-packages\\pkg\\__init__.py'"));
  CHECK(known("os.path.join(os.path.dirname(__file__), 'lib', 'b.dll').endswith(r'\\pkg\\lib\\b.dll')"));
  CHECK(known("os.path.exists(os.path.join(os.path.dirname(__file__), 'LIB', 'B.dll'))"));
  CHECK(known("os.path.normpath(r'C:/a\\..\\b/.') == r'C:\\b' and os.path.basename(r'C:\\a/b') == 'b'"));
  CHECK(known("os.path.join('C:\\\\a', 'D:\\\\b') == 'D:\\\\b' and os.path.isabs('C:/a') and os.pathsep == ';'"));
  CHECK(known("os.environ['SystemRoot'] == 'C:\\\\Windows' and 'NONE' not in os.environ"));
  CHECK(known("(pathlib.Path(__file__).parent / 'lib' / 'z.dll').exists()"));
  CHECK(known("hasattr(os, 'add_dll_directory')"));
  CHECK_FALSE(known("os.path.exists('C:\\\\pkg')"));
}

TEST_CASE("DLLs that code loads itself, as torch does: LoadLibraryEx first, then PATH") {
  const std::string torch =
      "import ctypes, glob, os\n"
      "def load():\n"
      "  lib = os.path.join(os.path.dirname(__file__), 'lib')\n"
      "  kernel32 = ctypes.WinDLL('kernel32.dll', use_last_error=True)\n"
      "  kernel32.LoadLibraryW.restype = ctypes.c_void_p\n"
      "  for dll in glob.glob(os.path.join(lib, '*.dll')):\n"
      "    res = kernel32.LoadLibraryExW(dll, None, 0x00001100)\n"
      "    error = ctypes.get_last_error()\n"
      "    if res is None and error == 126:\n"
      "      os.environ['PATH'] = ';'.join([lib] + [os.environ['PATH']])\n"
      "      res = kernel32.LoadLibraryW(dll)\n"
      "      if res is None:\n"
      "        err = ctypes.WinError(ctypes.get_last_error())\n"
      "        err.strerror += f' Error loading \"{dll}\".'\n"
      "        raise err\n"
      "load()\nfrom . import _C\n";
  // z.dll lacks c.dll, which lies in PATH or nowhere; b.dll is loaded by then.
  CHECK(imported(torch, {"/p"}) == "imported");
  CHECK(imported(torch) == "OSError: [WinError 126] " + not_found +
                               " Error loading \"C:\\Python311\\Lib\\site-packages\\pkg\\lib\\z.dll\".");
  const auto report = with_code(torch);
  REQUIRE(!report.findings.empty());
  CHECK(report.findings.front().subject == "c.dll");
  CHECK(report.findings.front().level == Level::error);
}

TEST_CASE("the DLL of Python itself is loaded before any module, whatever the search") {
  TestWorld world;
  world.query.python = "3.7";
  world.files.add_file(
      "/w/pkg-1.0-cp37-cp37m-win_amd64.whl",
      wheel_file(
          {{"pkg/_C.pyd",
            pe({.imports = {{"python37.dll", {{"f"}}}, {"python3.dll", {{"f"}}}, {"VCRUNTIME140.dll", {{"f"}}}}})},
           {"pkg/__init__.py", "from . import _C\n"}}));
  const auto report = world.explain({"/w/pkg-1.0-cp37-cp37m-win_amd64.whl"});
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.findings.empty());
}

TEST_CASE("an import that ends in a Python exception fails as on Linux") {
  for (const auto& [code, error] :
       {std::pair<std::string, std::string>{"raise ImportError('no way')\n", "ImportError: no way"},
        {"import os\nos.add_dll_directory('C:\\\\none\\\\bin')\n",
         "FileNotFoundError: [WinError 3] The system cannot find the path specified: 'C:\\none\\bin'"}}) {
    const auto report = with_code(code);
    CHECK(error_of(report) == error);
    CHECK(report.verdict == Verdict::fails);
    REQUIRE(!report.findings.empty());
  }
}

TEST_CASE("ctypes searches PATH before 3.8, or if it is told to") {
  const auto missing =
      "FileNotFoundError: Could not find module 'c.dll' (or one of its dependencies). Try using the full path with "
      "constructor syntax.";
  CHECK(imported("import ctypes\nctypes.CDLL('c.dll')\n", {"/p"}) == missing);
  CHECK(imported("import ctypes\nctypes.CDLL('c.dll', winmode=0)\n", {"/p"}) == "imported");
  CHECK(imported("import ctypes\nctypes.windll.LoadLibrary('c.dll')\n", {"/p"}, "3.7") == "imported");
  CHECK(imported("import ctypes\nctypes.WinDLL('c.dll')\n", {}, "3.7") ==
        "OSError: [WinError 126] The specified module could not be found");
}

TEST_CASE("DLLs that a list in a file names, as delvewheel writes it for Python 3.7") {
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-cp37-cp37m-win_amd64.whl";
  world.query.python = "3.7";
  world.files.add_file(
      wheel, wheel_file({{"pkg/_C.pyd", pe(needing("b.dll"))},
                         {"pkg/__init__.py",
                          "def load():\n  import os\n  from ctypes import WinDLL\n"
                          "  libs = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, 'pkg.libs'))\n"
                          "  with open(os.path.join(libs, '.load-order-pkg-1.0')) as file:\n"
                          "    order = file.read().split()\n  for lib in order:\n    WinDLL(os.path.join(libs, lib))\n"
                          "load()\nfrom . import _C\n"},
                         {"pkg.libs/.load-order-pkg-1.0", "b.dll\n"},
                         {"pkg.libs/b.dll", pe(having("b.dll"))}}));
  CHECK(error_of(world.explain({"py:pkg", wheel})) == "imported");
}

TEST_CASE("kernel32 called by ctypes changes what is searched") {
  const std::string load = "r = ctypes.windll.kernel32.LoadLibraryW('b.dll')\nif r == 0:\n  raise ctypes.WinError()\n";
  const std::string lib = "lib = os.path.join(os.path.dirname(__file__), 'lib')\n";
  CHECK(imported("import ctypes, os\n" + load) == "OSError: [WinError 126] " + not_found);
  CHECK(imported("import ctypes, os\n" + lib + "ctypes.windll.kernel32.SetDllDirectoryW(lib)\n" + load) == "imported");
  CHECK(imported("import ctypes, os\n" + lib + "ctypes.windll.kernel32.AddDllDirectory(lib)\n" + load) ==
        "OSError: [WinError 126] " + not_found);
}

TEST_CASE("requests of code on Windows are told with their place, and whether something catches their failure") {
  const auto report = with_code(
      "import ctypes\ntry:\n  ctypes.CDLL('c.dll')\nexcept OSError:\n  pass\n"
      "try:\n  from . import _C\nexcept ImportError:\n  pass\nctypes.CDLL('KERNEL32.dll')\n"
      "def f():\n  ctypes.CDLL('soft.dll')\ndef g():\n  ctypes.CDLL('C:\\\\soft.dll')\n");
  std::string told;
  for (const auto& target : report.resolution.targets)
    if (target.kind == TargetKind::dlopen && target.part_of == std::size_t{1})
      told += target.given + (target.traits.optional ? " optional " : " ") + target.traits.asked_at + "\n";
  const std::string source = R"(C:\Python311\Lib\site-packages\pkg\__init__.py:)";
  CHECK(told == "c.dll optional " + source + "3\npkg-1.0-cp311-cp311-win_amd64.whl!/pkg/_C.pyd optional " + source +
                    "7\nKERNEL32.dll " + source + "10\n");
  std::set<std::string> soft;
  for (const auto& edge : report.resolution.objects.front().edges)
    if (edge.name.find("soft") != std::string::npos)
      soft.insert(edge.name + " " + edge.asked_at + " " + std::string(to_string(edge.status)));
  CHECK(soft == std::set<std::string>{"soft.dll " + source + "12 missing"});
}

TEST_CASE("a folder that is not there cannot be added to the search") {
  CHECK(imported("import os\nos.add_dll_directory('C:\\\\nowhere')\n")
            .find("[WinError 2] The system cannot find the file specified: 'C:\\") != std::string::npos);
}

}  // namespace
}  // namespace cudald
