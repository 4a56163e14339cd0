#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/import_world.h"

using namespace cudald;

namespace {

/// What ends `from package import NAME`, where the package binds names that are not followed; empty if nothing is sure.
std::string asked(std::string_view name, std::string_view init, std::string_view part = "", std::string_view other = "",
                  std::string_view program = "") {
  ImportWorld world;
  world.python.path = {"/s", "/lib", "/lib/site-packages"};
  world.python.interpreter = "/bin/python3.11";
  world.files.add_file("/bin/python3.11", "posix fchownat");
  world.files.add_file("/lib/os.py", "");
  world.files.add_file("/lib/site-packages/package/__init__.py", std::string(init));
  world.files.add_file("/lib/site-packages/package/part.py", std::string(part));
  world.files.add_file("/lib/site-packages/package/tests/data.json", R"({"kind": "tabular"})");
  world.files.add_file("/lib/site-packages/other.py", std::string(other));
  world.add("m.py", std::string(program) + "import other\nfrom package import " + std::string(name) + "\n");
  world.import("m");
  return world.result.error;
}

/// Binds names in a way that is not followed.
constexpr std::string_view unseen = "def fill(names):\n  for a in input(): names[a] = 1\nfill(globals())\n";

}  // namespace

TEST_CASE("a name that stands in no text is missing whatever the module's code binds") {
  CHECK(asked("removed_name", unseen) ==
        "ImportError: cannot import name 'removed_name' from 'package' (/lib/site-packages/package/__init__.py)");
  CHECK(asked("short", unseen).empty());
  CHECK(asked("removed_name", std::string(unseen) + "x = 'removed_name'\n").empty());
  CHECK(asked("removed_name", unseen, "def removed_name(): pass\n").empty());
  CHECK(asked("tabular", unseen).empty());                                 // in a file of data
  CHECK(asked("fchownat", unseen).empty());                                // of a built-in module
  CHECK(asked("removed_name", unseen, "", "removed_name = 1\n").empty());  // of a module whose names may be copied
}

TEST_CASE("what the source that asks does with the name before") {
  CHECK_FALSE(asked("removed_name", unseen, "", "", "removed_name2 = 1\n").empty());
  CHECK(asked("removed_name", unseen, "", "", "setattr(input(), 'removed_name', 1)\n").empty());
  CHECK(asked("removed_name", unseen, "", "", "input().removed_name = 1\n").empty());
}

TEST_CASE("names that code puts together of texts") {
  const auto composed = [](std::string_view name, std::string_view code) {
    return asked(name, std::string(unseen) + std::string(code)).empty();
  };
  CHECK(composed("AnnotatedValues", "name = 'Annotated%s' % input()\n"));
  CHECK(composed("AnnotatedValues", "name = f'{input()}Values'\n"));
  CHECK(composed("viridis_r", "name = input() + '_r'\n"));
  CHECK(composed("get_colour", "name = 'get_' + input()\n"));
  CHECK(composed("JoinedPoolEvents", "name = '%sEvents' % input()\n"));
  CHECK_FALSE(composed("get_colour", "name = ['get', 'colours of all kinds', 'get_']\n"));
}

TEST_CASE("modules of which a name may come from elsewhere") {
  CHECK(asked("removed_name", std::string(unseen) + "def __getattr__(name): return input()\n").empty());
  CHECK(asked("removed_name", std::string(unseen) + "import sys\nsys.modules[__name__] = input()\n").empty());
  CHECK(asked("removed_name", std::string(unseen) + "from sys import *\n").empty());
}

TEST_CASE("a module's own __getattr__ that was followed to an AttributeError makes no name") {
  const std::string refuses = "def __getattr__(name): raise AttributeError('no ' + name)\n";
  CHECK(asked("frobnicate", std::string(unseen) + refuses) ==
        "ImportError: cannot import name 'frobnicate' from 'package' (/lib/site-packages/package/__init__.py)");
  CHECK(asked("frobnicate", std::string(unseen) + refuses + "x = 'frobnicate'\n").empty());
  CHECK(asked("frobnicate", std::string(unseen) + "def __getattr__(name):\n  if name in input(): return 1\n" +
                                "  raise AttributeError(name)\n")
            .empty());
}

