#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"
#include "pyimport/tests/code_outcome.h"

using namespace cudald;

namespace {

AnswerWorld world_of_names() {
  AnswerWorld world;
  world.python.prefix = "/v";
  world.python.base_prefix = "/b";
  world.add("p/__init__.py",
            "x = 1\nwhere = __path__\npackage, parent, spec = __package__, __spec__.parent, __spec__.name\n");
  world.add("p/q.py", "x = 2\npackage, parent, spec = __package__, __spec__.parent, __spec__.name\n");
  world.add("top.py", "package, parent, spec = __package__, __spec__.parent, __spec__.name\n");
  world.add("lazy.py", "def __getattr__(name):\n  if name == 'made': return 5\n  raise AttributeError(name)\n");
  world.add("other.py", "__getattr__ = what\n");
  world.add("once.py",
            "def __getattr__(name):\n  global __getattr__, b, c, d, e\n"
            "  __getattr__ = b = c = d = e = None\n  return 6\n");
  world.add("listed.py", "b = 1\nccc = 2\naa = 3\n");
  world.add("ext.so");
  return world;
}

constexpr std::string_view true_of_names[] = {
    "os.sep == '/' and os.path.sep == '/' and os.pathsep == ':' and os.curdir == '.' and os.pardir == '..'",
    "os.path.curdir == '.' and os.path.pardir == '..'",
    "import posixpath\nposixpath.sep == '/'",
    "sys.byteorder == 'little' and sys.maxsize == 0x7fffffffffffffff and sys.maxunicode == 0x10ffff",
    "sys.implementation.name == 'cpython' and sys.warnoptions == [] and sys.platform == 'linux'",
    "sys.prefix == '/v' and sys.exec_prefix == '/v' and sys.base_prefix == '/b' and sys.base_exec_prefix == '/b'",
    "import typing\nnot typing.TYPE_CHECKING and not TYPE_CHECKING",
    "__name__ == 'm' and __file__ == '/s/m.py' and __debug__ == True",
    "import p, p.q, top\np.package == 'p' and p.q.package == 'p' and top.package == '' and __package__ == ''",
    "import p, p.q, top\np.parent == 'p' and p.q.parent == 'p' and top.parent == ''",
    "import p, p.q, top\np.spec == 'p' and p.q.spec == 'p.q' and top.spec == 'top'",
    "import p\np.where == ['/s/p'] and p.__path__ == ['/s/p'] and p.__name__ == 'p'",
    "import p.q\np.q.__file__ == '/s/p/q.py' and p.__file__ == '/s/p/__init__.py' and p.q.__name__ == 'p.q'",
    "import lazy\nlazy.made == 5",
    "import once\nonce.made == 6 and once.e == None",
    "import listed\n[x for x in dir(listed) if not x.startswith('_')] == ['aa', 'b', 'ccc']",
    "x = 1\ndef f(): return x\nx = 2\nf() == 2",
    "x = 1\ndef f():\n  x = 2\n  def g(): return x\n  return g()\nf() == 2 and x == 1",
    "x = 1\ndef f():\n  global x\n  x = 2\n  def g(): return x\n  return g()\nf() == 2 and x == 2",
    "x = 1\ndef f():\n  x = 2\n  def g():\n    global x\n    return x\n  return g()\nf() == 1",
    "def f():\n  x = 1\n  def g():\n    nonlocal x\n    x = 2\n  g()\n  return x\nf() == 2",
    "def f():\n  x = 1\n  def g():\n    def h():\n      nonlocal x\n      x = 3\n    h()\n  g()\n  return x\nf() == 3",
    "def f():\n  def g():\n    nonlocal y\n    y = 3\n  g()\n  return 7\nf() == 7",
    "x = 1\nclass C:\n  x = 2\n  y = x\n  def get(self): return x\nC.y == 2 and C().get() == 1 and x == 1",
    "a, *b = [1]\na == 1 and b == []",
    "a, *b, c = [1, 2]\na == 1 and b == [] and c == 2",
    "*a, b, c = [1, 2, 3, 4]\na == [1, 2] and b == 3 and c == 4",
    "a, *b, c, d = [1, 2, 3, 4, 5]\na == 1 and b == [2, 3] and c == 4 and d == 5",
    "[a, (b, c)] = 1, 'xy'\na == 1 and b == 'x' and c == 'y'",
    "x = [1, 2]\nx[0] = 5\nx[-1] = 6\nx[9] = 7\nx == [5, 6]",
    "d = {'a': 1}\nd['a'] = 2\nd['b'] = 3\nd['a'] == 2 and d['b'] == 3 and len(d) == 2",
    "sys.path = ['/t', '/s']\nsys.path == ['/t', '/s']",
    "globals()['y'] = 4\ny == 4",
    "def f(): pass\nf.own = 3\nf.own == 3",
    "import p\np.new = 4\np.new == 4",
    "class C: pass\nc = C()\nc.own = 5\nc.own == 5 and not hasattr(C, 'own') and not hasattr(C(), 'own')",
    "class C:\n  def __getattr__(self, name): return 1\nclass D: pass\ngetattr(D(), 'x', 7) == 7",
    "class C: kind = 1\nclass D(C): pass\nclass E(D): kind = 2\nD.kind == 1 and E.kind == 2 and E().kind == 2",
    "class C: pass\nC.__name__ == 'C'",
    "sys.version_info.major == 3 and sys.version_info.minor == 11 and sys.version_info[2] == 0",
    "globals()['__name__'] == 'm' and globals()['__file__'] == '/s/m.py'",
    "import p\nglobals().get('p') is p",
    "import p\np.__dict__['x'] == 1",
    "try: raise ValueError('t')\nexcept ValueError as e: r = type(e).__name__ + e.__class__.__name__\n"
    "r == 'ValueErrorValueError'",
    "import p\ntry: p.absent\nexcept AttributeError as e: r = str(e)\nr == \"module 'p' has no attribute 'absent'\"",
    "import lazy\ntry: lazy.absent\nexcept AttributeError as e: r = str(e)\nr == 'absent'",
    "try: xrange\nexcept NameError as e: r = str(e)\nr == \"name 'xrange' is not defined\"",
};

constexpr std::string_view open_of_names[] = {
    "sys.flags.optimize == 0",
    "sys.other == 1",
    "ctypes.cdll == 1",
    "unheard_of == 1",
    "__path__ == []",
    "import p.q\np.q.__path__ == []",
    "import other\nother.made == 1",
    "import lazy\nlazy.__doc__ == 1",
    "import p\np.__doc__ == 1",
    "import ext\next.x == 1",
    "globals()['unheard_of'] == 1",
    "__spec__.origin == 1",
    "class C:\n  def __getattr__(self, name): return what(name)\ngetattr(C(), 'x', 7) == 7",
    "class C:\n  def __getattribute__(self, name): return 1\ngetattr(C(), 'x', 7) == 7",
    "class C: pass\nC().absent == 1",
    "(1).real == 1",
    "[1, 2, 3, 4].major == 1",
    "a, b = [1, 2, 3]\na == 1",
    "a, b = [1]\na == 1",
    "a, *b, c = [1]\na == 1",
    "a, (b, c) = what()\nb == 1",
    "xrange(3) == 1",
    "'x'.absent == 1",
    "def f(): pass\nf.absent == 1",
    "x = 1\nif what(): x = 2\nx == 2",
    "x = [1]\nif what(): x[0] = 2\nx[0] == 2",
    "class C: x = 1\nif what(): C.x = 2\nC.x == 1",
    "x = [1]\nx[what()] = 2\nwhat()",
};

}  // namespace

