#include "python/interpreter.h"

#include <string>

#include <doctest/doctest.h>

#include "unit/python/import_world.h"

using namespace cudald;

namespace {

/// A finder that a line of a .pth file puts at an end of sys.meta_path, and which gives `p.x` another place.
ImportWorld world_with_finder(const std::string& place_in_list) {
  ImportWorld world;
  world.add("finder.py",
            "import sys, os, importlib.util\nclass Finder:\n  def find_spec(self, name, path, target=None):\n"
            "    if name == 'p.x' and path is not None:\n"
            "      return importlib.util.spec_from_file_location(name, os.path.dirname(__file__) + '/else/x.py')\n"
            "    return None\nsys.meta_path." +
                place_in_list + "\n");
  world.python.start_up = {{"/s/finder.pth", "import finder"}};
  world.add("p/__init__.py");
  world.add("else/x.py", "import a\n");
  for (const auto* name : {"a.so", "b.so"}) world.add(name);
  return world;
}

}  // namespace

TEST_CASE("a finder in front of Python's own is asked first, one behind them last") {
  for (const bool there : {false, true}) {
    CAPTURE(there);
    auto before = world_with_finder("insert(0, Finder())");
    auto after = world_with_finder("append(Finder())");
    if (there)
      for (auto* world : {&before, &after}) world->add("p/x.py", "import b\n");
    CHECK(before.import("p.x") == "a.so");
    CHECK(after.import("p.x") == (there ? "b.so" : "a.so"));
  }
}

TEST_CASE("lines of .pth files that fail or do not end are passed over, and the second is told") {
  ImportWorld world;
  world.add("a.so");
  world.add("m.py", "import a\n");
  world.python.start_up = {{"/s/x.pth", "import absent"}, {"/s/y.pth", "import sys; sys.path.insert(0, '/t')"}};
  world.files.add_file("/t/a.so", "");
  CHECK(world.import("m") == "/t/a.so");
  CHECK(world.result.missing.empty());
  CHECK(world.result.notes.empty());
}

TEST_CASE("code of a module that takes too many steps is followed up to there, and what asked for it further") {
  const std::string endless = "import a\nfor i in range(300):\n  for j in range(300):\n" + std::string(8, ' ') +
                              "x = 1; y = 2; z = 3; x = 4\nimport b\n";
  const std::string told = " takes too many steps; it was followed up to line 4";
  const auto with_libraries = [] {
    ImportWorld world;
    for (const auto* name : {"a.so", "b.so", "c.so"}) world.add(name);
    return world;
  };
  auto source = with_libraries();
  source.add("m.py", "import p\nimport c\n");
  source.add("p.py", endless);
  CHECK(source.import("m") == "a.so, c.so");
  CHECK(source.result.imported);
  CHECK(source.result.notes == std::vector<std::string>{"/s/p.py" + told});
  auto compiled = with_libraries();
  const std::string zero(1, '\0');
  compiled.add("m.py", "import p\nimport c\n");
  compiled.add("p.so", zero + "cython_runtime" + zero);
  compiled.add("p.pyx", endless);
  CHECK(compiled.import("m") == "p.so, a.so optional, c.so");
  CHECK(compiled.result.imported);
  CHECK(compiled.result.notes == std::vector<std::string>{"/s/p.pyx" + told});
  auto start = with_libraries();
  start.python.start_up = {{"/s/x.pth", endless}, {"/s/y.pth", "import b"}};
  start.add("m.py", "import c\n");
  CHECK(start.import("m") == "a.so optional, b.so optional, c.so");
  CHECK(start.result.notes == std::vector<std::string>{"/s/x.pth runs code at start-up that takes too many steps"});
}

TEST_CASE("a part that its package makes at run time is taken to be there, and told") {
  for (const std::string text : {"import sys\nsys.modules[what()] = what()\n", "x = 1\n"}) {
    CAPTURE(text);
    ImportWorld world;
    world.add("p/__init__.py", text);
    world.add("m.py", "import p.made\nimport a\n");
    world.add("a.so");
    const bool made = text.starts_with("import");
    CHECK(world.import("m") == (made ? "a.so" : ""));
    CHECK(world.result.imported == made);
    CHECK(world.result.notes.size() == (made ? 1 : 0));
  }
}

TEST_CASE("what a compiled part of a package names may be made by it") {
  for (const bool named : {false, true}) {
    ImportWorld world;
    world.add("p/__init__.py", "from . import c\n");
    world.add("p/c.so", named ? "PyInit_c made_there" : "PyInit_c");
    world.add("m.py", "import p.made_there\nimport a\n");
    world.add("a.so");
    CHECK(world.import("m") == (named ? "p/c.so, a.so" : "p/c.so"));
  }
}

TEST_CASE("a compiled module's own source beside it is followed, its cimports and the parts that it includes") {
  ImportWorld world;
  world.add("p/__init__.py");
  const std::string zero(1, '\0');
  world.add("p/c.so", zero + "cython_runtime" + zero + "p.c" + zero + "p.d" + zero);
  world.add("p/c.pyx", "from . cimport d\nimport b\ninclude 'part.pxi'\n");
  world.add("p/part.pxi", "import a\n");
  for (const auto* name : {"a.so", "b.so", "p/d.so"}) world.add(name);
  world.add("m.py", "import p.c\n");
  CHECK(world.import("m") == "p/c.so, p/d.so optional, b.so optional, a.so optional");
}

TEST_CASE("cimports come in the order of the source, before what only the compiled module names") {
  ImportWorld world;
  world.add("p/__init__.py");
  const std::string zero(1, '\0');
  world.add("p/c.so", zero + "cython_runtime" + zero + "p.d" + zero + "p.e" + zero);
  world.add("p/c.pyx", "from . cimport e\ncimport p.d\nfrom p cimport absent\n");
  for (const auto* name : {"p/d.so", "p/e.so"}) world.add(name);
  world.add("m.py", "import p.c\n");
  CHECK(world.import("m") == "p/c.so, p/e.so optional, p/d.so optional");
}

TEST_CASE("what code puts into sys.modules is there from then on, and what it takes out comes back as it was") {
  ImportWorld world;
  world.add("real.py", "value = 1\n");
  world.add("m.py", "import sys, real\nsys.modules['made'] = real\nimport made\nimport a\n");
  for (const auto* name : {"a.so", "b.so"}) world.add(name);
  CHECK(world.import("m") == "a.so");
  CHECK(world.result.imported);
  world.loads.clear();
  world.add("n.py",
            "import sys, real\nkept = sys.modules.pop('real')\nkept.value = 2\nimport real\n"
            "if real.value == 1: import a\nsys.modules['real'] = kept\nimport real as again\n"
            "if again.value == 2: import b\n");
  CHECK(world.import("n") == "a.so, b.so");
}

TEST_CASE("a module that is taken out of sys.modules is imported anew") {
  ImportWorld world;
  world.add("c.py", "import ctypes\nctypes.CDLL('libx.so')\n");
  world.add("m.py", "import sys, c\nsys.modules.pop('c')\nimport c\n");
  CHECK(world.import("m") == "libx.so, libx.so");
  world.loads.clear();
  world.add("n.py", "import sys, c\nsys.modules.get('c')\nimport c\n");
  CHECK(world.import("n") == "libx.so");
}