TEST_CASE("the program is no module of which names are copied, whoever asks for it as __main__") {
  CHECK_FALSE(asked("removed_name", std::string(unseen) + "import __main__\n").empty());
}

TEST_CASE("an object in the place of a module refuses a name that is in no text, where its __getattr__ says so") {
  const auto ends = [](std::string_view name, std::string_view body) {
    const std::string lazy =
        "import sys\nclass Lazy:\n  def __init__(self, parts): self.parts, self.kept = parts, dict(input())\n"
        "  def __getattr__(self, name):\n";
    return asked(name, lazy + std::string(body) + "\nsys.modules[__name__] = Lazy(input())\n");
  };
  constexpr std::string_view refuses =
      "    if name in self.kept: return self.kept[name]\n    if name in self.parts.keys(): value = input(name)\n"
      "    elif name == self.parts: value = 1\n    else: raise AttributeError(f'{self.x} has no {name}')\n"
      "    return value\n";
  CHECK(ends("frobnicate", refuses) ==
        "ImportError: cannot import name 'frobnicate' from 'package' (/lib/site-packages/package/__init__.py)");
  CHECK(ends("frobnicate", std::string(refuses) + "x = 'frobnicate'\n").empty());
  CHECK(ends("short", refuses).empty());
  CHECK(ends("frobnicate", "    return input(name)\n").empty());
  CHECK(ends("frobnicate", "    if input(name): return 1\n    raise AttributeError(name)\n").empty());
  CHECK(ends("frobnicate", "    if name.upper() in self.parts: return 1\n    raise AttributeError(name)\n").empty());
  CHECK(ends("frobnicate",
             "    for one in self.parts:\n      if one.has(name): return one\n"
             "    raise AttributeError(name)\n")
            .empty());
}

TEST_CASE("a module without a file, in no text of a package that makes modules") {
  const std::string makes = "import sys\nx = 1\nfor one in input(): sys.modules['package.' + one] = input()\n";
  const auto ends = [&](std::string_view module, std::string_view init, std::string_view part = "") {
    return asked("x", init, part, "", "import package." + std::string(module) + "\n");
  };
  CHECK(ends("removed_part", makes) == "ModuleNotFoundError: No module named 'package.removed_part'");
  CHECK(ends("removed_part", makes, "names = ['removed_part']\n").empty());
  CHECK(ends("removed_part", makes + "sys.meta_path.append(input())\n").empty());
  CHECK(ends("made", makes).empty());
}

TEST_CASE("functions that know the frames which call them bind names there") {
  const std::string_view binds = "import sys\ndef fill():\n  f = sys._getframe(1)\n  f.f_globals[input()] = 1\n";
  CHECK(asked("removed_name", "from .part import fill\nfill()\n", "def fill(): pass\n") != "");
  CHECK(asked("removed_name", "from .part import fill\nfill()\n", std::string(binds) + "x = 'removed_name'\n").empty());
}

TEST_CASE("a name that Python's own modules lack is surely not there if no text of another module has it") {
  const auto end_of = [](std::string_view name, std::string_view other) {
    ImportWorld world;
    world.add("other.py", std::string(other));
    world.add("ext.so", "PyInit_ext SET_BY_CODE");
    world.add("m.py", "import builtins, ext, other\nif not hasattr(builtins, '" + std::string(name) +
                          "'):\n  raise RuntimeError('not set')\n");
    world.import("m");
    return world.result.error;
  };
  CHECK(end_of("SET_BY_USERS", "") == "RuntimeError: not set");
  CHECK(end_of("SET_BY_USERS", "def f(module): module.SET_BY_USERS = 1\n").empty());
  CHECK(end_of("SET_BY_CODE", "").empty());
  CHECK(end_of("SHORT", "").empty());  // which is in a text by chance
}
