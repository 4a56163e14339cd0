#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "unit/python/answers.h"

using namespace cudald;

namespace {

std::string libraries_of(const std::string& code) {
  AnswerWorld world;
  world.add("torch/__init__.py", "from . import ops, classes\n");
  world.add("torch/classes.so");
  world.add("torch/ops.so");
  world.add("m.py", "import ctypes, ctypes.util, pathlib\n" + code + "\n");
  return world.import("m");
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
