#include "pyimport/run_import.h"

#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"
#include "pyimport/tests/import_world.h"

using namespace cudald;

namespace {

/// What a module with this text loads; a.so, b.so and c.so lie beside it.
std::string loads_of(const std::string& text) {
  ImportWorld world;
  for (const auto* name : {"a.so", "b.so", "c.so", "n/d.so"}) world.add(name);
  world.add("m.py", text);
  return world.import("m");
}

}  // namespace

TEST_CASE("import statements load extension modules in their order, each once") {
  CHECK(loads_of("import b, a\nimport b\nfrom c import x\n") == "b.so, a.so, c.so");
  CHECK(loads_of("import n.d\n") == "n/d.so");
  CHECK(loads_of("from n import d\n") == "n/d.so");
}

TEST_CASE("what is not run at import time is not followed") {
  const std::string last = "import c\n";  // the rest is
  CHECK(loads_of("def f():\n  import a\nx = lambda: __import__('b')\nasync def g():\n  import c\n" + last) == "c.so");
  CHECK(loads_of("if __name__ == '__main__':\n  import a\n" + last) == "c.so");
  CHECK(loads_of("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import a\n" + last) == "c.so");
  CHECK(loads_of("import typing as t\nif t.TYPE_CHECKING:\n  import a\n" + last) == "c.so");
  CHECK(loads_of("'''\nimport a\n'''\n# import b\n" + last) == "c.so");
  CHECK(loads_of("def f():\n  yield 1\n  import a\nf()\n" + last) == "c.so");
}

TEST_CASE("what is run at import time is") {
  CHECK(loads_of("class K:\n  import a\n") == "a.so");
  CHECK(loads_of("with f() as g:\n  import a\n") == "a.so");
  CHECK(loads_of("def f():\n  import a\nf()\n") == "a.so");
  CHECK(loads_of("def f(x):\n  if x == 1:\n    import a\n  else:\n    import b\nf(2)\n") == "b.so");
  CHECK(loads_of("class K:\n  def __init__(self):\n    import a\nK()\n") == "a.so");
  CHECK(loads_of("def deco(f):\n  import a\n@deco\ndef g(): pass\n") == "a.so");
  CHECK(loads_of("def f(x=__import__('b')): pass\n") == "b.so");
}

TEST_CASE("conditions that are known decide; unknown ones leave both ways open") {
  CHECK(loads_of("import sys\nif sys.platform == 'win32':\n  import a\nelif sys.version_info >= (3, 8):\n  import "
                 "b\nelse:\n  import c\n") == "b.so");
  CHECK(loads_of("import os\nif os.name == 'nt' or not os.path.exists('/s/a.so'):\n  import a\nimport c\n") == "c.so");
  // In a folder that is not known nothing lies.
  CHECK(loads_of("import os\nif os.path.exists('../x') or os.path.isfile('y'):\n  import a\nelse:\n  import b\n") ==
        "b.so");
  CHECK(loads_of(
            "import os\nif os.environ.get('SET') == '1': import a\nif 'UNSET' in os.environ: import b\nimport c\n") ==
        "c.so");
  CHECK(loads_of("if f():\n  import a\nelse:\n  import b\n") == "a.so optional, b.so optional");
  CHECK(loads_of("def g():\n  if f():\n    import a\ng()\nimport c\n") == "c.so");
  CHECK(loads_of("X = 1 if 0 else 2\nif X == 2: import a\n") == "a.so");
}

TEST_CASE("a failed import goes to the handler that catches it") {
  CHECK(loads_of("try:\n  import absent\nexcept ImportError:\n  import a\nelse:\n  import b\nfinally:\n  import c\n") ==
        "a.so, c.so");
  CHECK(loads_of("try:\n  import absent\nexcept KeyError:\n  import a\nimport b\n") == "");
  CHECK(loads_of("import contextlib\nwith contextlib.suppress(ImportError):\n  import absent\nimport a\n") == "a.so");
  ImportWorld world;
  world.add("a.so");
  world.add("b.so");
  world.add("m.py", "try:\n  import a\nexcept ImportError:\n  import b\n");
  world.refused = {"/s/a.so"};
  CHECK(world.import("m") == "a.so optional, b.so");
  CHECK(world.result.imported);
}

TEST_CASE("an index out of range that only code around the import catches is not believed") {
  ImportWorld world;
  world.add("a.so");
  world.add("b.so");
  world.add("info.py",
            "def parts():\n  found = []\n  rest = what()\n  while rest:\n    found.append(rest)\n    rest >>= 8\n"
            "  return tuple(reversed(found))\nmajor = parts()[0]\nimport a\n");
  world.add("m.py", "try:\n  import info\nexcept Exception:\n  import b\n");
  CHECK(world.import("m") == "a.so optional");
  CHECK(loads_of("def parts():\n  return []\ntry:\n  parts()[0]\nexcept IndexError:\n  import b\n") == "b.so");
}

TEST_CASE("a required failure ends the import with Python's words") {
  ImportWorld world;
  world.add("a.so");
  world.add("b.so");
  world.add("m.py", "import a\nimport b\n");
  world.refused = {"/s/a.so"};
  CHECK(world.import("m") == "a.so");
  CHECK_FALSE(world.result.imported);
  CHECK(world.result.error == "ImportError: /s/a.so: cannot open shared object file");
  ImportWorld other;
  other.add("m.py", "import nowhere\n");
  other.import("m");
  CHECK(other.result.error == "ModuleNotFoundError: No module named 'nowhere'");
  REQUIRE(other.result.missing.size() == 1);
  CHECK(other.result.missing[0].required);
  CHECK(other.result.missing[0].line == 1);
}

TEST_CASE("an import that fails knows which loads led to it") {
  const auto failed = [](const std::string& text) {
    ImportWorld world;
    for (const auto* name : {"a.so", "b.so"}) world.add(name);
    world.add("m.py", "import ctypes\n" + text);
    world.refused = {"/s/a.so", "/s/b.so", "libx.so"};
    world.import("m");
    return world.result;
  };
  const auto caught =
      failed("try:\n  import a\nexcept ImportError as e:\n  raise ImportError('''\n====\nm is broken\n''') from e\n");
  CHECK(caught.error ==
        "ImportError: m is broken, raised because of ImportError: /s/a.so: cannot open shared object file");
  CHECK(caught.causes == std::vector<std::size_t>{0});
  CHECK_FALSE(caught.unexplained);
  const auto formatted = failed("try:\n  import a\nexcept ImportError as e:\n  raise ImportError(f'broken: {e}')\n");
  CHECK(formatted.error == "ImportError: broken: /s/a.so: cannot open shared object file");
  const auto unknown =
      failed("try:\n  import a\nexcept ImportError as e:\n  raise ImportError(f'broken: {what(e)}')\n");
  CHECK(unknown.error ==
        "ImportError at /s/m.py:5, raised because of ImportError: /s/a.so: cannot open shared object file");
  // The first miss goes by; the second and the way around it end the import.
  const auto later = failed(
      "try:\n  ctypes.CDLL('libx.so')\nexcept OSError:\n  pass\ntry:\n  import a\nexcept ImportError:\n  import b\n");
  CHECK(later.error == "ImportError: /s/b.so: cannot open shared object file");
  CHECK(later.causes == std::vector<std::size_t>{2, 1});
}

