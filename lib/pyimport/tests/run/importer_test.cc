#include "pyimport/run/interpreter.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"
#include "pyimport/tests/import_world.h"

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

/// As a text stands in compiled code.
std::string text_of(const std::string& name) { return '\0' + name + '\0'; }

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
    world.add("p/c.so", named ? text_of("made_there") : text_of("not_made_there"));
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

TEST_CASE("a module that puts another one in its place is that one from then on, as collections.abc is") {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"p/__init__.py", ""}, {"p/q.py", "import sys, real\nsys.modules[__name__] = real\n"}, {"real.py", "Name = 3\n"}};
  const auto follow = [&](const std::string& code) {
    AnswerWorld world;
    for (const auto& [path, text] : files) world.add(path, text);
    world.add("m.py", code);
    return world.import("m");
  };
  const std::string caught = "try:\n  from p.q import Name\nexcept ImportError:\n  import b\n";
  CHECK(follow(caught + "if Name == 3: import a\n") == "a.so");
  CHECK(follow("import p.q\nimport real\nreal.Name = 4\nif p.q.Name == 4: import a\n") == "a.so");
  CHECK(follow("from p import q\nimport sys, p.q\nif sys.modules['p.q'].Name == q.Name: import a\n") == "a.so");
  CHECK(follow("try:\n  from p.q import Other\nexcept ImportError:\n  import b\n") == "b.so");
  // It can be taken out under that name as well, and is imported anew.
  CHECK(follow("import sys, p.q, real\ndel sys.modules['p.q']\nreal.Name = 4\n" + caught +
               "if Name == 4: import a\n") == "a.so");
  // Where it is not sure that this happens, nothing is said of what the module lacks.
  CHECK(follow("import ctypes\nif what(): import p.q\n" + caught) == "");
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

namespace {

/// What ends the import of "m", or what it loads, where these modules are; aa.so and bb.so are there as well.
std::string follow_m(const std::string& code, const std::vector<std::pair<std::string, std::string>>& files = {}) {
  ImportWorld world;
  for (const auto* name : {"aa.so", "bb.so"}) world.add(name);
  for (const auto& [path, text] : files) world.add(path, text);
  world.add("m.py", code);
  const auto loads = world.import("m");
  return world.result.error.empty() ? loads : world.result.error;
}

}  // namespace

TEST_CASE("what is imported is told in its order, with who asks for it, and whether its code is known") {
  ImportWorld world;
  world.add("m.py", "import p.c\n\nimport p.n, q\nimport p.n\n");
  world.add("p/__init__.py", "x = 1\n");
  for (const auto* name : {"p/c.so", "p/n.pyc", "q/r.py"}) world.add(name);
  world.import("m");
  const auto& modules = world.result.modules;
  REQUIRE(modules.size() == 5);
  std::string all;
  for (const auto& one : modules)
    all += one.name + " " + one.path + (one.opaque ? " opaque " : " ") + one.source + ":" + std::to_string(one.line) +
           "\n";
  CHECK(all ==
        "m /s/m.py :0\np /s/p/__init__.py /s/m.py:1\np.c /s/p/c.so opaque /s/m.py:1\n"
        "p.n /s/p/n.pyc opaque /s/m.py:3\nq  /s/m.py:3\n");
}

TEST_CASE("a module that is missing is told once for each line that asks, with the line and whether it is required") {
  ImportWorld world;
  world.add("m.py",
            "for i in [1, 2]:\n  try: import absent\n  except ImportError: pass\n"
            "try: import absent\nexcept ImportError: pass\ntry: import other\nexcept ImportError: pass\nimport n\n");
  world.add("n.py", "\ntry: import absent\nexcept ImportError: pass\nimport last\n");
  world.import("m");
  std::string all;
  for (const auto& one : world.result.missing)
    all += one.name + " " + one.source + ":" + std::to_string(one.line) + (one.required ? " required\n" : "\n");
  CHECK(all == "absent /s/m.py:2\nabsent /s/m.py:4\nother /s/m.py:6\nabsent /s/n.py:2\nlast /s/n.py:4 required\n");
}