TEST_CASE("names, attributes and targets lead to the values that they have in Python") {
  check_answers(world_of_names(), true_of_names, "true");
}

TEST_CASE("names and attributes of which nothing is known have no value") {
  check_answers(world_of_names(), open_of_names, "open");
}

TEST_CASE("a name that only others than CPython have is missed where somebody waits for that") {
  AnswerWorld world;
  for (const std::string name :
       {"get_ipython", "__IPYTHON__", "unicode", "basestring", "xrange", "raw_input", "unichr", "long", "reload",
        "execfile", "__NUMPY_SETUP__", "__SKLEARN_SETUP__", "__OTHER_SETUP__"}) {
    CAPTURE(name);
    CHECK(world("try:\n  " + name + "\n  r = 1\nexcept NameError: r = 2\nr == 2") == "true");
    CHECK(world(name + " = 5\ntry:\n  r = " + name + "\nexcept NameError: r = 2\nr == 5") == "true");
  }
  CHECK(world("try:\n  unheard_of\n  r = 1\nexcept NameError: r = 2\nr == 1") == "true");
  CHECK(world("xrange\n1") == "true");
  AnswerWorld unsure;
  unsure.add("m.py", "try:\n  if what():\n    xrange\n    import a\nexcept NameError: import b\n");
  CHECK(unsure.import("m") == "a.so optional");
}

TEST_CASE("what a module's __getattr__ raises but for a missing name goes to its handler") {
  auto world = world_of_names();
  world.add("strict.py", "def __getattr__(name): raise KeyError(name)\n");
  CHECK(world("import strict\ntry:\n  strict.x\n  r = 1\nexcept KeyError: r = 2\nr == 2") == "true");
  CHECK(world("import strict\ntry:\n  strict.__x__\n  r = 1\nexcept KeyError: r = 2\nr == 1") == "true");
}

TEST_CASE("of a Python whose version is not known the first number is, and other modules say what types are for") {
  auto world = world_of_names();
  world.python.version.clear();
  CHECK(world("sys.version_info.major == 3") == "true");
  CHECK(world("sys.version_info.minor == 11") == "open");
  CHECK(world("import typing_extensions as t\n1") == "|ModuleNotFoundError: No module named 'typing_extensions'");
  world.add("typing_extensions.py", "TYPE_CHECKING = True\n");
  CHECK(world("import typing_extensions as t\nt.TYPE_CHECKING") == "false");
  CHECK(world("import ntpath\nntpath.sep == '/'") == "true");
}