TEST_CASE("in an incomplete world a package that is not there is taken to be elsewhere") {
  ImportWorld world;
  world.python.complete = false;
  world.add("a.so");
  world.add("m.py", "import nowhere\nfrom nowhere.deep import x\nimport a\n");
  CHECK(world.import("m") == "a.so");
  CHECK(world.result.imported);
  REQUIRE_FALSE(world.result.missing.empty());
  CHECK(world.result.missing[0].name == "nowhere");
}

TEST_CASE("in an incomplete world a module is there that a handler refuses to do without") {
  const auto ends = [](const std::string& code, bool complete = false) {
    ImportWorld world;
    world.python.complete = complete;
    for (const std::string name : {"a", "b", "c"}) world.add(name + ".so");
    world.add("needs.py", "import b, far\n");
    world.add("p/__init__.py");
    world.add("m.py", code);
    const auto loads = world.import("m");
    return world.result.error.empty() ? loads : world.result.error;
  };
  const std::string refuses = "except ImportError:\n  raise ImportError('install far')\n";
  CHECK(ends("try:\n  import far\n" + refuses + "import a\n") == "a.so");
  CHECK(ends("try:\n  import far\n" + refuses + "import a\n", true) == "ImportError: install far");
  CHECK(ends("try:\n  import far, near.part\n" + refuses + "else:\n  import c\nimport a\n") == "c.so, a.so");
  CHECK(ends("try:\n  from far.part import x\n" + refuses + "import a\n") == "a.so");
  CHECK(ends("try:\n  import needs\n" + refuses + "import a\n") == "b.so optional, a.so");
  CHECK(ends("try:\n  import far\nexcept ImportError: raise\nfinally:\n  import c\nimport a\n") == "c.so, a.so");
  const auto many = [](int count) {
    std::string names;
    for (int i = 0; i < count; ++i) names += (i == 0 ? "far" : ", far") + std::to_string(i);
    return "try:\n  import " + names + "\n";
  };
  CHECK(ends(many(50) + refuses + "import a\n") == "a.so");
  CHECK(ends(many(51) + refuses + "import a\n") == "ImportError: install far");
  // What somebody tolerates is missing, and so is a part of a package that is there.
  CHECK(ends("try:\n  import far\nexcept ImportError:\n  import a\n") == "a.so");
  CHECK(ends("try:\n  try:\n    import far\n  except ImportError: raise\nexcept ImportError:\n  import a\n") == "a.so");
  CHECK(ends("try:\n  import p.part\n" + refuses) == "ImportError: install far");
  CHECK(ends("try:\n  import far\nexcept ImportError:\n  import a\n  raise ValueError('no far')\n") == "a.so");
}

TEST_CASE(
    "in an incomplete world METADATA and RECORD that are there tell, and a package without them may be elsewhere") {
  const auto loads = [](bool complete, const std::string& package) {
    ImportWorld world;
    world.python.complete = complete;
    world.add("near-1.5.dist-info/METADATA", "Name: near\nVersion: 1.5\n");
    world.add("near-1.5.dist-info/RECORD", "near/libnear.so,,\n");
    world.add("near/libnear.so");
    world.add("libfar.so");
    world.add("m.py",
              "import ctypes\nfrom importlib.metadata import PackageNotFoundError, distribution, version\n"
              "try:\n  if version('" +
                  package +
                  "') == '1.5':\n    for file in distribution('near').files:\n"
                  "      ctypes.CDLL(str(file.locate()))\n"
                  "except PackageNotFoundError:\n  ctypes.CDLL('/s/libfar.so')\n");
    return world.import("m");
  };
  for (const bool complete : {true, false}) CHECK(loads(complete, "near") == "near/libnear.so");
  CHECK(loads(true, "far") == "libfar.so");
  CHECK(loads(false, "far").find("libfar.so") == std::string::npos);
}

TEST_CASE("a folder with libraries alone is no namespace package if its package is taken to be elsewhere") {
  const auto imports = [](bool elsewhere) {
    ImportWorld world;
    if (elsewhere) world.python.elsewhere = {"torch", "ns"};
    world.add("torch/lib/libtorch.so");
    world.add("ns/p/__init__.py", "");
    world.add("m.py", "from torch import Tensor\nimport a\n");
    world.add("n.py", "from ns import missing\nimport a\n");
    world.add("a.so");
    const auto first = world.import("m");
    world.loads.clear();
    return std::pair(first, world.import("n"));
  };
  CHECK(imports(true).first == "a.so");
  CHECK(imports(false).first.empty());
  // A part of a real one that is there lacks what it lacks.
  CHECK(imports(true).second.empty());
}

TEST_CASE("packages: __init__, relative imports, submodules by from, namespace packages, suffixes") {
  ImportWorld world;
  world.add("p/__init__.py", "from . import q\nfrom .q import r as s\nfrom .. import no\n");
  world.add("p/q/__init__.py", "r = 1\nfrom ..x import *\n");
  world.add("p/q/r.abi3.so");
  world.add("p/x.cpython-311-x86_64-linux-gnu.so");
  world.add("p/x.cpython-312-x86_64-linux-gnu.so");
  world.add("p/x.py", "import never\n");
  CHECK(world.import("p").starts_with("p/x.cpython-311-x86_64-linux-gnu.so"));
  ImportWorld spaces;
  spaces.python.path = {"/s", "/t"};
  spaces.files.add_file("/t/ns/b.so", "");
  spaces.add("ns/a.so");
  spaces.add("m.py", "import ns.a, ns.b\n");
  CHECK(spaces.import("m") == "ns/a.so, /t/ns/b.so");
}