TEST_CASE("what is inside of a module that is no package is missing, unless the module makes it") {
  CHECK(follow_m("import n.x\n", {{"n.py", "x = 1\n"}}).starts_with("ModuleNotFoundError: No module named 'n.x'"));
  CHECK(follow_m("import n.x\nimport aa\n", {{"n.py", "__path__ = [what()]\n"}}) == "aa.so");
  CHECK(follow_m("import n.x\n", {{"n.py", "__path__ = []\n"}}) == "ModuleNotFoundError: No module named 'n.x'");
  CHECK(follow_m("import aa.x\n") == "aa.so");
  CHECK(follow_m("import n.x.y\n", {{"n.py", ""}}).starts_with("ModuleNotFoundError: No module named 'n.x'"));
}

TEST_CASE("a name of more than a hundred parts is not looked for part by part") {
  const auto error = [](int dots) {
    std::string name = "q";
    for (int i = 0; i < dots; ++i) name += ".q";
    const auto said = follow_m("import " + name + "\n");
    return said == "ModuleNotFoundError: No module named 'q'"              ? "the first"
           : said == "ModuleNotFoundError: No module named '" + name + "'" ? "the whole"
                                                                           : said;
  };
  CHECK(error(100) == "the first");
  CHECK(error(101) == "the whole");
}

TEST_CASE("imports are followed 250 deep") {
  const auto error = [](int depth) {
    ImportWorld world;
    for (int i = 0; i + 1 < depth; ++i)
      world.add("c" + std::to_string(i) + ".py", "import c" + std::to_string(i + 1) + "\n");
    world.add("c" + std::to_string(depth - 1) + ".py");
    world.limits.depth = 5000;
    world.import("c0");
    return world.result.error;
  };
  CHECK(error(250) == "");
  CHECK(error(251) == "RecursionError: too many modules to follow");
}

TEST_CASE("of sys.path the texts are searched, a thousand at most") {
  const auto loads = [](const std::string& change) {
    ImportWorld world;
    world.files.add_file("/t/cc.so", "");
    world.add("m.py", "import sys\n" + change + "\ntry: import cc\nexcept ImportError: pass\n");
    return world.import("m");
  };
  CHECK(loads("pass") == "");
  CHECK(loads("sys.path.append('/t')") == "/t/cc.so optional");
  CHECK(loads("sys.path = [5, None, what(), '/t']") == "/t/cc.so optional");
  const std::string many = "sys.path = ['/n' for i in range(250) for j in range(4)]\n";
  CHECK(loads(many + "sys.path.pop()\nsys.path.append('/t')") == "/t/cc.so optional");
  CHECK(loads(many + "sys.path.append('/t')") == "");
}

TEST_CASE("on Windows what code adds to sys.path is found in the tree") {
  const auto loads = [](const std::string& folder) {
    auto windows = std::make_shared<WindowsPython>();
    windows->spelled = [](const std::string& path) { return "C:" + path; };
    windows->find = [](const std::string& path) -> std::optional<std::string> {
      return path == "C:/t" ? std::optional<std::string>("/t") : std::nullopt;
    };
    ImportWorld world;
    world.python.windows = windows;
    world.python.extension_suffixes = {".pyd"};
    world.files.add_file("/t/cc.pyd", "");
    world.files.add_file("/u/cc.pyd", "");
    world.add("cc.pyd");
    world.add("m.py", "import sys\nsys.path.insert(0, '" + folder + "')\nimport cc\n");
    world.import("m");
    return world.steps.empty() ? world.result.error : world.steps[0].path;
  };
  CHECK(loads("C:/t") == "/t/cc.pyd");
  CHECK(loads("C:/s") == "/s/cc.pyd");
  CHECK(loads("C:/u") == "/s/cc.pyd");
}