TEST_CASE("a path that is relative begins at the current folder, if that is known") {
  AnswerWorld world;
  CHECK(world("os.path.abspath('x') == '/s/x'") == "open");
  CHECK(world.result.looked_at.cwd);
  world.python.cwd = "/s";
  CHECK(world("os.path.abspath('x') == '/s/x'") == "true");
  CHECK(world.result.looked_at.cwd);
  CHECK(world("os.path.abspath('/x') == '/x'") == "true");
  CHECK_FALSE(world.result.looked_at.cwd);
}

TEST_CASE("what is taken to be a module of the standard library gives its functions by their names") {
  AnswerWorld world;
  CHECK(world("os.path.join('a', 'b') == 'a/b'") == "true");
  CHECK(world("from os.path import join\njoin('a', 'b') == 'a/b'") == "true");
  CHECK(world("import os as o\no.path.join('a', 'b') == 'a/b'") == "true");
  CHECK(world("j = os.path.join\nj('a', 'b') == 'a/b'") == "true");
  CHECK(world("import posixpath, ntpath, genericpath\nposixpath.join('a', 'b') == 'a/b'") == "true");
}

namespace {

/// What ends the import of m, which runs the second code, where the first is that of p.
std::string end_beside(const std::string& p, const std::string& m) {
  return end_of_modules({{"p.py", p}, {"m.py", m + "\n"}});
}

}  // namespace

TEST_CASE("at the top of a module locals() and vars() are its names, as globals() is") {
  check_outcomes({{"locals()['x'] = 3\nx == 3", "yes"},
                  {"names = locals()\nnames['x'] = 3\nx == 3", "yes"},
                  {"vars()['x'] = 3\nx == 3", "yes"},
                  {"vars(sys.modules[__name__])['x'] = 3\nx == 3", "yes"},
                  {"x = 1\ndef f(): locals()['x'] = 3\nf()\nx == 1", "yes"},
                  {"x = 3\nglobals().pop('x')\nglobals().get('x') == 3", "unknown"},
                  {"x = 3\ndel globals()['x']\nglobals().get('x') == 3", "unknown"}});
}

TEST_CASE("a module that gives names away by locals(), or reads all of them, lacks what it does not bind") {
  const auto ends = [](const std::string& code) { return end_beside("a = 1\n" + code, "from p import y"); };
  const std::string missing = "ImportError: cannot import name 'y' from 'p' (/s/p.py)";
  CHECK(ends("names = locals()\nfor name in ['a']: names[name]\n") == missing);
  CHECK(ends("for name in sorted(globals()): pass\n") == missing);
  CHECK(ends("def f():\n  global z\n  z = 1\nwhat(f)\n") == missing);
  CHECK(ends("def f():\n  global y\n  y = 1\nwhat(f)\n").empty());
  CHECK(ends("def f():\n  globals()['b'] = 1\nwhat(f)\n").empty());
  CHECK(ends("names = locals()\nnames[what()] = 1\n").empty());
  CHECK(ends("names = globals()\nnames.setdefault(what(), 1)\n").empty());
  CHECK(ends("what(locals())\n").empty());
  CHECK(ends("def put(name):\n  import p\n  setattr(p, name, 1)\n").empty());  // numpy.dtypes
  CHECK(ends("fill_set(globals())\n").empty());
}

TEST_CASE("an attribute is missing that no class of an object has, and none of their modules speaks of") {
  const std::string made = "class A:\n  def f(self): pass\nclass B(A): pass\n";
  const auto of_package = [](const std::string& code, const std::string& asked) {
    return end_beside(code, "import p\n" + asked);
  };
  CHECK(of_package(made, "p.B.g") == "AttributeError: type object 'B' has no attribute 'g'");
  CHECK(of_package(made, "p.B().g()") == "AttributeError: 'B' object has no attribute 'g'");
  CHECK(of_package(made + "def late(x): x.g = 1\n", "p.B.g").empty());
  CHECK(of_package(made + "def late(x, y): setattr(x, y, 1)\n", "p.B().g").empty());
  CHECK(of_package("class M(type):\n  def __getattr__(cls, name): return 1\nclass B(metaclass=M): pass\n", "p.B.g")
            .empty());
  CHECK(of_package("class M(type):\n  def g(cls): pass\nclass B(metaclass=M): pass\n", "p.B.g").empty());
  CHECK(of_package(made, "p.B.mro()").empty());
  CHECK(of_package("class B(what()): pass\n", "p.B.g").empty());
  CHECK(of_package("class B:\n  def __getattr__(self, name): return 1\n", "p.B().g").empty());
  CHECK(of_package("@what\nclass B: pass\n", "p.B.g").empty());
}