TEST_CASE("the submodules of a package lie where its __path__ says when they are asked for") {
  const auto ends = [](const std::string& package, const std::string& code) {
    AnswerWorld world;
    world.python.path = {"/s", "/t"};
    world.files.add_file("/t/p/further.so", "");
    world.add("p/__init__.py", "import os\n" + package);
    world.add("p/own.so");
    world.add("p/api/part.so");
    world.add("m.py", code);
    return world.import("m") + "|" + world.result.error;
  };
  const std::string folder = "os.path.join(os.path.dirname(__file__), 'api')",
                    lost = "ModuleNotFoundError: No module named ";
  CHECK(ends("__path__.append(" + folder + ")", "import p.part, p.own") == "p/api/part.so, p/own.so|");
  CHECK(ends("", "import p.part") == "|" + lost + "'p.part'");
  // TensorFlow's own way.
  CHECK(ends("import sys\nsys.modules[__name__].__path__ = [" + folder + "] + __path__",
             "from p import part\nimport p.own") == "p/api/part.so, p/own.so|");
  CHECK(ends("__path__ = [" + folder + "]", "import p.part, p.own") == "p/api/part.so|" + lost + "'p.own'");
  CHECK(ends("try: import p.part\nexcept ImportError: __path__.append(" + folder + ")", "import p.part") ==
        "p/api/part.so|");
  CHECK(ends("__path__.append(what.folder())", "import p.gone, p.own") == "p/own.so|");
  CHECK(ends("__path__.append(what.folder())", "try: import p.gone\nexcept ImportError: import p.own") == "p/own.so|");
  const std::string extend = "from pkgutil import extend_path\n__path__ = extend_path(__path__, __name__)";
  CHECK(ends("", "import p.further") == "|" + lost + "'p.further'");
  CHECK(ends(extend, "import p.further, p.own") == "/t/p/further.so, p/own.so|");
  CHECK(ends(extend, "import p.gone") == "|" + lost + "'p.gone'");
}

TEST_CASE("a package that asks itself for a part that it lacks goes to its handler") {
  ImportWorld world;
  // faiss-cpu 1.15 asks so whether it is a build for the GPU.
  world.add("p/__init__.py",
            "def preload():\n  try:\n    from . import _gpu_build\n  except ImportError:\n    return\n"
            "  try:\n    import nvidia\n  except ImportError as e:\n    raise RuntimeError('no wheels') from e\n"
            "preload()\nfrom . import q\n");
  world.add("p/q.so");
  CHECK(world.import("p") == "p/q.so");
  CHECK(world.result.imported);
  // setattr may bind any name, but not before it is run.
  world.add("p/__init__.py",
            "try:\n  from . import _gpu_build\n  import nvidia\nexcept ModuleNotFoundError:\n  raise\n"
            "except ImportError:\n  pass\nfrom . import q\nsetattr(q, 'x', 1)\n");
  CHECK(world.import("p").ends_with("p/q.so"));
  CHECK(world.result.imported);
}

TEST_CASE("code may add folders to sys.path, and a module that is missing keeps its name") {
  ImportWorld world;
  // ray 2.60 brings its psutil along so.
  world.add("p/__init__.py",
            "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'vendored'))\n"
            "import v\nfrom p import q\n");
  world.add("p/vendored/v.so");
  world.add("p/q.so");
  CHECK(world.import("p") == "p/vendored/v.so, p/q.so");
  CHECK(world.result.imported);

  ImportWorld other;
  other.add("p/__init__.py", "try:\n  from p import q\nexcept ImportError:\n  pass\nfrom p import q\n");
  other.add("p/q.py", "import nowhere\n");
  other.import("p");
  CHECK(other.result.error == "ModuleNotFoundError: No module named 'nowhere'");
}

TEST_CASE("an exception behind a condition that is not known does not end the import") {
  ImportWorld world;
  world.add("a.so");
  // rasterio's GDALVersion.parse, of what compiled code answers
  world.add("v.py",
            "import a\ndef parse(x):\n  if isinstance(x, str):\n    return 1\n  raise TypeError('no')\nv = "
            "parse(a.version())\n");
  world.add("m.py", "if a_is_wanted():\n  import v\nimport v\n");
  CHECK(world.import("m") == "a.so optional");
  CHECK(world.result.imported);
}

TEST_CASE("an exception in a module is not caught because the module may as well not be imported") {
  ImportWorld world;
  world.add("a.so");
  // absl.flags, below Keras
  world.add("v.py",
            "import sys\ndef caller():\n  for depth in range(1, sys.getrecursionlimit()):\n    if "
            "sys.modules.get(sys._getframe(depth).name): return 1\n  raise AssertionError('none')\nv = caller()\n");
  world.add("m.py", "if v_is_wanted():\n  import v\nimport v\nimport a\n");
  CHECK(world.import("m") == "a.so");
  CHECK(world.result.imported);
  // What really waits for it catches it.
  ImportWorld other;
  other.add("a.so");
  other.add("w.py", "if w_is_wanted():\n  try:\n    import u\n  except AssertionError:\n    import a\n");
  other.add("u.py", "raise AssertionError('no')\n");
  CHECK(other.import("w") == "a.so optional");
}

TEST_CASE("a package's __getattr__ makes its submodules on demand") {
  ImportWorld world;
  world.add("p/__init__.py",
            "def __getattr__(name):\n  if name == 'lazy':\n    import p._lazy as lazy\n    return lazy\n  raise "
            "AttributeError(name)\n");
  world.add("p/_lazy.so");
  world.add("m.py", "import p\nx = p.lazy.thing\n");
  CHECK(world.import("m") == "p/_lazy.so");
}

TEST_CASE("ctypes: literal names, joined paths, modes, and failures") {
  CHECK(loads_of("import ctypes\nctypes.CDLL('libx.so.1')\n") == "libx.so.1");
  CHECK(loads_of("import ctypes, os\nhere = os.path.dirname(os.path.abspath(__file__))\n"
                 "ctypes.CDLL(os.path.join(here, 'lib', f'lib{\"y\"}.so'), mode=ctypes.RTLD_GLOBAL)\n") ==
        "lib/liby.so global");
  CHECK(loads_of("from ctypes import cdll\ncdll.LoadLibrary('libz.so')\n") == "libz.so");
  CHECK(loads_of("import ctypes, pathlib\nctypes.CDLL(str(pathlib.Path(__file__).parent / 'w.so'))\n") == "w.so");
  ImportWorld world;
  world.add("a.so");
  world.add("m.py", "import ctypes\ntry:\n  ctypes.CDLL('libx.so')\nexcept OSError:\n  import a\n");
  world.refused = {"libx.so"};
  CHECK(world.import("m") == "libx.so optional, a.so");
}

TEST_CASE("loops over known lists are run") {
  CHECK(loads_of("import ctypes\nfor n in ['x', 'y']:\n  ctypes.CDLL('lib' + n + '.so')\n") == "libx.so, liby.so");
  CHECK(loads_of("import ctypes, glob\n[ctypes.CDLL(p) for p in glob.glob('/s/[ab].so')]\n") == "a.so, b.so");
  CHECK(loads_of("import importlib\nfor n in ('a', 'c'):\n  importlib.import_module(n)\n") == "a.so, c.so");
}