TEST_CASE("modules are taken out of sys.modules and put back in many ways") {
  const std::vector<std::pair<std::string, std::string>> real{{"real.py", "value = 1\n"}, {"other.py", "value = 5\n"}};
  const std::string taken = "import sys, real\nkept = sys.modules.pop('real')\nkept.value = 2\n";
  CHECK(follow_m(taken + "sys.modules['real'] = kept\nimport real\nif kept.value == 2 and real.value == 2: import aa\n",
                 real) == "aa.so");
  CHECK(follow_m(
            taken +
                "sys.modules['real'] = kept\nsys.modules['real'] = kept\nimport real\nif real.value == 2: import aa\n",
            real) == "aa.so");
  CHECK(follow_m(taken + "import real\nif kept.value == 2 and real.value == 1: import aa\n", real) == "aa.so");
  CHECK(follow_m("import sys, real\nsys.modules['real'] = real\nimport real\nif real.value == 1: import aa\n", real) ==
        "aa.so");
  CHECK(follow_m("import sys, real\nsys.modules['real'] = 5\nimport real\nif real.value == 1: import aa\n", real)
            .starts_with("aa.so"));
  CHECK(follow_m("import sys\nsys.modules['made'] = 5\nimport made\nimport aa\n") == "aa.so");
  CHECK(follow_m("import sys\nsys.modules.pop('absent')\nimport aa\n") == "aa.so");
  // It keeps its other name where it is taken out under its own.
  CHECK(follow_m("import sys, real\nsys.modules['made'] = real\ndel sys.modules['real']\nimport made\n"
                 "if made.value == 1: import aa\n",
                 real) == "aa.so");
}

TEST_CASE("only finders that a .pth file has put there are asked, and what they raise or import does not matter") {
  const auto loads = [](const std::string& find, const std::string& put) {
    ImportWorld world;
    world.add("finder.py",
              "import sys, importlib.util\nclass Finder:\n  def find_spec(self, name, path, target=None):\n" + find +
                  "    return importlib.util.spec_from_file_location(name, '/s/else/x.py')\n" + put + "\n");
    world.python.start_up = {{"/s/finder.pth", "import finder"}};
    world.add("else/x.py", "import aa\n");
    for (const auto* name : {"aa.so", "bb.so", "helper.py"}) world.add(name);
    world.add("m.py", "import absent\n");
    const auto loaded = world.import("m");
    return world.result.error.empty() ? loaded : world.result.error;
  };
  const std::string only = "    if name != 'absent': return None\n", put = "sys.meta_path.append(Finder())";
  const std::string missing = "ModuleNotFoundError: No module named 'absent'";
  CHECK(loads(only, put) == "aa.so");
  CHECK(loads(only, "") == missing);
  CHECK(loads(only, "sys.meta_path.append(5)") == missing);
  CHECK(loads(only, "sys.meta_path.insert(0, 5)\n" + put) == "aa.so");
  CHECK(loads(only + "    import helper, unheard_of\n", put) == missing);
  CHECK(loads(only + "    import helper\n", put) == "aa.so");
  CHECK(loads(only + "    raise ImportError('no')\n", put) == missing);
  // One that ordinary code puts there is not.
  CHECK(follow_m("import sys, importlib.util\nclass Finder:\n  def find_spec(self, name, path, target=None):\n"
                 "    return importlib.util.spec_from_file_location(name, '/s/else/x.py')\n"
                 "sys.meta_path.append(Finder())\nimport absent\n",
                 {{"else/x.py", "import aa\n"}}) == missing);
}

TEST_CASE("modules that are taken to be elsewhere are there, with all that is in them") {
  const auto ends = [](const std::string& code) {
    ImportWorld world;
    world.python.elsewhere = {"far", "other"};
    world.add("aa.so");
    world.add("m.py", code + "import aa\n");
    const auto loads = world.import("m");
    CHECK(world.result.missing.empty() == world.result.error.empty());
    return world.result.error.empty() ? loads : world.result.error;
  };
  CHECK(ends("import far\n") == "aa.so");
  CHECK(ends("import far.x.y\n") == "aa.so");
  CHECK(ends("from far import x\n") == "aa.so");
  CHECK(ends("try: import far\nexcept ImportError: import absent\n") == "aa.so");
  CHECK(ends("import farther\n") == "ModuleNotFoundError: No module named 'farther'");
}

