#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"
#include "unit/machine/cache_file.h"

using namespace cudald;

namespace {

std::string libraries_of(const std::string& code) {
  AnswerWorld world;
  world.rules = R"({"standard_library": {"names": ["sys", "os", "ctypes", "pathlib"]}, "rules": [],
                    "functions": {"rows": [{"call": ["torch.ops.load_library", "torch.classes.load_library"],
                                            "as": "open a library by its path"}]}, "libraries": {"rows": {}}})";
  world.add("torch/__init__.py", "from . import ops, classes\n");
  world.add("torch/classes.so");
  world.add("torch/ops.so");
  world.add("m.py", "import ctypes, ctypes.util, pathlib\n" + code + "\n");
  return world.import("m");
}

/// A world with a cache of the loader, and the part of subprocess that code asks.
AnswerWorld with_cache(std::set<std::string> found) {
  AnswerWorld world;
  world.found = std::move(found);
  world.files.add_file("/etc/ld.so.cache", new_cache({{"libz.so.1", "/lib/libz.so.1"}}));
  world.add("subprocess.py",
            "class CalledProcessError(Exception): pass\ndef check_output(args, shell=False): return made(args)\n");
  return world;
}

}  // namespace

TEST_CASE("ctypes opens the library that it is given, for all others if the mode says so") {
  CHECK(libraries_of("ctypes.CDLL('x.so')") == "x.so");
  CHECK(libraries_of("ctypes.CDLL(name='x.so')") == "x.so");
  CHECK(libraries_of("ctypes.CDLL('x.so', ctypes.RTLD_GLOBAL)") == "x.so global");
  CHECK(libraries_of("ctypes.CDLL('x.so', mode=ctypes.RTLD_GLOBAL)") == "x.so global");
  CHECK(libraries_of("ctypes.CDLL('x.so', mode=ctypes.RTLD_LOCAL)") == "x.so");
  CHECK(libraries_of("ctypes.CDLL('x.so', 0x100)") == "x.so global");
  CHECK(libraries_of("ctypes.CDLL('x.so', mode=0x102)") == "x.so global");
  CHECK(libraries_of("ctypes.CDLL('x.so', mode=0x2)") == "x.so");
  CHECK(libraries_of("ctypes.CDLL('x.so', mode=what())") == "x.so");
  for (const std::string function : {"PyDLL", "cdll.LoadLibrary", "pydll.LoadLibrary"}) {
    CAPTURE(function);
    CHECK(libraries_of("ctypes." + function + "('x.so')") == "x.so");
  }
  CHECK(libraries_of("ctypes.CDLL(str(pathlib.Path('/s') / 'a.so'))") == "a.so");
  CHECK(libraries_of("ctypes.cdll.x") == "x");
  // Linux has no windll.
  CHECK(libraries_of("try: ctypes.windll.user32\nexcept AttributeError: pass") == "");
}

TEST_CASE("no library, none that has a name and none that is a number are no requests") {
  for (const std::string argument : {"", "None", "''", "5", "[]"}) {
    CAPTURE(argument);
    CHECK(libraries_of("ctypes.CDLL(" + argument + ")") == "");
  }
  AnswerWorld world;
  CHECK(world("ctypes.CDLL('x.so') == 1") == "open");
  for (const auto& row : {std::pair(std::string("what()"), 1U), {"os.environ", 1U}, {"None", 0U}, {"''", 0U}}) {
    CAPTURE(row.first);
    const auto& [argument, told] = row;
    world.add("m.py", "import ctypes, os\nctypes.CDLL(" + argument + ")\n");
    world.import("m");
    REQUIRE(world.result.unfollowed.size() == told);
    if (told == 0) continue;
    CHECK(world.result.unfollowed[0].kind == Unfollowed::Kind::library);
    CHECK(world.result.unfollowed[0].code == "ctypes.CDLL(" + argument + ")");
  }
}

