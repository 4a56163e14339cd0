#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/import_world.h"

using namespace cudald;

namespace {

/// Of an import on Windows whose drive C: is the tree.
struct WindowsWorld : ImportWorld {
  WindowsWorld() {
    rules = R"({"standard_library": {"names": ["sys", "os", "nt", "struct", "ctypes", "glob", "platform", )"
            R"("sysconfig"]}, "rules": [],
                "libraries": {"rows": {}}})";
    auto windows = std::make_shared<WindowsPython>();
    windows->spelled = [](const std::string& path) {
      auto text = "C:" + path;
      std::replace(text.begin(), text.end(), '/', '\\');
      return text;
    };
    windows->find = [this](const std::string& path) -> std::optional<std::string> {
      if (!path.starts_with("C:")) return std::nullopt;
      auto place = path.substr(2);
      std::replace(place.begin(), place.end(), '\\', '/');
      while (place.size() > 1 && place.ends_with('/')) place.pop_back();
      return files.status(place) ? std::optional(place) : std::nullopt;
    };
    python.windows = std::move(windows);
    python.extension_suffixes = {".cp311-win_amd64.pyd", ".pyd"};
    for (const auto* name : {"a.pyd", "b.pyd"}) add(name);
  }
  std::string run(std::string_view text) {
    add("m.py", "import ctypes, ctypes.util, glob, nt, os, platform, struct, sys, sysconfig\n" + std::string(text));
    return import("m");
  }
};

std::string outcome_on_windows(WindowsWorld& world, std::string_view code) {
  const auto last = code.rfind('\n') + 1;
  const auto loads = world.run(std::string(code.substr(0, last)) + "if " + std::string(code.substr(last)) +
                               ":\n  import a\nelse:\n  import b\n");
  if (loads.ends_with("a.pyd optional, b.pyd optional")) return "open";
  return loads.ends_with("a.pyd") ? "true" : loads.ends_with("b.pyd") ? "false" : loads;
}

std::string outcome_on_windows(std::string_view code) {
  WindowsWorld world;
  return outcome_on_windows(world, code);
}

/// The kinds of what is asked for, with names and flags.
std::string steps_of(const WindowsWorld& world) {
  std::string all;
  for (const auto& step : world.steps) {
    const char* const kinds[] = {"module", "library", "dll", "directory", "instead", "PATH"};
    all += (all.empty() ? "" : ", ") + std::string(kinds[static_cast<int>(step.kind)]) + " " + step.path;
    if (step.flags) all += " " + std::to_string(*step.flags);
    if (!step.required) all += " optional";
  }
  return all;
}

std::string steps_of(std::string_view code) {
  WindowsWorld world;
  world.run(code);
  return steps_of(world);
}

}  // namespace

TEST_CASE("what code asks to know that it runs on Windows") {
  for (const std::string_view fact : {
           R"(os.name == 'nt' and sys.platform == 'win32')",
           R"(os.sep == '\\' and os.path.sep == '\\' and os.pathsep == ';')",
           R"(platform.system() == 'Windows' and platform.machine() == 'AMD64')",
           R"(platform.architecture() == ('64bit', 'WindowsPE'))",
           R"('nt' in sys.builtin_module_names and 'posix' not in sys.builtin_module_names)",
           R"(hasattr(os, 'add_dll_directory') and hasattr(ctypes, 'windll'))",
           R"(hasattr(ctypes, 'WinDLL') and hasattr(ctypes, 'WinError'))",
           R"(hasattr(ctypes.windll.kernel32, 'AddDllDirectory'))",
           R"(not hasattr(ctypes.pythonapi, 'Anaconda_GetVersion'))",
           R"(__file__ == 'C:\\s\\m.py')",
           R"(sys.path == ['', 'C:\\s'])",
           R"(nt._isdir('C:\\s') and nt._path_isdir('C:\\s') and not nt._path_isdir('C:\\s\\a.pyd'))",
           R"(nt._path_isfile('C:\\s\\a.pyd') and nt._path_exists('C:\\s') and not nt._path_lexists('C:\\no'))",
           R"(nt._path_normpath('C:\\s\\..\\t') == 'C:\\t')",
           R"(struct.calcsize('P') == 8 and platform.uname().system == 'Windows' and platform.uname().machine == )"
           R"('AMD64')",
           R"(hasattr(sys, 'getwindowsversion') and sys.getwindowsversion().major == 10)",
           R"(sys.getwindowsversion()[:2] == (10, 0))",
           R"(sys.version_info.micro == 0)",
           R"(ctypes.RTLD_GLOBAL == 0 and ctypes.RTLD_LOCAL == 0)",
           R"(nt._LOAD_LIBRARY_SEARCH_DEFAULT_DIRS == 0x1000)",
           R"(ctypes.c_wchar_p('x') == 'x' and ctypes.c_char_p('y') == 'y')",
           R"(ctypes.FormatError(126) == 'The specified module could not be found.')",
           R"(ctypes.WinError(126).winerror == 126)",
           R"(ctypes.WinError(126).strerror == 'The specified module could not be found.')",
           R"(ctypes.get_last_error() == 0 and ctypes.GetLastError() == 0)",
           R"(ctypes.util.find_library('x') is None)",
       }) {
    CAPTURE(fact);
    CHECK(outcome_on_windows(fact) == "true");
  }
  for (const std::string_view open : {
           "hasattr(os, 'startfile') and what()",
           "sys.getwindowsversion().build >= 22000",
           "platform.uname().release == '10'",
           "hasattr(ctypes.pythonapi, 'Py_Other')",
           "ctypes.util.find_library(what()) is None",
           "sysconfig.get_config_var('userbase') is None",
           "ctypes.windll.kernel32.Other() == 0",
           "os.add_dll_directory(what()) is None",
       }) {
    CAPTURE(open);
    CHECK(outcome_on_windows(open) == "open");
  }
}