TEST_CASE("parts of a package that another wheel may install have names that nobody knows") {
  ImportWorld world;
  world.python.complete = false;
  world.python.elsewhere = {"p_core"};
  world.add("p/__init__.py",
            "try:\n  from p._version import version\nexcept ModuleNotFoundError: raise ImportError('no core')\n"
            "if version != '1.0': raise ImportError('other')\nimport a\n");
  world.add("a.so");
  CHECK(world.import("p") == "a.so");
  CHECK(world.result.error.empty());
}

TEST_CASE("of a namespace that is taken to be elsewhere, those parts are there that are known to be") {
  const auto ends = [](const std::string& code, const std::string& own = "") {
    ImportWorld world;
    world.python.elsewhere = {"far.near", "far.out.wide"};
    world.add("aa.so");
    if (!own.empty()) world.add(own);
    world.add("m.py", code + "import aa\n");
    const auto loads = world.import("m");
    CHECK(world.result.missing.empty() == world.result.error.empty());
    return world.result.error.empty() ? loads : world.result.error;
  };
  for (const std::string own : {"", "far/own.py"}) {  // the package itself may have a part in the namespace
    CAPTURE(own);
    CHECK(ends("import far.near\n", own) == "aa.so");
    CHECK(ends("import far.near.x.y\nfar.near.x.z\n", own) == "aa.so");
    CHECK(ends("import far.out.wide.x\n", own) == "aa.so");
    CHECK(ends("from far import near\n", own) == "aa.so");
    CHECK(ends("from far.near import x\n", own) == "aa.so");
    CHECK(ends("from far.out import wide\n", own) == "aa.so");
    CHECK(ends("try: import far.near\nexcept ImportError: import absent\n", own) == "aa.so");
    CHECK(ends("import far.other\n", own) == "ModuleNotFoundError: No module named 'far.other'");
    CHECK(ends("import far.out.other\n", own) == "ModuleNotFoundError: No module named 'far.out.other'");
    CHECK(ends("import far.nearer\n", own) == "ModuleNotFoundError: No module named 'far.nearer'");
  }
  CHECK(ends("from far import own\n", "far/own.py") == "aa.so");
  CHECK(ends("import farther\n") == "ModuleNotFoundError: No module named 'farther'");
}

TEST_CASE("a name that a namespace elsewhere lacks cannot be imported from it") {
  ImportWorld world;
  world.python.elsewhere = {"far.near"};
  world.add("m.py", "from far import other\n");
  world.import("m");
  CHECK(world.result.error == "ImportError: cannot import name 'other' from 'far' (unknown location)");
}

