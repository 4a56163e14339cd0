#include <string>

#include <doctest/doctest.h>

#include "unit/python/import_world.h"

using namespace cudald;

namespace {

/// A world whose only rules are these, and whose table of libraries has these rows.
ImportWorld world_with(const std::string& rules, const std::string& rows = "{}") {
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": ["ctypes", "sys"]}, "libraries": {"rows": )" + rows +
                R"(}, "rules": [)" + rules + "]}";
  return world;
}

}  // namespace

TEST_CASE("a rule's step is taken if what it asks about the text, a value or a version holds") {
  const auto loads = [](const std::string& condition) {
    auto world = world_with(R"({"call": "m.f", "source": "test", "values": {"v": "m.version", "none": "m.absent"},
                                "steps": [{"load": "x.so", )" +
                            condition + "}]}");
    world.add("m.py", "version = '12.8'\ndef f(): pass\nf()\n");
    return world.import("m");
  };
  CHECK(loads(R"("if_source": "version = ")") == "x.so");
  CHECK(loads(R"("if_source": "another")") == "");
  CHECK(loads(R"("if_value": "{v}")") == "x.so");
  CHECK(loads(R"("if_value": "{none}")") == "");
  CHECK(loads(R"("if_at_least": ["{v}", "12.8"])") == "x.so");
  CHECK(loads(R"("if_at_least": ["{v}", "12.9"])") == "");
}

TEST_CASE("names in a rule: the package, the file that calls, its folder, the first argument, JSON, majors") {
  const std::string rule = R"({"call": "p.f", "source": "test",
    "values": {"json": "json:{package}/w.json#/{0}/names/1", "v": "p.version", "no": "json:{package}/w.json#/none"},
    "steps": [{"load": "lib{0}.so"}, {"load": "{package}/a.so"}, {"load": "{here}/b.so"}, {"load": "lib{json}.so"},
              {"load": "cu{v.major}.so"}, {"load": "x{no}.so"}, {"load": "{0"}]})";
  auto world = world_with(rule);
  world.add("p/__init__.py", "version = '12.8'\ndef f(x): pass\n");
  world.add("q/w.json", R"({"blas": {"names": ["first", "second"]}})");
  world.add("q/m.py", "import p\np.f('blas')\n");
  world.python.path = {"/s", "/s/q"};
  CHECK(world.import("m") == "libblas.so, q/a.so, q/b.so, libsecond.so, cu12.so, x.so, {0");
}

TEST_CASE("what a rule returns is what the call gives") {
  auto world = world_with(R"({"call": "p.place", "source": "test", "returns": "{here}/lib/{0}"})");
  world.add("p.py", "def place(x): return 'elsewhere'\n");
  world.add("m.py", "import ctypes, p\nctypes.CDLL(p.place('a.so'))\n");
  CHECK(world.import("m") == "lib/a.so");
}

TEST_CASE("of several places the first folder of sys.path that has any of them, or all of all") {
  const auto loads = [](bool all) {
    auto world = world_with(R"({"call": "m.f", "source": "test", "steps": [{"load": ["n/x*.so", "n/y.so"], "all": )" +
                            std::string(all ? "true" : "false") + "}]}");
    world.python.path = {"/s", "/t"};
    world.add("m.py", "def f(): pass\nf()\n");
    world.add("n/y.so");
    for (const auto* name : {"/t/n/x1.so", "/t/n/x2.so", "/t/n/y.so"}) world.files.add_file(name, "");
    return world.import("m");
  };
  CHECK(loads(false) == "n/y.so");
  CHECK(loads(true) == "n/y.so, /t/n/x1.so, /t/n/x2.so, /t/n/y.so");
}

TEST_CASE("what a rule looks for in vain ends the import, unless it may be missing") {
  const auto outcome = [](const std::string& more) {
    auto world =
        world_with(R"({"call": "m.f", "source": "test", "steps": [{"load": ["n/x.so", "n/y*.so"])" + more + "}]}");
    world.add("m.py", "def f(): pass\nf()\nimport a\n");
    world.add("a.so");
    return world.import("m") + "|" + world.result.error;
  };
  CHECK(outcome("") == "|ValueError: y*.so not found in the system path");
  CHECK(outcome(R"(, "required": false)") == "a.so|");
  CHECK(outcome(R"(, "all": true)") == "a.so|");
}

TEST_CASE("a rule's imports, and what fails there") {
  const std::string rule = R"({"module": "c", "source": "test", "imports": ["d", "absent"]},
                              {"call": "m.f", "source": "test", "steps": [{"import": "e"}]})";
  auto world = world_with(rule);
  for (const auto* name : {"c.so", "d.so", "e.so"}) world.add(name);
  world.add("m.py", "import c\ndef f(): pass\nf()\n");
  CHECK(world.import("m") == "c.so, d.so optional, e.so");
  auto other = world_with(rule);
  other.add("m.py", "def f(): pass\nf()\n");
  other.import("m");
  CHECK(other.result.error == "ModuleNotFoundError: No module named 'e'");
}