TEST_CASE("of a Python before 3.8, of conda's, and of 32 bits") {
  WindowsWorld old;
  old.python.version = "3.7";
  CHECK(outcome_on_windows(old, "hasattr(os, 'add_dll_directory')") == "false");
  WindowsWorld first;
  first.python.version = "3.8";
  CHECK(outcome_on_windows(first, "hasattr(os, 'add_dll_directory')") == "true");
  WindowsWorld other;
  auto windows = std::make_shared<WindowsPython>(*other.python.windows);
  windows->conda = true;
  windows->machine = "x86";
  windows->build = 22631;
  other.python.narrow = true;
  other.python.windows = std::move(windows);
  CHECK(outcome_on_windows(other, "hasattr(ctypes.pythonapi, 'Anaconda_GetVersion')") == "true");
  CHECK(outcome_on_windows(other, "platform.architecture()[0] == '32bit' and platform.machine() == 'x86'") == "true");
  CHECK(outcome_on_windows(other, "struct.calcsize('P') == 4 and sys.maxsize < 2**32") == "true");
  CHECK(outcome_on_windows(other, "sys.getwindowsversion().build >= 22000") == "true");
}

TEST_CASE("ctypes opens nothing where it is given a handle, and searches as its winmode says") {
  CHECK(steps_of("ctypes.PyDLL('python dll', None, sys.dllhandle)\n") == "");
  CHECK(steps_of("ctypes.CDLL('C:\\\\s\\\\a.dll', winmode=ctypes.RTLD_GLOBAL)\n") == "library C:\\s\\a.dll 0");
  CHECK(steps_of("ctypes.CDLL('a.dll', handle=None)\n") == "library a.dll");
  // By its name as an attribute; functions of kernel32 are known without.
  CHECK(steps_of("ctypes.cdll.a\nctypes.windll.b\n") == "library a, library b");
  CHECK(steps_of("ctypes.windll.kernel32.GetLastError()\nctypes.cdll._name\n") == "");
  WindowsWorld none;
  none.run("ctypes.CDLL(ctypes.util.find_library('none'))\n");
  CHECK(none.result.error == "TypeError: argument of type 'NoneType' is not iterable");
}