TEST_CASE("a package makes the module that it writes into the table of modules, or that its compiled parts name") {
  const auto makes = [](const std::string& package, const std::string& part = "") {
    const auto end = follow_m("import p.made\nimport aa\n", {{"p/__init__.py", package}, {"p/part.py", part}});
    return end == "aa.so" ? "yes" : end == "ModuleNotFoundError: No module named 'p.made'" ? "no" : end;
  };
  CHECK(makes("") == "no");
  CHECK(makes("if 0: sys.modules[what()] = 1\n") == "yes");
  CHECK(makes("if 0: sys.modules.setdefault(what(), 1)\n") == "yes");
  CHECK(makes("if 0: sys.modules.update(what())\n") == "yes");
  CHECK(makes("if 0: sys.meta_path.append(what())\n") == "yes");
  CHECK(makes("if 0: sys.modules.get(what())\n") == "no");
  CHECK(makes("from . import part\n", "if 0: sys.modules[what()] = 1\n") == "yes");
  CHECK(makes("", "if 0: sys.modules[what()] = 1\n") == "no");  // it does not run
  // Of another package that begins alike, and of one that was taken out, it is not.
  CHECK(follow_m("import pp\nimport p.made\n", {{"p/__init__.py", ""}, {"pp.py", "if 0: sys.modules[what()] = 1\n"}}) ==
        "ModuleNotFoundError: No module named 'p.made'");
  CHECK(follow_m("import p.q\nimport p.made\nimport aa\n", {{"p/__init__.py", ""}, {"p/q.so", text_of("made")}}) ==
        "p/q.so, aa.so");
  CHECK(follow_m("import p.q\nimport p.made\nimport aa\n",
                 {{"p/__init__.py", ""}, {"p/q.so", "RUST_BACKTRACE;unmade"}}) == "p/q.so, aa.so");
  CHECK(follow_m("import p.q\nimport p.made\n", {{"p/__init__.py", ""}, {"p/q.so", text_of("mad")}}) ==
        "ModuleNotFoundError: No module named 'p.made'");
  CHECK(follow_m("try: import p.made\nexcept ImportError: import bb\n",
                 {{"p/__init__.py", "if 0: sys.modules[what()] = 1\n"}}) == "bb.so");
}

TEST_CASE("a compiled part that cannot be read does not tell what it makes") {
  ImportWorld world;
  world.add("p/__init__.py");
  world.files.add_file("/s/p/q.so", "made", {.readable = false});
  world.add("m.py", "import p.q\nimport p.made\n");
  world.import("m");
  CHECK(world.result.error == "ModuleNotFoundError: No module named 'p.made'");
}

TEST_CASE("a module of which RECORD lists a file that is gone is not made at run time") {
  const auto error_with = [](const std::string& record) {
    ImportWorld world;
    world.add("p/__init__.py");
    world.add("p/q.so", text_of("made"));
    world.add("m.py", "import p.q\nimport p.made\n");
    world.add("p-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: p\nVersion: 1.0\n");
    world.add("p-1.0.dist-info/RECORD", record);
    world.import("m");
    return world.result.error;
  };
  CHECK(error_with("p/q.so,,\np/made.so,,\n") == "ModuleNotFoundError: No module named 'p.made'");
  CHECK(error_with("p/q.so,,\n") == "");
}

TEST_CASE("what is made at run time is told") {
  ImportWorld world;
  world.add("p/__init__.py", "if 0: sys.modules[what()] = 1\n");
  world.add("m.py", "import p.made\n");
  world.import("m");
  CHECK(world.result.notes ==
        std::vector<std::string>{"p.made is imported and has no file; assumed to be created at run time"});
}

TEST_CASE("libraries that code names and does not load are told, by each way to name one") {
  struct Row {
    std::string code, name;
  };
  for (const auto& [code, name] : {
           Row{"CDLL('libx.so')", "libx.so"},
           Row{"ctypes.CDLL('libx.so.1')", "libx.so.1"},
           Row{"WinDLL('libx.so')", "libx.so"},
           Row{"PyDLL('libx.so')", "libx.so"},
           Row{"LoadLibrary('libx.so')", "libx.so"},
           Row{"dlopen('libx.so')", "libx.so"},
           Row{"find_library('libx.so')", "libx.so"},
           Row{"find_library('x')", "libx.so"},
           Row{"CDLL(r'libx.so')", "libx.so"},
           Row{"CDLL('x')", ""},
           Row{"CDLL('x.dll')", ""},
           Row{"find_library('x.dll')", ""},
           Row{"find_library('')", ""},
           Row{"CDLL('')", ""},
           Row{"CDLL(f'lib{x}.so')", ""},
           Row{"find_library(f'x')", ""},
           Row{"CDLL(name)", ""},
           Row{"CDLL['libx.so']", ""},
           Row{"xDLL('libx.so')", ""},
           Row{"other('libx.so')", ""},
       }) {
    ImportWorld world;
    world.add("m.py", "def f(): pass\n\ndef g(): return " + code + "\n");
    world.import("m");
    std::string all;
    for (const auto& one : world.result.soft_libraries) {
      all += one.name;
      CHECK(one.source == "/s/m.py");
      CHECK(one.line == 3);
      CHECK(one.module == "m");
      CHECK(one.basis == "source");
      CHECK(one.note == "");
      CHECK_FALSE(one.gpu);
      CHECK_FALSE(one.global);
    }
    CHECK(code + " " + all == code + " " + name);
  }
}