TEST_CASE("a library named in a function that is not called is soft") {
  ImportWorld world;
  world.add("m.py", "import ctypes\n\ndef f():\n  return ctypes.CDLL('libsoft.so.1')\n\nctypes.CDLL('libhard.so')\n");
  CHECK(world.import("m") == "libhard.so");
  REQUIRE(world.result.soft_libraries.size() == 1);
  CHECK(world.result.soft_libraries[0].name == "libsoft.so.1");
  CHECK(world.result.soft_libraries[0].source == "/s/m.py");
  CHECK(world.result.soft_libraries[0].line == 4);
}

TEST_CASE("a rule takes the place of a function, and its steps follow success and failure") {
  const std::string rules = R"({"standard_library": {"names": ["ctypes"]}, "libraries": {"rows": {}}, "rules": [
    {"call": "m._preload", "source": "test", "values": {"cuda": "m.version"}, "steps": [
      {"load": "{package}/lib/first.so", "global": true,
       "on_failure": [{"load": ["cu{cuda.major}/lib/libx.so.*[0-9]", "cu/libx.so.*[0-9]"]}],
       "then": [{"required": false, "load": "cu/libx.so.*[0-9]"}]}]}]})";
  for (const bool fails : {false, true}) {
    ImportWorld world;
    world.rules = rules;
    world.add("m.py", "version = '12.8'\ndef _preload():\n  import never\n_preload()\n");
    world.add("cu12/lib/libx.so.12.8");
    world.add("cu/libx.so.1");
    if (fails) world.refused = {"/s/lib/first.so"};
    CAPTURE(fails);
    CHECK(world.import("m") == (fails ? "lib/first.so global optional, cu12/lib/libx.so.12.8"
                                      : "lib/first.so global optional, cu/libx.so.1 optional"));
    CHECK(world.result.imported);
  }
}

TEST_CASE("a rule says which exception code makes of a failed load") {
  const auto outcome = [](const std::string& raises, const std::string& caught) {
    ImportWorld world;
    world.rules = R"({"standard_library": {"names": []}, "libraries": {"rows": {}}, "rules": [
      {"call": "m.start", "source": "test", "steps": [{"load": "libnv.so.1")" +
                  (raises.empty() ? "" : R"(, "raises": ")" + raises + "\"") + "}]}]}";
    world.add("m.py", "def start(): pass\ntry:\n  start()\nexcept " + caught + ":\n  import a\n");
    world.add("a.so");
    world.refused = {"libnv.so.1"};
    const auto loads = world.import("m");
    return loads.ends_with("a.so") ? "caught" : world.result.error;
  };
  const std::string of_loader = "libnv.so.1: cannot open shared object file";
  CHECK(outcome("", "KeyError") == "OSError: " + of_loader);
  CHECK(outcome("", "OSError") == "caught");
  CHECK(outcome("RuntimeError: No NVENC: {error}", "OSError") == "RuntimeError: No NVENC: " + of_loader);
  CHECK(outcome("RuntimeError: No NVENC: {error}", "RuntimeError") == "caught");
  CHECK(outcome("RuntimeError: no driver", "OSError") == "RuntimeError: no driver");
  // The failure of the load stays the cause.
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": []}, "libraries": {"rows": {}}, "rules": [
    {"call": "m.start", "source": "test", "steps": [{"load": "libnv.so.1", "raises": "RuntimeError: no driver"}]}]})";
  world.add("m.py", "def start(): pass\nstart()\n");
  world.refused = {"libnv.so.1"};
  world.import("m");
  CHECK(world.result.causes == std::vector<std::size_t>{0});
}

TEST_CASE("endless or hostile code ends") {
  CHECK(loads_of("def f(): f()\nf()\nimport a\n") == "a.so");
  CHECK(loads_of("while True:\n  pass\nimport a\n") == "a.so");
  CHECK(loads_of("def f():\n  for i in range(10 ** 9):\n    for j in [1] * 3:\n      f()\nf()\nimport a\n") == "a.so");
  CHECK(loads_of("L = list('a b c d e f g h i j k l m n o p q r s t u v w x y z'.split(' ')) \n"
                 "L = L + L + L + L\nx = [[[[c + d + e + f for c in L] for d in L] for e in L] for f in L]\n") == "");
  std::string deep = "x = ";
  for (int i = 0; i < 20000; ++i) deep += '(';
  CHECK(loads_of(deep + "\nimport a\n").find("a.so") == std::string::npos);
  std::string nots = "x = ";
  for (int i = 0; i < 50000; ++i) nots += "not ";
  CHECK(loads_of(nots + "1\nimport a\n") == "a.so");
  ImportWorld chain;
  for (int i = 0; i < 2000; ++i) chain.add("c" + std::to_string(i) + ".py", "import c" + std::to_string(i + 1) + "\n");
  chain.import("c0");
  CHECK_FALSE(chain.result.imported);
}

TEST_CASE("code that doubles a value at each step, or puts a list into itself, ends") {
  std::string sixty = "for i in [";
  for (int i = 0; i < 60; ++i) sixty += "0,";
  sixty += "]:\n";
  for (const auto* step :
       {"x += x", "x.extend(x)", "x = [*x, *x]", "x = x + x", "s += s", "s = s + s", "s = ''.join([s, s])",
        "s = s.replace('a', 'aa')", "s = '{}{}'.format(s, s)", "s = '%s%s' % (s, s)", "s = f'{s}{s}'",
        "s = os.path.join(s, s)", "s = str(pathlib.Path(s, s))", "d = {**d, **d}"}) {
    CAPTURE(step);
    CHECK(loads_of("import os, pathlib\nx = ['a']\ns = 'a'\nd = {1: 2}\n" + sixty + "  " + step + "\nimport b\n") ==
          "b.so");
  }
  CHECK(loads_of("x = []\nx.append(x)\ny = []\ny.append(y)\nif x == y or x < y: pass\nimport b\n") == "b.so");
}

TEST_CASE("the machine and its word size are those of the simulated process") {
  const std::string text =
      "import platform\n"
      "if platform.machine() == 'aarch64': import a\n"
      "if platform.machine() == 'x86_64': import b\n"
      "if platform.architecture()[0] == '32bit': import c\n";
  CHECK(loads_of(text) == "b.so");
  ImportWorld world;
  for (const auto* name : {"a.so", "b.so", "c.so"}) world.add(name);
  world.add("m.py", text);
  world.python.machine = "aarch64";
  CHECK(world.import("m") == "a.so");
  ImportWorld narrow;
  for (const auto* name : {"a.so", "b.so", "c.so"}) narrow.add(name);
  narrow.add("m.py", text);
  narrow.python.machine = "armv7l";
  narrow.python.narrow = true;
  CHECK(narrow.import("m") == "c.so");
}

