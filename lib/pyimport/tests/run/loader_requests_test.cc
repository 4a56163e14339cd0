#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "pyimport/tests/import_world.h"

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

TEST_CASE("what stands for nothing in a rule is left out, and so is what is too long") {
  const auto loads = [](const std::string& name, const std::string& call = "f('x')") {
    auto world = world_with(R"({"call": "m.f", "source": "test",
      "values": {"text": "m.text", "number": "m.number", "none": "m.none", "most": "m.most", "here": "m.text",
                 "long": "json:/s/w.json#/long", "other": "json:/s/w.json#/s", "seven": "json:/s/w.json#/n",
                 "list": "json:/s/w.json#/l", "absent": "json:/s/w.json#/none", "broken": "json:/s/broken.json#/s",
                 "away": "json:/s/away.json#/s"},
      "steps": [{"load": "lib)" +
                            name + R"(.so"}]})");
    world.add("w.json", R"({"s": "json", "n": 7, "l": ["x"], "long": ")" + std::string(65537, 'l') + "\"}");
    world.add("broken.json", "{");
    world.add("m.py", "text = 'a.b'\nnumber = 5\nmost = 'l' * 65536\ndef f(*x): pass\n" + call + "\n");
    return world.import("m");
  };
  CHECK(loads("{text}") == "liba.b.so");
  CHECK(loads("{text.major}") == "liba.so");
  CHECK(loads("{here}") == "liba.b.so");
  CHECK(loads("{other}") == "libjson.so");
  for (const std::string name : {"number", "none", "long", "seven", "list", "absent", "broken", "away", "unheard_of"}) {
    CAPTURE(name);
    CHECK(loads("{" + name + "}") == "lib.so");
  }
  CHECK(loads("{most}").size() == 65536 + 6);
  CHECK(loads("{0}") == "libx.so");
  CHECK(loads("{0}", "f()") == "lib.so");
  CHECK(loads("{0}", "f(5)") == "lib.so");
  CHECK(loads("{0}{text}{0}") == "libxa.bx.so");
  CHECK(loads("{0") == "lib{0.so");
  // What stands for a name is not looked through for others.
  CHECK(loads("{0}", "f('{text}')") == "lib{text}.so");
  auto file = world_with(R"({"call": "m.f", "source": "test", "steps": [{"load": "{file}"}, {"load": "{here}"}]})");
  file.add("m.py", "def f(): pass\nf()\n");
  CHECK(file.import("m") == "m.py, /s");
}