TEST_CASE("of libraries that code names 2000 are told, none with a name longer than a text can be") {
  const auto count = [](int libraries, std::size_t length) {
    ImportWorld world;
    std::string code = "def f():\n";
    for (int i = 0; i < libraries; ++i) code += "  CDLL('" + std::string(length - 3, 'x') + ".so')\n";
    world.add("m.py", code);
    world.import("m");
    return std::pair(world.result.soft_libraries.size(), world.result.followed);
  };
  CHECK(count(2000, 10) == std::pair(std::size_t{2000}, true));
  CHECK(count(2001, 10) == std::pair(std::size_t{2000}, false));
  CHECK(count(1, 65536) == std::pair(std::size_t{1}, true));
  CHECK(count(1, 65537) == std::pair(std::size_t{0}, false));
}

TEST_CASE("an inner function that declares a name of the one around it changes that one alone") {
  CHECK(follow_m("def f():\n  n, k = 1, 1\n  def g():\n    nonlocal n\n    n, k = 2, 2\n  g()\n  return [n, k]\n"
                 "if f() == [2, 1]: import aa\n") == "aa.so");
  CHECK(follow_m("n, k = 1, 1\ndef f():\n  global n\n  n, k = 2, 2\nf()\nif [n, k] == [2, 1]: import aa\n") == "aa.so");
}

TEST_CASE("a codec is a module of encodings: in small letters, without signs, and with a name of 40 letters at most") {
  const auto loads = [](const std::string& codec) {
    ImportWorld world;
    const std::string longest(40, 'x');
    world.add("encodings/__init__.py");
    for (const auto& name : std::vector<std::string>{"utf_8", "a1_b", "z", "_", longest, longest + "x"})
      world.add("encodings/" + name + ".so");
    world.add("m.py", "try: 'a'.encode('" + codec + "')\nexcept LookupError: pass\n");
    const auto loaded = world.import("m");
    CHECK(world.result.missing.empty());
    return loaded;
  };
  CHECK(loads("utf_8") == "encodings/utf_8.so optional");
  CHECK(loads("UTF-8") == "encodings/utf_8.so optional");
  CHECK(loads("A1.b") == "encodings/a1_b.so optional");
  CHECK(loads("Z") == "encodings/z.so optional");
  CHECK(loads("-") == "encodings/_.so optional");
  CHECK(loads("other") == "");
  CHECK(loads("") == "");
  CHECK(loads(std::string(40, 'X')) == "encodings/" + std::string(40, 'x') + ".so optional");
  CHECK(loads(std::string(41, 'X')) == "");
}

TEST_CASE("a rule of a module runs behind its code, and before what its file says that it imports") {
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": []}, "libraries": {"rows": {}}, "rules": [
    {"module": "n", "source": "test", "steps": [{"load": "libn.so"}]},
    {"module": "c", "source": "test", "steps": [{"load": "libc.so"}]}]})";
  world.add("n.py", "import aa\n");
  world.add("c.so", std::string("\0_cffi_backend\0", 15));
  for (const auto* name : {"aa.so", "_cffi_backend.so"}) world.add(name);
  world.add("m.py", "import n, c\n");
  CHECK(world.import("m") == "aa.so, libn.so, c.so, libc.so, _cffi_backend.so optional");
}