TEST_CASE("folders that code adds for DLLs, by Python and by the system") {
  CHECK(steps_of("os.add_dll_directory('C:\\\\s')\n") == "directory C:\\s");
  CHECK(steps_of("import nt\nnt._add_dll_directory('C:\\\\s')\n") == "directory C:\\s");
  CHECK(steps_of("ctypes.windll.kernel32.AddDllDirectory('C:\\\\s')\n") == "directory C:\\s");
  CHECK(steps_of("ctypes.windll.kernel32.SetDllDirectoryW('C:\\\\s')\n") == "instead C:\\s");
  CHECK(steps_of("ctypes.windll.kernel32.SetDllDirectoryA(None)\n") == "instead ");
  CHECK(steps_of("ctypes.windll.kernel32.SetDllDirectoryW(what())\n") == "");
  CHECK(steps_of("ctypes.windll.kernel32.AddDllDirectory(what())\n") == "");
  CHECK(steps_of("def f():\n  if what():\n    os.add_dll_directory('C:\\\\s')\n"
                 "    ctypes.windll.kernel32.SetDllDirectoryW('C:\\\\s')\nf()\n") == "");
  CHECK(outcome_on_windows("ctypes.windll.kernel32.AddDllDirectory('C:\\\\s') != 0") == "true");
  CHECK(outcome_on_windows("ctypes.windll.kernel32.SetDllDirectoryW('C:\\\\s') == 1") == "true");
  WindowsWorld unknown;
  unknown.run("os.add_dll_directory(what())\n");
  REQUIRE(unknown.result.notes.size() == 1);
  CHECK(unknown.result.notes[0] == "/s/m.py:2 adds a directory for DLLs whose name could not be followed");
}

TEST_CASE("a folder that is not there is an exception of Python, and a null of the system with its error") {
  const auto with = [](int code, std::string_view text) {
    WindowsWorld world;
    world.refused = {"C:\\no"};
    world.code = code;
    const auto result = outcome_on_windows(world, text);
    return world.result.error.empty() ? result : world.result.error.substr(0, world.result.error.find(':'));
  };
  CHECK(with(2, "os.add_dll_directory('C:\\\\no')\n1") == "FileNotFoundError");
  CHECK(with(87, "os.add_dll_directory('C:\\\\no')\n1") == "OSError");
  const std::string system = "k = ctypes.windll.kernel32\n";
  CHECK(with(87, system + "k.AddDllDirectory('C:\\\\no') == 0") == "true");
  CHECK(with(87, system + "k.AddDllDirectory('C:\\\\no')\nk.GetLastError() == 87") == "true");
}

TEST_CASE("DLLs that code loads by kernel32: a handle, or a null and the error") {
  const std::string kernel32 = "k = ctypes.WinDLL('kernel32.dll')\n";
  CHECK(steps_of(kernel32 + "k.LoadLibraryW('x.dll')\n") == "library kernel32.dll, dll x.dll 0 optional");
  CHECK(steps_of(kernel32 + "k.LoadLibraryA('x.dll')\n") == "library kernel32.dll, dll x.dll 0 optional");
  CHECK(steps_of(kernel32 + "k.LoadLibraryExW('x.dll', None, 0x1100)\n") ==
        "library kernel32.dll, dll x.dll 4352 optional");
  for (const std::string as_data : {"0x2", "0x20", "0x40", "0x1102", "what()"}) {
    CAPTURE(as_data);
    CHECK(steps_of(kernel32 + "k.LoadLibraryExW('x.dll', None, " + as_data + ")\n") == "library kernel32.dll");
  }
  CHECK(steps_of(kernel32 + "k.LoadLibraryExW('x.dll', None)\n") == "library kernel32.dll");
  CHECK(steps_of(kernel32 + "k.LoadLibraryW('')\nk.LoadLibraryW(what())\nk.LoadLibraryW()\n") ==
        "library kernel32.dll");
  CHECK(steps_of("k = ctypes.WinDLL('other.dll')\nk.LoadLibraryW('x.dll')\n") == "library other.dll");
  CHECK(outcome_on_windows(kernel32 + "k.LoadLibraryW('x.dll') != k.LoadLibraryW('y.dll')") == "true");
  const auto after_failure = [&](const std::string& condition) {
    WindowsWorld world;
    world.refused = {"x.dll"};
    world.code = 126;
    return outcome_on_windows(world, kernel32 + condition);
  };
  CHECK(after_failure("k.LoadLibraryW('x.dll') == 0") == "true");
  CHECK(after_failure("k.LoadLibraryW('x.dll')\nctypes.get_last_error() == 126") == "true");
  CHECK(after_failure("k.LoadLibraryW('x.dll')\nctypes.WinError().winerror == 126") == "true");
  CHECK(after_failure("k.LoadLibraryW.restype = ctypes.c_void_p\nk.LoadLibraryW('x.dll') is None") == "true");
}