TEST_CASE("libraries that a rule names for later use are soft; a file that is not there is none") {
  auto world = world_with(R"({"module": "p", "source": "test", "soft": [
    {"name": "libgpu.so.1", "note": "no GPU", "gpu": true}, {"name": "{package}/there.so", "global": true},
    {"name": "{package}/absent.so"}]})");
  world.add("p/__init__.py");
  world.add("p/there.so");
  world.import("p");
  REQUIRE(world.result.soft_libraries.size() == 2);
  const auto& [first, second] = std::tie(world.result.soft_libraries[0], world.result.soft_libraries[1]);
  CHECK(first.name == "libgpu.so.1");
  CHECK(first.note == "no GPU");
  CHECK(first.gpu);
  CHECK_FALSE(first.global);
  CHECK(first.basis == "rule");
  CHECK(first.module == "p");
  CHECK(second.name == "/s/p/there.so");
  CHECK_FALSE(second.gpu);
  CHECK(second.global);
}

TEST_CASE("the table of libraries: what is loaded, what it needs, site-packages, then the loader's own search") {
  const std::string rule = R"({"call": "m.f", "source": "test", "steps": [{"library": "{0}"}]})";
  const std::string rows = R"({"blas": {"names": ["libblas.so.13", "libblas.so.12"], "folders": ["nv/lib"],
                                        "needs": ["lt"]},
                               "lt": {"names": ["liblt.so.13"], "folders": ["nv/lib"]}})";
  const std::string text = "def f(x): pass\nf('blas')\n";
  auto world = world_with(rule, rows);
  world.add("m.py", text);
  world.add("nv/lib/libblas.so.12");
  world.add("nv/lib/liblt.so.13");
  world.refused = {"libblas.so.13", "libblas.so.12", "liblt.so.13"};
  CHECK(world.import("m") ==
        "libblas.so.13 optional, libblas.so.12 optional, liblt.so.13 optional, "
        "nv/lib/liblt.so.13 global optional, nv/lib/libblas.so.12 global optional");
  CHECK(world.result.imported);

  auto loaded = world_with(rule, rows);
  loaded.add("m.py", text);
  CHECK(loaded.import("m") == "libblas.so.13 optional, liblt.so.13 optional");

  auto missing = world_with(rule, rows);
  missing.add("m.py", text);
  missing.refused = {"libblas.so.13", "libblas.so.12", "liblt.so.13"};
  CHECK(missing.import("m") ==
        "libblas.so.13 optional, libblas.so.12 optional, liblt.so.13 optional, "
        "liblt.so.13 global optional, libblas.so.13 global optional, "
        "libblas.so.12 global optional");
  CHECK(missing.result.error == "DynamicLibNotFoundError: Failure finding \"blas\"");
  CHECK(missing.result.causes.size() == 6);

  auto unknown = world_with(rule, rows);
  unknown.add("m.py", "def f(x): pass\nf('nothing')\n");
  CHECK(unknown.import("m") == "");
  CHECK(unknown.result.error == "DynamicLibNotFoundError: Failure finding \"nothing\"");
}

TEST_CASE("a library whose name the code makes at run time is told, once for each line, with that line") {
  ImportWorld world;
  world.add("m.py",
            "import ctypes\nfor i in [1, 2]:\n  ctypes.CDLL(what())\n"
            "def g():\n  if what(): ctypes.CDLL('x.so')\ng()\n");
  CHECK(world.import("m") == "");
  REQUIRE(world.result.unfollowed.size() == 2);
  CHECK(world.result.unfollowed[0].kind == Unfollowed::Kind::library);
  CHECK(world.result.unfollowed[0].code == "ctypes.CDLL(what())");
  CHECK(world.result.unfollowed[0].source == "/s/m.py");
  CHECK(world.result.unfollowed[0].line == 3);
  CHECK(world.result.unfollowed[0].certain);
  CHECK(world.result.unfollowed[1].kind == Unfollowed::Kind::condition);
  CHECK(world.result.unfollowed[1].line == 5);
  CHECK_FALSE(world.result.unfollowed[1].certain);
  ImportWorld wide;
  const std::string line = "x = ctypes.CDLL(what(" + std::string(143, '1') + "))";
  wide.add("m.py", "import ctypes\n" + line.substr(0, 164) + "1))\n");
  wide.import("m");
  REQUIRE(wide.result.unfollowed.size() == 1);
  CHECK(wide.result.unfollowed[0].code.size() == 160);
  CHECK(wide.result.unfollowed[0].code.ends_with("111..."));
}