TEST_CASE("a module that fails is none of those that code may have made, and its names are gone") {
  CHECK(follow_m("try: import n\nexcept ImportError: pass\nimport sys\nif 'n' not in sys.modules: import aa\n",
                 {{"n.py", "raise ImportError('no')\n"}}) == "aa.so");
  CHECK(follow_m("try: import p.n\nexcept ImportError: pass\nimport p.made\n",
                 {{"p/__init__.py", ""}, {"p/n.py", "if 0: sys.modules[what()] = 1\nraise ImportError('no')\n"}}) ==
        "ModuleNotFoundError: No module named 'p.made'");
}

TEST_CASE("what a module that fails has put in its place is gone under that name, and can be used under others") {
  const std::string caught = "import sys\ntry: import n\nexcept ImportError: pass\n";
  CHECK(follow_m(caught + "if 'n' not in sys.modules and sys.modules['real'].value == 1: import aa\n",
                 {{"n.py", "import sys, real\nsys.modules[__name__] = real\nraise ImportError('no')\n"},
                  {"real.py", "value = 1\n"}}) == "aa.so");
  CHECK(follow_m(caught + "import state\nif 'n' not in sys.modules and state.count == 2: import aa\n",
                 {{"n.py",
                   "import sys, state\nstate.count += 1\nvalue = state.count\nif value == 1:\n"
                   "  del sys.modules['n']\n  import n\n  state.kept = n\n  raise ImportError('no')\n"},
                  {"state.py", "count = 0\n"}}) == "aa.so");
}

TEST_CASE("a source of which a part was left out is followed up to there, and that is told once") {
  std::string list = "x = [";
  for (int i = 0; i < 310'000; ++i) list += "1,";
  const auto told = [](const std::string& path) {
    return std::vector<std::string>{path + " is too long to be followed to its end"};
  };
  ImportWorld world;
  for (const auto* name : {"aa.so", "bb.so"}) world.add(name);
  world.add("m.py", "import aa\n" + list + "]\nimport bb\n");
  CHECK(world.import("m") == "aa.so");
  CHECK_FALSE(world.result.followed);
  CHECK(world.result.notes == told("/s/m.py"));
  ImportWorld called;
  for (const auto* name : {"aa.so", "bb.so"}) called.add(name);
  called.add("n.py", "def f():\n  import aa\n  " + list + "]\n  import bb\n");
  called.add("m.py", "import n\n");
  CHECK(called.import("m") == "");
  CHECK(called.result.followed);
  CHECK(called.result.notes.empty());
  called.add("m.py", "import n\nn.f()\nn.f()\n");
  CHECK(called.import("m") == "aa.so");
  CHECK_FALSE(called.result.followed);
  CHECK(called.result.notes == told("/s/n.py"));
}

TEST_CASE("a compiled part of more than 256 MiB is not looked through for what it makes") {
  const auto makes = [](std::uint64_t size) {
    ImportWorld world;
    world.add("p/__init__.py");
    world.files.add_file("/s/p/q.so", text_of("made") + std::string(2000, 'x'), {.claimed_size = size});
    world.add("m.py", "import p.q\nimport p.made\n");
    world.import("m");
    return world.result.error.empty();
  };
  CHECK(makes(std::uint64_t{256} << 20));
  CHECK_FALSE(makes((std::uint64_t{256} << 20) + 1));
}

TEST_CASE("the names of a module that runs are known up to the line that binds some unseen, and not on it") {
  const auto loads = [](const std::string& code) {
    ImportWorld world;
    for (const auto* name : {"a.so", "b.so"}) world.add(name);
    world.add("p.py", code);
    world.add("q.py", "def see():\n  import p\n  if hasattr(p, 'y'): import a\n  else: import b\n");
    world.add("m.py", "import p\n");
    return world.import("m");
  };
  CHECK(loads("import q\nq.see()\nsetattr(what(), what(), 1)\n") == "b.so");
  CHECK(loads("import q\nq.see(); setattr(what(), what(), 1)\n") == "");
  CHECK(loads("import q\nsetattr(what(), what(), 1)\nq.see()\n") == "");
  CHECK(loads("import q\ny = 1\nq.see()\nsetattr(what(), what(), 1)\n") == "a.so");
}

TEST_CASE("what stands behind what may as well not happen is sure again") {
  CHECK(follow_m("if what(): pass\nx = 1\nx = 2\nif x == 2: import aa\n") == "aa.so");
  CHECK(follow_m("what() and what()\nx = 1\nx = 2\nif x == 2: import aa\n") == "aa.so");
  CHECK(follow_m("def f():\n  if what(): pass\n  import aa\nf()\n") == "aa.so");
  CHECK(follow_m("def f():\n  if what(): import nowhere\n  import aa\nf()\n") == "aa.so");
}

TEST_CASE("a rule that is for one system counts there alone") {
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": ["sys"]}, "libraries": {"rows": {}}, "rules": [
    {"module": "m", "system": "windows", "source": "test", "steps": [{"load": "w.dll"}]},
    {"module": "m", "system": "linux", "source": "test", "steps": [{"load": "libl.so"}]}]})";
  world.add("m.py");
  CHECK(world.import("m") == "libl.so");
  world.python.windows = [] {
    auto windows = std::make_shared<WindowsPython>();
    windows->spelled = [](const std::string& path) { return "C:" + path; };
    windows->find = [](const std::string& path) { return std::optional(path); };
    return windows;
  }();
  world.loads.clear();
  CHECK(world.import("m") == "w.dll");
}