TEST_CASE("an exception that is made of the system's error has its number and text, and the load that failed") {
  WindowsWorld world;
  world.refused = {"x.dll"};
  world.code = 126;
  world.run("if ctypes.windll.kernel32.LoadLibraryW('x.dll') == 0:\n  raise ctypes.WinError()\n");
  CHECK(world.result.error == "OSError: [WinError 126] The specified module could not be found.");
  CHECK(world.result.causes == std::vector<std::size_t>{0});
  WindowsWorld named;
  named.run("e = ctypes.WinError(193)\ne.strerror += ' x'\nraise e\n");
  CHECK(named.result.error == "OSError: [WinError 193] %1 is not a valid Win32 application. x");
}

TEST_CASE("a change of PATH is told, however its name is written; other variables are not") {
  CHECK(steps_of("os.environ['PATH'] = 'C:\\\\s'\n") == "PATH C:\\s");
  CHECK(steps_of("os.environ['Path'] = 'C:\\\\s'\n") == "PATH C:\\s");
  CHECK(steps_of("os.environ['OTHER'] = 'C:\\\\s'\n") == "");
  WindowsWorld world;
  world.python.variables = {{"PATH", "C:\\s"}};
  CHECK(outcome_on_windows(world, "os.environ['path'] == 'C:\\\\s'") == "true");
}

TEST_CASE("ctypes loads with the flags that the caller gives") {
  CHECK(steps_of("ctypes.CDLL('x.dll', winmode=0)\n") == "library x.dll 0");
  CHECK(steps_of("ctypes.WinDLL('x.dll', winmode=0x8)\n") == "library x.dll 8");
  CHECK(steps_of("ctypes.CDLL('x.dll', 0, None, False, False, 0x10)\n") == "library x.dll 16");
  CHECK(steps_of("ctypes.CDLL('x.dll', 0, None, False, 0x10)\n") == "library x.dll");
  CHECK(steps_of("ctypes.windll.LoadLibrary('x.dll')\n") == "library x.dll");
}

TEST_CASE("files are found on PATH and by patterns, in the order of their names whatever their case") {
  WindowsWorld world;
  for (const auto* name : {"d/B.dll", "d/a.dll", "d/C.txt", "d/.x.dll", "e/tool.dll"}) world.add(name);
  world.files.add_folder("/s/e/tool");
  world.python.variables = {{"PATH", "C:\\none;C:\\s\\e"}, {"APPDATA", "C:\\data"}};
  CHECK(outcome_on_windows(
            world, "glob.glob('C:\\\\s\\\\d\\\\*.DLL') == ['C:\\\\s\\\\d\\\\a.dll', 'C:\\\\s\\\\d\\\\B.dll']") ==
        "true");
  CHECK(outcome_on_windows(world,
                           "glob.glob('C:/s/[de]/*.dll') == ['C:\\\\s\\\\d\\\\a.dll', 'C:\\\\s\\\\d\\\\B.dll', "
                           "'C:\\\\s\\\\e\\\\tool.dll']") == "true");
  CHECK(outcome_on_windows(world, "glob.glob('C:\\\\s\\\\none') == []") == "true");
  CHECK(outcome_on_windows(world, "glob.glob('d\\\\*') == []") == "open");  // where it runs is not known
  CHECK(outcome_on_windows(world, "glob.glob('C:\\\\s\\\\d\\\\C.txt') == ['C:\\\\s\\\\d\\\\C.txt']") == "true");
  CHECK(outcome_on_windows(world, "ctypes.util.find_library('tool.dll') == 'C:\\\\s\\\\e\\\\tool.dll'") == "true");
  CHECK(outcome_on_windows(world, "ctypes.util.find_library('tool') == 'C:\\\\s\\\\e\\\\tool.dll'") == "true");
  CHECK(outcome_on_windows(world, "ctypes.util.find_library('other') is None") == "true");
  CHECK(outcome_on_windows(world, "sysconfig.get_config_var('userbase') == 'C:\\\\data\\\\Python'") == "true");
}

TEST_CASE("what of Windows' functions is not followed in a function behind what is not known") {
  for (const std::string call :
       {"os.add_dll_directory('C:\\\\s')", "os.add_dll_directory(what())",
        "ctypes.windll.kernel32.AddDllDirectory('C:\\\\s')", "ctypes.windll.kernel32.LoadLibraryW('x.dll')",
        "ctypes.windll.kernel32.SetDllDirectoryW('C:\\\\s')", "os.environ.update(PATH='C:\\\\s')"}) {
    CAPTURE(call);
    WindowsWorld world;
    world.run("def f():\n  if what(): " + call + "\nf()\n");
    CHECK(steps_of(world) == "");
    CHECK(world.result.notes.empty());
  }
}