TEST_CASE("an import that costs too much is not followed to its end, and says so; what came before stands") {
  struct Row {
    CostLimits limits;
    std::string words;
  };
  const Row rows[] = {{{.kept = 50'000, .steps = 1'000'000, .depth = 100}, "more than 50000 bytes"},
                      {{.kept = 100'000'000, .steps = 60'000, .depth = 100}, "more than 60000 steps"}};
  for (const auto& row : rows) {
    ImportWorld world;
    world.limits = row.limits;
    for (const auto* name : {"a.so", "b.so"}) world.add(name);
    std::string text = "import a\ns = '" + std::string(500, 'x') + "'\n";
    for (int i = 0; i < 2000; ++i) text += "try:\n  n" + std::to_string(i) + " = s\nfinally: pass\n";
    world.add("m.py", text + "import b\n");
    CHECK(world.import("m") == (row.limits.kept == 50'000 ? "" : "a.so"));
    CHECK_FALSE(world.result.followed);
    CHECK_FALSE(world.result.imported);
    CHECK(world.result.error.empty());
    REQUIRE_FALSE(world.result.notes.empty());
    CHECK(world.result.notes.back().find(row.words) != std::string::npos);
  }
}

TEST_CASE("what is nested too deeply is not known, and that is noted once; the rest is followed") {
  ImportWorld world;
  for (const auto* name : {"a.so", "b.so"}) world.add(name);
  const std::string target = [] {
    std::string text;
    for (int i = 0; i < 190; ++i) text += "a,(";
    return text + "b" + std::string(190, ')');
  }();
  world.add("m.py", "import a\n" + target + " = 1\n" + target + " = 1\nx = " + std::string(500, '-') + "1\nimport b\n");
  CHECK(world.import("m") == "a.so, b.so");
  CHECK(world.result.followed);
  REQUIRE(world.result.notes.size() == 1);
  CHECK(world.result.notes[0] == "/s/m.py:2 is nested too deeply to be followed");
}

TEST_CASE("what the tree holds: generators, lambdas, match, starred targets, loops, decorators") {
  const std::string load = "import importlib\ndef load(n): importlib.import_module(n)\n";
  CHECK(loads_of(load + "def g():\n  yield 'a'\n  yield from ['b']\nfor n in g(): load(n)\n") == "a.so, b.so");
  CHECK(loads_of(load + "f = lambda n: load(n)\nf('a')\n") == "a.so");
  CHECK(loads_of(load + "x, *y = 'ab'\nload(x)\nload(y[0])\n") == "a.so, b.so");
  CHECK(loads_of(load + "match 'b':\n  case 'a' | 'c': load('a')\n  case _: load('b')\n") == "b.so");
  CHECK(loads_of(load + "n = 2\nwhile n:\n  n -= 1\nelse:\n  load('a')\n") == "a.so");
  CHECK(loads_of(load + "class C:\n  @staticmethod\n  def s(n): load(n)\n  @property\n  def p(self): return 'b'\n"
                        "C.s('a')\nload(C().p)\n") == "a.so, b.so");
  CHECK(loads_of(load + "d = {k: v for k, v in [('x', 'a')] if k}\nload(d['x'])\n") == "a.so");
}

TEST_CASE("what cannot be told is noted, with its line") {
  ImportWorld world;
  world.add("m.py", "import ctypes, os\nctypes.CDLL(os.urandom(3))\n__import__(input())\n");
  world.import("m");
  REQUIRE(world.result.unfollowed.size() == 2);
  CHECK(world.result.unfollowed[0].line == 2);
  CHECK(world.result.unfollowed[0].code == "ctypes.CDLL(os.urandom(3))");
  CHECK(world.result.unfollowed[1].kind == cudald::Unfollowed::Kind::module);
}

TEST_CASE("a submodule that nothing makes is missing; one that code may make is taken to be there") {
  ImportWorld world;
  world.add("p/__init__.py", "x = 1\n");
  world.add("m.py", "import p.nosuch\n");
  world.import("m");
  CHECK(world.result.error == "ModuleNotFoundError: No module named 'p.nosuch'");
  ImportWorld other;
  other.add("p/__init__.py", "import sys\nsys.modules['p.nosuch'] = sys\n");
  other.add("m.py", "import p.nosuch\n");
  other.import("m");
  CHECK(other.result.imported);
}

TEST_CASE("patterns of mappings and sequences decide, and bind names") {
  const std::string head = "import importlib\ndef choose(value):\n  match value:\n";
  const std::string cases =
      "    case {'kind': str() as kind, **others} if others: return kind\n    case [one, *_] | (one, _): return one\n"
      "    case _: return 'c'\n";
  const std::string call = "importlib.import_module(choose(";
  CHECK(loads_of(head + cases + call + "{'kind': 'a', 'x': 1}))\n") == "a.so");
  CHECK(loads_of(head + cases + call + "['b', 2]))\n") == "b.so");
  CHECK(loads_of(head + cases + call + "{'kind': 'a'}))\n") == "c.so");
}

TEST_CASE("a base is told of its classes, and a nested function changes names of the one around it") {
  const std::string base =
      "import importlib\nclass B:\n  def __init_subclass__(cls, **k): importlib.import_module(k['part'])\n";
  CHECK(loads_of(base + "class C(B, part='a'): pass\n") == "a.so");
  CHECK(loads_of("import importlib\ndef f():\n  n = 'a'\n  def g():\n    nonlocal n\n    n = 'b'\n  g()\n"
                 "  return n\nimportlib.import_module(f())\n") == "b.so");
  CHECK(loads_of("import importlib\nimportlib.import_module(f\"{'a':s}\")\n") == "a.so");
}

TEST_CASE("values may hold one another in long chains and in rings") {
  std::string text = "import a\nx = []\nclass C: pass\n";
  for (int i = 0; i < 40'000; ++i) text += "x = [x]\nclass C(C): pass\n";
  CHECK(loads_of(text + "y = [0]\ny.append(y)\nC.y = C\nimport b\n") == "a.so, b.so");
}

TEST_CASE("isinstance is known of texts, numbers, lists and of objects whose classes are") {
  const auto holds = [](const std::string& condition) {
    const std::string before =
        "import os\nclass A:\n  pass\nclass B(A):\n  pass\nclass C:\n  pass\nclass D(os.X):\n  pass\n";
    const auto loaded = loads_of(before + "if " + condition + ":\n  import a\nelse:\n  import b\n");
    return loaded == "a.so" ? "yes" : loaded == "b.so" ? "no" : "unknown";
  };
  for (const auto* yes :
       {"'x', str", "1, int", "True, int", "{}, dict", "B(), A", "B(), (C, A)", "A, type", "1, (str, int)"})
    CHECK_MESSAGE(holds("isinstance(" + std::string(yes) + ")") == std::string("yes"), yes);
  for (const auto* no :
       {"'x', list", "[], type", "[1], str", "None, str", "A(), B", "A(), (B, C)", "A(), str", "os, dict"})
    CHECK_MESSAGE(holds("isinstance(" + std::string(no) + ")") == std::string("no"), no);
  for (const auto* open : {"[], list", "os.x, str", "D(), A", "D(), str", "A(), D", "'x', A", "'x', os.PathLike"})
    CHECK_MESSAGE(holds("isinstance(" + std::string(open) + ")") == std::string("unknown"), open);
}

TEST_CASE("a name in the dictionary of an object, unless something else is done with that dictionary") {
  const std::string type = "class A:\n  def set(self):\n    self.x = 1\no = A()\n";
  const std::string ask = "if 'x' in o.__dict__:\n  import a\nelse:\n  import b\n";
  CHECK(loads_of(type + ask) == "b.so");
  CHECK(loads_of(type + "o.set()\n" + ask) == "a.so");
  CHECK(loads_of(type + "o.__dict__.update(anything())\n" + ask) != "b.so");
}

TEST_CASE("a variable whose name is not known is taken for one that is not set") {
  CHECK(loads_of("import os\nif os.environ.get(what(), 'no') == 'no':\n  import a\n") == "a.so");
}

TEST_CASE("a class of Cython may have more members than its source shows") {
  const std::string source = "class Doc:\n  pass\nif not hasattr(Doc, 'tensor'):\n  raise ValueError('x')\nimport a\n";
  const auto loads = [&](const std::string& suffix) {
    ImportWorld world;
    world.add("a.so");
    world.add("doc.so", std::string("x\0cython_runtime\0x", 18));
    world.add("doc" + suffix, source);
    return world.import("doc");
  };
  CHECK(loads(".pyx") == "doc.so, a.so optional");
  // What Python's own syntax declares is all there is.
  CHECK(loads(".py") == "doc.so");
}

TEST_CASE("a path is asked whether it is absolute") {
  CHECK(loads_of("import ctypes, pathlib\npath = pathlib.Path('a.so')\nif not path.is_absolute():\n"
                 "  path = pathlib.Path('/s') / path\nctypes.CDLL(str(path))\n") == "a.so");
}

TEST_CASE("a library whose name is computed, where it is not known whether the line is reached, is told as uncertain") {
  const auto certain = [](const std::string& condition) {
    ImportWorld world;
    world.add("m.py", "import ctypes\ndef load(path):\n  if " + condition + ":\n    ctypes.CDLL(path)\nload(what())\n");
    world.import("m");
    REQUIRE(world.result.unfollowed.size() == 1);
    return world.result.unfollowed[0].certain;
  };
  CHECK(certain("True"));
  CHECK_FALSE(certain("path"));
}

TEST_CASE("modules of a group that mypyc compiled make one another, and import its file") {
  using namespace std::string_literals;
  const auto loads = [](const std::string& group_of_b) {
    ImportWorld world;
    world.add("p/__init__.py");
    world.add("p/a.so", "\0g1__mypyc\0g1__mypyc.ensure_deps\0"s);
    world.add("p/a.py", "import p.b\n");
    world.add("p/b.so", "\0"s + group_of_b + "__mypyc\0"s + group_of_b + "__mypyc.ensure_deps\0"s);
    world.add("p/b.py", "import c\n");
    for (const auto* name : {"c.so", "g1__mypyc.so", "g2__mypyc.so"}) world.add(name);
    return world.import("p.a");
  };
  CHECK(loads("g1") == "p/a.so, g1__mypyc.so optional, c.so optional");
  // Of another group, it is a module like any other.
  CHECK(loads("g2").find("p/b.so") != std::string::npos);
}

TEST_CASE("an import behind a condition that is not known is told, whether it is followed or left out") {
  const auto told = [](const std::string& text) {
    ImportWorld world;
    for (const auto* name : {"a.so", "b.so", "n/d.so"}) world.add(name);
    world.add("plain.py");
    world.add("n/__init__.py");
    world.add("m.py", "import ctypes, importlib, n\n" + text);
    world.import("m");
    std::string all;
    for (const auto& one : world.result.unfollowed) {
      CHECK(one.kind == Unfollowed::Kind::condition);
      all += std::to_string(one.line) + " " + one.code + "\n";
    }
    return all;
  };
  CHECK(told("if what():\n  import a\n") == "3 import a\n");
  CHECK(told("if what():\n  from n import d\n") == "3 from n import d\n");
  CHECK(told("def f():\n  if what():\n    import a\nf()\n") == "4 import a\n");
  CHECK(told("def f():\n  if what():\n    from n import d\nf()\n") == "4 from n import d\n");
  CHECK(told("def f():\n  if what():\n    importlib.import_module('a')\nf()\n") == "4 importlib.import_module('a')\n");
  CHECK(told("def f():\n  if what():\n    ctypes.CDLL('liba.so')\nf()\n") == "4 ctypes.CDLL('liba.so')\n");
  // Nothing hangs on these.
  CHECK(told("if what():\n  import plain\n") == "");
  CHECK(told("def f():\n  if what():\n    import a, absent\nf()\nimport a\n") == "");
  CHECK(told("def f():\n  if what():\n    from n import nothing\nf()\n") == "");
  CHECK(told("def f():\n  if what():\n    import a\n") == "");
}

TEST_CASE("what is imported behind such a condition takes the place of no other module") {
  ImportWorld world;
  world.add("m.py", "if what():\n  import fake\nimport real\n");
  world.add("fake.py", "import sys\nsys.modules['real'] = 1\n");
  world.add("real.py", "import a\n");
  world.add("a.so");
  CHECK(world.import("m") == "a.so");
}

TEST_CASE("the text of an exception that is handled stands in that of another") {
  ImportWorld world;
  world.add("m.py",
            "try:\n  import absent\nexcept ImportError as e:\n"
            "  raise ImportError(f'absent is needed: {e}. ' + 'Install it') from None\n");
  world.import("m");
  CHECK(world.result.error == "ImportError: absent is needed: No module named 'absent'. Install it");
}

TEST_CASE("where a name is missing after code was taken not to raise, it did") {
  const auto error = [](const std::string& last, const std::string& condition) {
    ImportWorld world;
    world.add("m.py", "import n\n");
    world.add("n/__init__.py", "import os\ndef find():\n  if " + condition +
                                   ":\n    raise RuntimeError('No flavor')\n"
                                   "find()\n" +
                                   last);
    world.files.add_folder("/s/n/space");
    world.import("m");
    return world.result.error;
  };
  CHECK(error("from n.space import ir\n", "what()") ==
        "ImportError: cannot import name 'ir' from 'n.space' (unknown location)");
  CHECK(error("import absent\n", "what()") == "ModuleNotFoundError: No module named 'absent'");
  CHECK(error("", "what()") == "");
  CHECK(error("", "os.name == 'posix'") == "RuntimeError: No flavor");
}

TEST_CASE("what is in a package that a compiled module makes is made as well, though a failure were caught") {
  CHECK(loads_of("try:\n  from a.part.inner import x\nexcept ImportError:\n  import b\nimport c\n") ==
        "a.so optional, c.so");
}

TEST_CASE("an import of a rule that ends by an exception of its code's own is told as left open") {
  const auto told = [](const std::string& text) {
    ImportWorld world;
    world.rules = R"({"standard_library": {"names": []}, "libraries": {"rows": {}}, "rules": [
      {"call": "m.start", "source": "test", "steps": [{"import": "n", "required": false}]}]})";
    world.add("m.py", "def start(): pass\nstart()\n");
    world.add("n.py", text);
    world.import("m");
    return world.result.unfollowed.size() == 1 ? world.result.unfollowed[0].code : "";
  };
  CHECK(told("def f():\n  raise RuntimeError('0 active drivers')\nf()\nimport a\n") == "start()");
  CHECK(told("import absent\n") == "");
}

TEST_CASE("what exec_module runs is a module like any other, once") {
  ImportWorld world;
  world.add("n/x.py", "import a\n");
  for (const auto* name : {"a.so", "b.so", "n/y.so"}) world.add(name);
  const std::string load =
      "import importlib.util\ndef load(name, path):\n  spec = importlib.util.spec_from_file_location(name, path)\n"
      "  module = importlib.util.module_from_spec(spec)\n  spec.loader.exec_module(module)\n";
  world.add("m.py", load + "load('x', '/s/n/x.py')\nload('x', '/s/n/x.py')\nload('y', '/s/n/y.so')\nimport b\n");
  CHECK(world.import("m") == "a.so, n/y.so, b.so");
  world.loads.clear();
  // As Python's documentation has it.
  world.add("z.py", "import a\nvalue = 1\n");
  world.add("r.py",
            "import importlib.util, sys\nspec = importlib.util.spec_from_file_location('z', '/s/z.py')\n"
            "module = importlib.util.module_from_spec(spec)\nsys.modules['z'] = module\n"
            "spec.loader.exec_module(module)\nif module.value == 1: import b\nimport z\n");
  CHECK(world.import("r") == "a.so, b.so");
  world.loads.clear();
  world.add("o.py", load + "def f():\n  if what(): load('x', '/s/n/x.py')\nf()\nimport b\n");
  CHECK(world.import("o") == "b.so");
}

TEST_CASE("__import__ with a level is relative to the package, and takes what it is told to take") {
  ImportWorld world;
  for (const auto* name : {"p/q/a.so", "p/b.so", "a.so", "b.so"}) world.add(name);
  world.add("p/__init__.py");
  world.add("p/q/__init__.py", "__import__('b', globals(), None, ['x'], 2)\n__import__('a', globals(), None, [], 1)\n");
  CHECK(world.import("p.q") == "p/b.so, p/q/a.so");
  world.loads.clear();
  world.add("m.py", "__import__('p.q', None, None, ['a', 'absent', '*'])\n__import__('a')\n");
  CHECK(world.import("m") == "p/b.so, p/q/a.so, a.so");
}

TEST_CASE("a star takes the submodules that __all__ names") {
  ImportWorld world;
  world.add("p/__init__.py", "__all__ = ['c', 'x', 'absent', 5]\nx = 1\n");
  world.add("p/c.so");
  world.add("a.so");
  world.add("m.py", "from p import *\nif x == 1:\n  import a\n");
  CHECK(world.import("m") == "p/c.so, a.so");
}

TEST_CASE("annotations are evaluated when something is defined, unless the module says that they are not") {
  const std::string annotated =
      "def f(x: __import__('a') = 1) -> __import__('b'): pass\ny: __import__('c') = 2\n"
      "def g():\n  z: __import__('absent') = 3\ng()\n";
  CHECK(loads_of(annotated) == "a.so, b.so, c.so");
  CHECK(loads_of("from __future__ import annotations\n" + annotated).empty());
  CHECK(loads_of("from __future__ import division\n" + annotated) == "a.so, b.so, c.so");
}

TEST_CASE("a module whose code failed fails the same way when it is imported again") {
  ImportWorld world;
  world.add("n.py", "raise ImportError('no luck')\n");
  world.add("m.py", "try:\n  import n\nexcept ImportError:\n  pass\nimport n\n");
  world.import("m");
  CHECK(world.result.error == "ImportError: no luck");
}

TEST_CASE("a source that cannot be read is told, and what it has is not known") {
  ImportWorld world;
  world.files.add_file("/s/n.py", "x = 1\n", {.broken_disk = true});
  world.add("a.so");
  world.add("m.py", "import n\nif n.x == 1:\n  import a\n");
  CHECK(world.import("m") == "a.so optional");
  REQUIRE(world.result.notes.size() == 1);
  CHECK(world.result.notes[0].starts_with("/s/n.py cannot be read ("));
  CHECK(world.result.notes[0].ends_with("); what it imports is not known"));
}

TEST_CASE("what the process has mapped is known to code that looks") {
  CHECK(loads_of("with open('/proc/self/maps') as f: maps = f.read()\nif 'libcudart.so' in maps: import a\n"
                 "else: import b\n") == "a.so");
  CHECK(loads_of("if 'libcudart.so' in open('/proc/self/maps').read(): import a\nelse: import b\n") == "a.so");
  CHECK(loads_of("if 'libother.so' in open('/proc/self/maps').read(): import a\nelse: import b\n") == "b.so");
}

TEST_CASE("sys.path may be another list, and a folder that code takes out of it is searched no more") {
  const auto loads = [](const std::string& change) {
    ImportWorld world;
    for (const auto* name : {"/s/a.so", "/t/a.so"}) world.files.add_file(name, "");
    world.add("m.py", "import sys\n" + change + "\nimport a\n");
    return world.import("m");
  };
  CHECK(loads("pass") == "a.so");
  CHECK(loads("sys.path = ['/t'] + sys.path") == "/t/a.so");
  CHECK(loads("sys.path[:] = ['/t']") == "a.so");  // not followed
  CHECK(loads("sys.path.insert(0, '/t')\nsys.path.pop(0)") == "a.so");
  CHECK(loads("sys.path.insert(0, '/t')\ndel sys.path[0]") == "a.so");
  CHECK(loads("sys.path.insert(0, '/t')\nsys.path.remove('/s')") == "/t/a.so");
  CHECK(loads("sys.path[0] = '/t'") == "/t/a.so");
  CHECK(loads("sys.path.append('/t')\nsys.path.reverse()") == "/t/a.so");
}

TEST_CASE("functions of the standard library are followed where they, or what they call, may load something") {
  const auto loads = [](const std::string& function) {
    ImportWorld world;
    world.python.path = {"/lib", "/s"};
    world.files.add_file("/lib/os.py", "");
    world.files.add_file("/lib/std.py",
                         "import ctypes\ndef direct(): import a\ndef named():\n  from b import x\n"
                         "def caller(): direct()\ndef far(): caller()\ndef opens(): ctypes.CDLL('libx.so')\n"
                         "def inner():\n  def f(): import a\n  f()\ndef plain(): return 1\n"
                         "short = lambda: direct()\n");
    for (const auto* name : {"a.so", "b.so", "c.so"}) world.add(name);
    world.add("m.py", "import std\nif std." + function + "() == 1: import c\n");
    return world.import("m");
  };
  CHECK(loads("direct") == "a.so");
  CHECK(loads("named") == "b.so");
  CHECK(loads("caller") == "a.so");
  CHECK(loads("far") == "a.so");
  CHECK(loads("opens") == "libx.so");
  CHECK(loads("inner") == "a.so");
  CHECK(loads("short") == "a.so");
  CHECK(loads("plain") == "c.so optional");
}

TEST_CASE("a rule holds for a function of a compiled module too") {
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": ["ctypes"]}, "libraries": {"rows": {}}, "rules": [
    {"call": "c.start", "source": "test", "steps": [{"load": "lib{0}.so"}]}]})";
  world.add("c.so");
  world.add("m.py", "import c\nc.start('x')\nc.other('y')\ndef f():\n  if what(): c.start('z')\nf()\n");
  CHECK(world.import("m") == "c.so, libx.so");
}

TEST_CASE("the names of a package that is put in front of another lead to its parts") {
  ImportWorld world;
  world.add("p/__init__.py", "import q\nglobals().update(q.__dict__)\n");
  world.add("q/__init__.py", "x = 1\n");
  world.add("q/part.so");
  world.add("a.so");
  world.add("m.py", "import p.part\nif p.x == 1: import a\n");
  CHECK(world.import("m") == "q/part.so, a.so");
}

TEST_CASE("the groups of entry points are asked by their names too") {
  ImportWorld world;
  world.add("x-1.dist-info/entry_points.txt", "[g]\none = a\n[h]\ntwo = b\n");
  for (const auto* name : {"a.so", "b.so"}) world.add(name);
  world.add("m.py",
            "import importlib.metadata\nfor point in importlib.metadata.entry_points().get('g'): point.load()\n");
  CHECK(world.import("m") == "a.so");
}

TEST_CASE("of a function that may have returned before, code and objects are followed, and data is not known") {
  const auto loads = [](const std::string& value, const std::string& use) {
    ImportWorld world;
    for (const auto* name : {"a.so", "b.so"}) world.add(name);
    world.add("m.py", "def load(): import a\nclass Loader:\n  def go(self): import a\ndef pick():\n" +
                          std::string("  if what(): return None\n  return ") + value + "\n" + use + "\n");
    return world.import("m");
  };
  CHECK(loads("load", "pick()()") == "a.so");
  CHECK(loads("Loader()", "pick().go()") == "a.so");
  for (const auto* data : {"1", "True", "None", "'x'", "[1]", "{'x': 1}"}) {
    CAPTURE(data);
    CHECK(loads(data, "x = pick()\nif x == " + std::string(data) + ": import a") == "a.so optional");
  }
}

TEST_CASE("a source of 8 MB is followed, and of a longer one it is told that it is not read") {
  constexpr std::size_t most = std::size_t{8} << 20;
  const auto loads = [](std::size_t size) {
    ImportWorld world;
    world.add("a.so");
    const std::string code = "import a\n#";
    world.add("m.py", code + std::string(size - code.size(), 'x'));
    auto told = world.import("m");
    for (const auto& note : world.result.notes) told += note;
    return told;
  };
  CHECK(loads(most) == "a.so");
  CHECK(loads(most + 1).starts_with("/s/m.py cannot be read ("));
}

TEST_CASE("an exception that is surely raised ends the import, one behind an unknown condition does not") {
  CHECK(loads_of("import a\nraise ValueError('no')\nimport b\n") == "a.so");
  CHECK(loads_of("if anything():\n  raise ValueError('no')\n  import a\nimport b\n") == "b.so");
  CHECK(loads_of("raise ImportError('no')\nimport a\n").empty());
}

TEST_CASE("encodings and site are imported before the module, and what fails there does not count") {
  ImportWorld world;
  world.python.notes = {"one note"};
  for (const auto* name : {"encodings.so", "site.so", "a.so"}) world.add(name);
  world.add("m.py", "import a\n");
  CHECK(world.import("m") == "encodings.so, site.so, a.so");
  CHECK(world.result.notes == std::vector<std::string>{"one note"});
  ImportWorld failing;
  failing.add("encodings.py", "import nowhere\n");
  failing.add("site.py", "import nowhere\n");
  failing.add("a.so");
  failing.add("m.py", "import a\n");
  CHECK(failing.import("m") == "a.so");
  CHECK(failing.result.imported);
  CHECK(failing.result.followed);
  CHECK(failing.result.missing.empty());
  CHECK(failing.result.error.empty());
  CHECK(failing.result.notes.empty());
}

TEST_CASE("a Python that is not there has no module that its release has left") {
  const auto error = [](const std::string& version, bool has_other = false) {
    ImportWorld world;
    world.python.version = version;
    if (has_other) world.python.elsewhere = {"setuptools"};
    world.rules = R"({"standard_library": {"names": ["imp"], "left": [
                       {"module": "imp", "release": "3.12", "distribution": "setuptools"}]},
                      "rules": [], "libraries": {"rows": {}}})";
    world.add("m.py", "import imp\n");
    world.import("m");
    return world.result.error;
  };
  CHECK(error("3.11") == "");
  CHECK(error("3.12") == "ModuleNotFoundError: No module named 'imp'");
  CHECK(error("3.13") == "ModuleNotFoundError: No module named 'imp'");
  CHECK(error("3.12", true) == "");
}