TEST_CASE("sys.path is known, whatever site does to it") {
  ImportWorld world;
  for (const auto* name : {"a.so", "b.so"}) world.add(name);
  world.add("site.py", "import sys\nif what(): sys.path.append('/x')\nsys.path.append(what())\n");
  world.add("m.py", "import sys\nif '/y' in sys.path: import a\nelse: import b\n");
  CHECK(world.import("m") == "b.so");
}

TEST_CASE("since Python 3.12 a finder without find_spec makes no module") {
  const std::string finder =
      "import sys\nclass F(object):\n  def __init__(self): self.known = {}\n"
      "  def find_module(self, name, path=None): return self\n"
      "  def load_module(self, name):\n    sys.modules[name] = self.known[name]\n    return sys.modules[name]\n"
      "def of(name): return sys.modules[name]\n__path__ = []\nsys.meta_path.append(F())\n";
  const auto error = [&](const std::string& version, const std::string& more = "") {
    ImportWorld world;
    world.python.version = version;
    world.add("six.py", finder + more);
    world.add("m.py", "import six.moves\n");
    world.import("m");
    return world.result.error;
  };
  CHECK(error("3.12") == "ModuleNotFoundError: No module named 'six.moves'");
  CHECK(error("3.11") == "");
  CHECK(error("3.12", "def g(): return F.find_spec\n") == "");
  CHECK(error("3.12", "sys.modules[__name__ + '.moves'] = F\n") == "");
}

TEST_CASE("before Python 3.12 a finder is asked by find_module, also for what is taken from a package") {
  const std::string finder =
      "import sys\nclass F:\n  def __init__(self, root): self.root = root\n"
      "  def find_module(self, name, path=None):\n    if name == 'p.extern.gone': return None\n    return self\n"
      "  def load_module(self, name):\n    sys.modules[name] = made = make(name)\n    return made\n"
      "F('v')\nsys.meta_path.append(F('v'))\n";
  const auto error = [&](const std::string& version, const std::string& wanted) {
    ImportWorld world;
    world.python.version = version;
    world.add("site.py", "");
    world.add("p/__init__.py", "");
    world.add("p/extern/__init__.py", finder);
    world.add("m.py", "from p.extern import " + wanted + "\n");
    world.import("m");
    return world.result.error.substr(0, world.result.error.find(" ("));
  };
  CHECK(error("3.8", "six") == "");
  CHECK(error("3.8", "gone") == "ImportError: cannot import name 'gone' from 'p.extern'");
  CHECK(error("3.12", "six") == "ImportError: cannot import name 'six' from 'p.extern'");
}