TEST_CASE("the same functions of Windows by their other names") {
  const std::string cdll = "k = ctypes.cdll.kernel32\n";
  CHECK(steps_of(cdll + "k.LoadLibraryW('x.dll')\n") == "dll x.dll 0 optional");
  CHECK(steps_of("ctypes.windll.kernel32.LoadLibraryExA('x.dll', None, 0x800)\n") == "dll x.dll 2048 optional");
  CHECK(steps_of("ctypes.windll.kernel32.SetDllDirectoryA('C:\\\\s')\n") == "instead C:\\s");
  CHECK(steps_of("ctypes.windll.kernel32.SetDllDirectoryW()\n") == "");
  CHECK(steps_of("ctypes.windll.kernel32.AddDllDirectory()\n") == "");
  CHECK(outcome_on_windows("hasattr(ctypes.WinDLL('kernel32.dll'), 'AddDllDirectory')") == "true");
  CHECK(outcome_on_windows("hasattr(ctypes.WinDLL('C:\\\\x\\\\KERNEL32'), 'AddDllDirectory')") == "true");
  CHECK(outcome_on_windows("hasattr(ctypes.WinDLL('other.dll'), 'AddDllDirectory')") == "open");
  CHECK(outcome_on_windows("hasattr(sys.flags, 'Anaconda_GetVersion')") == "open");
  CHECK(outcome_on_windows("hasattr(ctypes, 'Other')") == "open");
  CHECK(outcome_on_windows("hasattr(os, 'other')") == "open");
  CHECK(outcome_on_windows("ctypes.c_wchar_p() == 1") == "open");
  CHECK(outcome_on_windows("ctypes.c_char_p('a', 'b') == 'a'") == "open");
  CHECK(outcome_on_windows("ctypes.FormatError(193) == '%1 is not a valid Win32 application.'") == "true");
  CHECK(outcome_on_windows("ctypes.WinError().winerror == 0") == "true");
  WindowsWorld unknown;
  unknown.python.version.clear();
  CHECK(outcome_on_windows(unknown, "hasattr(os, 'add_dll_directory')") == "open");
}

TEST_CASE("handles of Windows are numbers of their own, and errors are of the last failure") {
  const std::string head = "k = ctypes.windll.kernel32\n";
  CHECK(outcome_on_windows(head + "k.LoadLibraryW('x.dll') == 65536") == "true");
  CHECK(outcome_on_windows(head + "k.LoadLibraryW('x.dll')\nk.LoadLibraryW('y.dll') == 131072") == "true");
  CHECK(outcome_on_windows(head + "k.LoadLibraryW('x.dll')\nk.AddDllDirectory('C:\\\\s') == 131072") == "true");
  WindowsWorld world;
  world.refused = {"x.dll", "C:\\no"};
  world.code = 126;
  CHECK(outcome_on_windows(world, head + "k.LoadLibraryW('x.dll')\nk.LoadLibraryW('y.dll')\nk.GetLastError() == 126") ==
        "true");
  CHECK(outcome_on_windows(world, head + "k.AddDllDirectory('C:\\\\no')\nctypes.GetLastError() == 126") == "true");
  CHECK(outcome_on_windows(world, "try: ctypes.CDLL('x.dll')\nexcept OSError: pass\nctypes.get_last_error() == 126") ==
        "true");
}

TEST_CASE("only an error of the system that was made has the number of the system") {
  const auto error_of = [](const std::string& code, int number = 126) {
    WindowsWorld world;
    world.refused = {"x.dll"};
    world.code = number;
    world.run("k = ctypes.windll.kernel32\nk.LoadLibraryW('x.dll')\n" + code + "\n");
    return world.result.error;
  };
  const std::string not_found = "OSError: [WinError 126] The specified module could not be found.";
  CHECK(error_of("raise ctypes.WinError()") == not_found);
  CHECK(error_of("raise ctypes.WinError(k.GetLastError())") == not_found);
  CHECK(error_of("e = ctypes.WinError()\nraise e") == not_found);
  CHECK(error_of("e = ctypes.WinError()\ne.winerror = None\ne.strerror = None\nraise e") == "OSError: [WinError 0] ");
  CHECK(error_of("e = ctypes.WinError()\ne.winerror = 5\ne.strerror = 'x'\nraise e") == "OSError: [WinError 5] x");
  CHECK(error_of("if what(): raise ctypes.WinError()") == "");
  CHECK(error_of("e = OSError('x')\nraise e") == "");
  CHECK(error_of("class E(OSError): pass\nraise E") == "m.E at /s/m.py:5");
  CHECK(error_of("class E(OSError): pass\ne = E()\nraise e") == "");
  CHECK(error_of("raise OSError('text')") == "OSError: text");
}