TEST_CASE("a step whose only place is empty asks for nothing, one of two does") {
  const auto loads = [](const std::string& places) {
    auto world = world_with(R"({"call": "m.f", "source": "test", "steps": [{"load": )" + places + "}]}");
    world.add("m.py", "def f(x=''): pass\nf('')\n");
    return world.import("m") + "|" + world.result.error;
  };
  CHECK(loads(R"(["{0}"])") == "|");
  CHECK(loads(R"("/n/x.so")") == "/n/x.so|");
  CHECK(loads(R"("/n/*.so")") == "|ValueError: *.so not found in the system path");
}

TEST_CASE("of a file that several patterns find, one is loaded") {
  auto world = world_with(
      R"({"call": "m.f", "source": "test", "steps": [{"load": ["n/x*.so", "n/*1.so"], "all": true, "global": true}]})");
  world.add("m.py", "def f(): pass\nf()\n");
  for (const auto* name : {"n/x1.so", "n/x2.so", "n/y1.so"}) world.add(name);
  CHECK(world.import("m") == "n/x1.so global, n/x2.so global, n/y1.so global");
}

TEST_CASE("a failure is followed by the steps that are there for it, or ends the import unless it may be") {
  const auto outcome = [](const std::string& more) {
    auto world = world_with(R"({"call": "m.f", "source": "test", "steps": [{"load": "x.so", )" + more + "}]}");
    world.add("m.py", "def f(): pass\nf()\n");
    world.refused = {"x.so"};
    const auto loads = world.import("m");
    return loads + "|" + world.result.error;
  };
  const std::string other = R"("on_failure": [{"load": "y.so"}])",
                    error = "OSError: x.so: cannot open shared object file";
  CHECK(outcome(other) == "x.so optional, y.so|");
  CHECK(outcome(R"("required": false, "then": [{"load": "z.so"}])") == "x.so optional|");
  CHECK(outcome(R"("required": true)") == "x.so|" + error);
}

TEST_CASE("a step may ask what is mapped, what stands in the source, and for a version") {
  const auto loads = [](const std::string& condition) {
    auto world = world_with(R"({"call": "m.f", "source": "test", "steps": [{"load": "x.so", )" + condition +
                            R"(}, {"load": "y.so"}]})");
    world.add("m.py", "def f(): pass\nf()\n");
    return world.import("m");
  };
  CHECK(loads(R"("if_mapped": "libcudart.so")") == "x.so, y.so");
  CHECK(loads(R"("if_mapped": "other.so")") == "y.so");
  CHECK(loads(R"("if_source": "def f")") == "x.so, y.so");
  CHECK(loads(R"("if_source": "def g")") == "y.so");
  CHECK(loads(R"("if_at_least": ["2.10", "2.9"])") == "x.so, y.so");
  CHECK(loads(R"("if_at_least": ["2.8", "2.9"])") == "y.so");
  CHECK(loads(R"("if_at_least": ["2.8"])") == "x.so, y.so");
}

TEST_CASE("a step that asks for nothing raises, of a class as of a function") {
  const auto error = [](const std::string& condition) {
    auto world = world_with(R"({"call": ["m.C", "m.f"], "source": "test", "steps": [{)" + condition +
                            R"("raises": "TypeError: no"}]})");
    world.add("m.py", "class C: pass\nC(1)\n");
    world.import("m");
    return world.result.error + "|" + world.result.raised_at;
  };
  CHECK(error("") == "TypeError: no|/s/m.py:2");
  CHECK(error(R"("if_mapped": "libcudart.so", )") == "TypeError: no|/s/m.py:2");
  CHECK(error(R"("if_mapped": "other.so", )") == "|");
}

TEST_CASE("rules whose imports lead back to them end") {
  auto world = world_with(R"({"call": "m.f", "source": "test", "steps": [{"load": "x.so"}], "returns": "{again}",
                              "values": {"again": "n.g"}})");
  world.add("n.py", "import m\ng = m.f()\n");
  world.add("m.py", "def f(): pass\nf()\n");
  CHECK(world.import("m").starts_with("x.so"));
  CHECK(world.result.imported);
}

TEST_CASE("in the table site-packages come before other folders, and the first that is there is taken") {
  const std::string rule = R"({"call": "m.f", "source": "test", "steps": [{"library": "k"}]})";
  const std::string rows =
      R"({"k": {"names": ["libk.so.2", "libk.so.1"], "folders": ["one", "two"], "needs": ["absent"]}})";
  const auto loads = [&](const std::vector<std::string>& files, const std::vector<std::string>& path) {
    auto world = world_with(rule, rows);
    world.add("m.py", "def f(): pass\nf()\n");
    for (const auto& file : files) world.files.add_file(file, "");
    world.python.path = path;
    world.refused = {"libk.so.1", "libk.so.2"};
    const auto all = world.import("m");
    const std::string asked = "libk.so.2 optional, libk.so.1 optional, ";
    return all.starts_with(asked) ? all.substr(asked.size()) : all;
  };
  CHECK(loads({"/s/two/libk.so.2", "/s/one/libk.so.1"}, {"/s"}) == "one/libk.so.1 global optional");
  CHECK(loads({"/s/one/libk.so.2", "/s/one/libk.so.1"}, {"/s"}) == "one/libk.so.2 global optional");
  CHECK(loads({"/s/one/libk.so.1", "/t/one/libk.so.2"}, {"/s", "/t"}) == "one/libk.so.1 global optional");
  const std::string site = "/v/lib/python3.11/site-packages";
  CHECK(loads({"/s/one/libk.so.1", site + "/two/libk.so.1"}, {"/s", site}) == site + "/two/libk.so.1 global optional");
  CHECK(loads({"/s/one/libk.so.1", site + "/x"}, {"/s", site}) ==
        "libk.so.2 global optional, libk.so.1 global optional");
}

TEST_CASE("a line that asks several times is told once, as certain if it is once") {
  ImportWorld world;
  world.add("m.py",
            "import ctypes\ndef f(x):\n  if x: ctypes.CDLL(name())\nf(what())\nf(1)\nf(what())\n"
            "import n\n");
  world.add("n.py", "import ctypes\n\nctypes.CDLL(name())\n");
  world.import("m");
  REQUIRE(world.result.unfollowed.size() == 2);
  CHECK(world.result.unfollowed[0].line == 3);
  CHECK(world.result.unfollowed[0].certain);
  CHECK(world.result.unfollowed[0].source == "/s/m.py");
  CHECK(world.result.unfollowed[0].module == "m");
  CHECK(world.result.unfollowed[1].line == 3);
  CHECK(world.result.unfollowed[1].source == "/s/n.py");
  CHECK(world.result.unfollowed[1].module == "n");
}

TEST_CASE("two hundred lines are told, and a line of 160 characters in full") {
  ImportWorld world;
  std::string text = "import ctypes\n";
  for (int i = 0; i < 201; ++i) text += "ctypes.CDLL(what())\n";
  world.add("m.py", text);
  world.import("m");
  CHECK(world.result.unfollowed.size() == 200);
  const auto told = [](std::size_t size) {
    ImportWorld own;
    const std::string begin = "ctypes.CDLL(what(", end = "))";
    own.add("m.py",
            "import ctypes\nif 1:\n  " + begin + std::string(size - begin.size() - end.size(), '1') + end + "\n");
    own.import("m");
    return own.result.unfollowed.empty() ? "" : own.result.unfollowed[0].code;
  };
  CHECK(told(160) == "ctypes.CDLL(what(" + std::string(141, '1') + "))");
  CHECK(told(161) == "ctypes.CDLL(what(" + std::string(140, '1') + "...");
}

TEST_CASE("a failure has the kind, the text and the number that the loader gives") {
  const auto error_of = [](const LoadAnswer& answer) {
    MemoryFileSystem files;
    files.add_file("/s/m.py", "import ctypes\nctypes.CDLL('x.so')\n");
    PythonEnvironment python;
    python.path = {"/s"};
    PythonLoader loader;
    loader.load = [&](const LoadStep&) { return answer; };
    Budget budget(python_limits);
    return run_import("m", python, files, loader, table_of(world_with("").rules), budget);
  };
  CHECK(error_of({false, "text"}).error == "OSError: text");
  CHECK(error_of({false, "text"}).causes.empty());
  CHECK(error_of({false, "text", "KeyError"}).error == "KeyError: text");
  CHECK(error_of({false, "text", "", 0, 7}).causes == std::vector<std::size_t>{7});
  CHECK(error_of({true, "text"}).imported);
}

TEST_CASE("a request says who makes it, where and by what") {
  auto world = world_with(R"({"call": "m.f", "source": "test", "steps": [{"load": "y.so", "global": true}]})");
  world.add("p/__init__.py");
  world.add("p/n.py", "import ctypes\n\nctypes.CDLL('x.so')\n");
  world.add("e.so");
  world.add("m.py", "import p.n\ndef f(): pass\nf()\nimport e\n");
  world.import("m");
  REQUIRE(world.steps.size() == 3);
  const auto& [first, second, third] = std::tie(world.steps[0], world.steps[1], world.steps[2]);
  CHECK(first.kind == LoadStep::Kind::library);
  CHECK(first.path == "x.so");
  CHECK(first.module == "p.n");
  CHECK(first.source == "/s/p/n.py");
  CHECK(first.line == 3);
  CHECK(first.basis == "source");
  CHECK_FALSE(first.global);
  CHECK_FALSE(first.only_if_loaded);
  CHECK(first.required);
  CHECK_FALSE(first.flags.has_value());
  CHECK(second.kind == LoadStep::Kind::library);
  CHECK(second.module == "m");
  CHECK(second.source == "/s/m.py");
  CHECK(second.line == 3);
  CHECK(second.basis == "rule");
  CHECK(second.global);
  CHECK(third.kind == LoadStep::Kind::extension_module);
  CHECK(third.path == "/s/e.so");
  CHECK(third.line == 4);
}

TEST_CASE("rules are followed eight deep, and what libraries need nine deep") {
  std::string rules, code;
  for (int i = 0; i < 10; ++i) {
    const auto number = std::to_string(i), next = std::to_string(i + 1);
    rules += (i == 0 ? "" : ",") + std::string(R"({"call": "m.f)") + number +
             R"(", "source": "test", "steps": [{"load": "x)" + number + R"(.so"}, {"import": "n)" + next + "\"}]}";
    code += "def f" + number + "(): pass\n";
  }
  auto world = world_with(rules);
  world.add("m.py", code + "f0()\n");
  for (int i = 1; i < 11; ++i) {
    const auto number = std::to_string(i);
    world.add("n" + number + ".py", "import m\nm.f" + number + "()\n");
  }
  CHECK(world.import("m") == "x0.so, x1.so, x2.so, x3.so, x4.so, x5.so, x6.so, x7.so");

  std::string rows;
  for (int i = 0; i < 11; ++i) {
    const auto number = std::to_string(i), next = std::to_string(i + 1);
    rows += (i == 0 ? "{" : ", ") + std::string("\"k") + number + R"(": {"names": ["l)" + number +
            R"("], "needs": ["k)" + next + "\"]}";
  }
  auto table = world_with(R"({"call": "m.f", "source": "test", "steps": [{"library": "k0"}]})", rows + "}");
  table.add("m.py", "def f(): pass\nf()\n");
  CHECK(table.import("m") ==
        "l0 optional, l1 optional, l2 optional, l3 optional, l4 optional, l5 optional, l6 optional, l7 optional, "
        "l8 optional");
}

TEST_CASE("of JSON, and of the source that a rule asks about, a megabyte is read") {
  const auto loads = [](std::size_t size, const std::string& rule_name, const std::string& condition) {
    auto world = world_with(R"({"call": "m.f", "source": "test", "values": {"v": "json:/s/w.json#/k"},
                                "steps": [{"load": "lib)" +
                            rule_name + R"(.so")" + condition + "}]}");
    const std::string json = R"({"k": "x", "l": ")", code = "def f(): pass\nf()\n#";
    world.add("w.json", json + std::string(size - json.size() - 2, 'l') + "\"}");
    world.add("m.py", code + std::string(size - code.size(), 'x'));
    return world.import("m");
  };
  constexpr std::size_t most = std::size_t{1} << 20;
  CHECK(loads(most, "{v}", "") == "libx.so");
  CHECK(loads(most + 1, "{v}", "") == "lib.so");
  CHECK(loads(most, "y", R"(, "if_source": "def f")") == "liby.so");
  CHECK(loads(most + 1, "y", R"(, "if_source": "def f")") == "");
}