TEST_CASE("code that asks ldconfig for a library gets the lines of the cache, or the failure of grep") {
  const auto said = [](const std::string& command) {
    auto world = with_cache({});
    return world("import subprocess\ntry: r = subprocess.check_output(" + command +
                 ").decode('utf-8')\nexcept subprocess.CalledProcessError as e: r = str(e)\nr == "
                 "'\\tlibz.so.1 (libc6,x86-64) => /lib/libz.so.1\\n'");
  };
  CHECK(said("\"ldconfig -p | grep 'libz'\", shell=True") == "true");
  CHECK(said("'/sbin/ldconfig -p | grep libz', shell=True") == "true");
  CHECK(said("'ldconfig -p | grep libother', shell=True") == "false");
  for (const std::string open : {"'ldconfig -p | grep libz'", "'ldconfig -p', shell=True",
                                 "'ls | grep libz', shell=True", "'ldconfig -p | grep lib.*z', shell=True"})
    CHECK(said(open) == "open");
  const auto failed = [](std::set<std::string> found) {
    auto world = with_cache(std::move(found));
    world.add("m.py", "import subprocess\nsubprocess.check_output('ldconfig -p | grep libcuda', shell=True)\n");
    world.import("m");
    return world.result.error;
  };
  CHECK(failed({}) ==
        "subprocess.CalledProcessError: Command 'ldconfig -p | grep libcuda' returned non-zero exit status 1.");
  CHECK(failed({"libcuda.so.1"}) == "");  // a driver that is stated has no file
}

TEST_CASE("torch opens libraries of operators by the name of a file") {
  for (const std::string function : {"torch.ops.load_library", "torch.classes.load_library"}) {
    CAPTURE(function);
    CHECK(libraries_of("import torch\n" + function + "('/s/x.so')") == "torch/ops.so, torch/classes.so, x.so");
    CHECK(libraries_of("import torch\n" + function + "(path='/s/y.so')") == "torch/ops.so, torch/classes.so, y.so");
    CHECK(libraries_of("import torch\n" + function + "()") == "torch/ops.so, torch/classes.so");
  }
}

TEST_CASE("what the loader's cache cannot tell of a short name is not known") {
  AnswerWorld world;
  world.found.emplace();
  for (const std::string content : {"", "no cache"}) {
    if (!content.empty()) world.files.add_file("/etc/ld.so.cache", content);
    CHECK(world("import ctypes.util\nctypes.util.find_library('z') is None") == "open");
    CHECK(world("import ctypes.util\nctypes.util.find_library('c') == 'libc.so.6'") == "true");
  }
  CHECK(world("import ctypes.util\nctypes.util.find_library() is None") == "open");
  CHECK(world("import ctypes.util\nctypes.util.find_library(what()) is None") == "open");
}

TEST_CASE("a library is loaded for all by the bit of its mode that says so, or by a name") {
  const auto loads = [](const std::string& arguments) {
    ImportWorld world;
    world.add("m.py", "import ctypes, os\nctypes.CDLL(" + arguments + ")\n");
    return world.import("m");
  };
  for (const std::string mode : {"0x100", "257", "mode=0x102", "0x300", "ctypes.RTLD_GLOBAL", "mode=os.RTLD_GLOBAL"})
    CHECK(mode + " " + loads("'x.so', " + mode) == mode + " x.so global");
  for (const std::string mode : {"0", "0xff", "mode=0x200", "0x201", "ctypes.RTLD_LOCAL", "what()", "'RTLD_GLOBAL'"})
    CHECK(mode + " " + loads("'x.so', " + mode) == mode + " x.so");
  CHECK(loads("name='x.so'") == "x.so");
  CHECK(loads("mode=0x100, name='x.so'") == "x.so global");
  CHECK(loads("") == "");
}

TEST_CASE("a cache of the loader that is longer than sixteen megabytes is not read") {
  const auto found = [](std::size_t size) {
    ImportWorld world;
    world.found.emplace();
    for (const auto* name : {"a.so", "b.so"}) world.add(name);
    auto cache = new_cache({{"libz.so.1", "/lib/libz.so.1"}});
    if (size > 0) cache.resize(size);
    world.files.add_file("/etc/ld.so.cache", cache);
    world.add("m.py",
              "import ctypes.util\nif ctypes.util.find_library('z') == 'libz.so.1': import a\nelse: import b\n");
    return world.import("m");
  };
  constexpr std::size_t most = std::size_t{16} << 20;
  CHECK(found(0) == "a.so");
  CHECK(found(most) == "a.so");
  CHECK(found(most + 1) == "a.so optional, b.so optional");
}