TEST_CASE("variables of Windows are taken out whatever their case, and a long one is not known") {
  WindowsWorld world;
  world.python.variables = {{"NAME", "x"}};
  CHECK(outcome_on_windows(world, "del os.environ['Name']\n'NAME' not in os.environ") == "true");
  CHECK(outcome_on_windows(world, "os.environ.pop('name') == 'x' and 'NAME' not in os.environ") == "true");
  CHECK(outcome_on_windows(world, "if what(): os.environ['name'] = 'y'\nos.environ['NAME'] == 'x'") == "open");
  CHECK(outcome_on_windows(world, "os.environ['Name'] = 'y'\nos.environ['NAME'] == 'y'") == "true");
  CHECK(steps_of("h = 'x' * 65536\nos.environ['PATH'] = h\n") == "PATH " + std::string(65536, 'x'));
  WindowsWorld none;
  CHECK(outcome_on_windows(none, "sysconfig.get_config_var('userbase') is None") == "open");
  none.python.variables = {{"APPDATA", "C:\\data"}};
  CHECK(outcome_on_windows(none, "sysconfig.get_config_var('other') == 'C:\\\\data\\\\Python'") == "open");
  CHECK(outcome_on_windows(none, "sysconfig.get_config_var(what()) == 'C:\\\\data\\\\Python'") == "open");
}

TEST_CASE("patterns on Windows: five hundred hits, a folder that is not there, and paths that are not full") {
  WindowsWorld world;
  for (int i = 0; i < 500; ++i) world.add("many/f" + std::to_string(i));
  CHECK(outcome_on_windows(world, "len(glob.glob('C:\\\\s\\\\many\\\\f*')) == 500") == "open");
  CHECK(outcome_on_windows(world, "len(glob.glob('C:\\\\s\\\\many\\\\f1*')) == 111") == "true");
  CHECK(outcome_on_windows(world, "glob.glob('C:\\\\none\\\\*') == []") == "true");
  CHECK(outcome_on_windows(world, "glob.glob('s\\\\many\\\\*') == []") == "open");
  const auto found = [&](std::size_t size) {
    return outcome_on_windows(world,
                              "glob.glob('C:/s/[" + std::string(size - 11, 'a') + "].pyd') == ['C:\\\\s\\\\a.pyd']");
  };
  CHECK(found(4096) == "true");
  CHECK(found(4097) == "false");
}

TEST_CASE("what code on Windows makes cudald look at, or keep, is charged") {
  const auto charged = [](const std::string& code) {
    WindowsWorld world;
    for (int i = 0; i < 100; ++i) world.add("many/f" + std::to_string(i));
    world.python.variables = {{"PATH", "C:\\none;C:\\s\\many"}};
    world.refused = {"x.dll"};
    world.run("k = ctypes.windll.kernel32\n" + code + "\n");
    return std::pair(world.cost.steps, world.cost.kept);
  };
  const auto before = charged("");
  struct Row {
    std::string code;
    std::uint64_t steps, kept;
  };
  for (const auto& [code, steps, kept] : {
           Row{"os.environ['NAME'] = 'value'", 22, 304},
           Row{"os.environ['NAME'] = what()", 24, 259},
           Row{"del os.environ['NAME']", 19, 198},
           Row{"k.LoadLibraryW('x.dll')\n#" + std::string(6400, 'x'), 6051, 23'001},
           Row{"ctypes.util.find_library('absent')", 455, 174},
           Row{"glob.glob('C:\\\\s\\\\many\\\\f*')", 1020, 14'094},
           Row{"sys.path.append('C:\\\\s\\\\many')\nimport absent", 68, 10'645},
       }) {
    const auto& seen_code = code;
    CAPTURE(seen_code.substr(0, 40));
    const auto after = charged(code);
    CHECK(is_about(after.first - before.first, steps));
    CHECK(is_about(after.second - before.second, kept));
  }
}
