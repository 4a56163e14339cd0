#include <string>

#include <doctest/doctest.h>

#include "pyimport/tests/code_outcome.h"

using namespace cudald;

TEST_CASE("parameters get what they are given by position, by name, or have by default") {
  check_outcomes({{"def f(a, b): return [a, b]\nf(1, 2) == [1, 2]", "yes"},
                  {"def f(a, b): return [a, b]\nf(b=1, a=2) == [2, 1]", "yes"},
                  {"def f(a, b=3, c=4): return [a, b, c]\nf(1, c=2) == [1, 3, 2]", "yes"},
                  {"def f(a, *b): return [a, b]\nf(1, 2, 3) == [1, [2, 3]]", "yes"},
                  {"def f(a, *, b=5): return [a, b]\nf(1) == [1, 5]", "yes"},
                  {"def f(*a, b=5): return [a, b]\nf(1, 2, b=3) == [[1, 2], 3]", "yes"},
                  {"def f(*a, b=5): return [a, b]\nf(1, 2) == [[1, 2], 5]", "yes"},
                  {"def f(a): return a\nf(*[1]) == 1", "yes"},
                  {"def f(a): return a\nf(**{'a': 2}) == 2", "yes"},
                  {"f = lambda a, b=2: a + b\nf(1) == 3", "yes"},
                  {"class C:\n  def f(self, a): return a\nC().f(1) == 1", "yes"},
                  {"class C:\n  def __init__(self, a, b=2): self.x = [a, b]\nC(1).x == [1, 2]", "yes"},
                  {"class C:\n  def __call__(self, a): return a\nC()(1) == 1", "yes"},
                  {"class C:\n  __call__ = 5\nC()(1) == 1", "unknown"},
                  {"K()(1) == 1", "unknown"},
                  {"'text'(1) == 1", "unknown"},
                  {"__spec__(1) == 1", "unknown"},
                  {"def f(a=1): return a\nf(*what()) == 1", "unknown"},
                  {"def f(*a): return a\nf(*what(), 1) == ()", "unknown"},
                  {"def f(*a): return a\nf(1, *what()) == (1,)", "unknown"},
                  {"def f(**a): return len(a)\nf(**what(), a=1) == 1", "unknown"},
                  {"def f(a=1): return a\nf(**{what(): 2}) == 1", "unknown"},
                  {"def f(a=1): return a\nf(**{5: 2}) == 1", "unknown"}});
}

TEST_CASE("other keywords are those that no parameter bears, though those for the rest be named like them") {
  check_outcomes({{"def f(a, **k): return [len(k), k['b']]\nf(a=1, b=2) == [1, 2]", "yes"},
                  {"def f(a, **k): return len(k)\nf(1, b=2, c=3) == 2", "yes"},
                  {"def f(*a, **k): return k['a']\nf(1, a=2) == 2", "yes"},
                  {"def f(**k): return k['k']\nf(k=2) == 2", "yes"},
                  {"def f(a, **k): return len(k)\nf(a=2) == 0", "yes"}});
}

TEST_CASE("a loop sees the items of lists, the keys of dictionaries, letters, and what generators yield") {
  check_outcomes({{"[i for i in {'a': 1, 'b': 2}] == ['a', 'b']", "yes"},
                  {"list({what(): 1}) == [1]", "unknown"},
                  {"list({'a': 1, what(): 1}) == ['a']", "unknown"},
                  {"[i for i in 'ab'] == ['a', 'b']", "yes"},
                  {"[i for i in '\xc3\xa9'] == ['a']", "unknown"},
                  {"def g():\n  yield 1\n  yield 2\n[i for i in g()] == [1, 2]", "yes"},
                  {"def g():\n  if what(): return\n  yield 2\nlist(g()) == [2]", "unknown"},
                  {"list(5) == []", "unknown"},
                  {"g = lambda: 5\ng() == 5", "yes"}});
}

TEST_CASE("asynchronous functions are not followed, nor are those of a module that failed") {
  const auto with_failed = [](ImportWorld& world) {
    world.add("keep.py", "x = 1\n");
    world.add("n.py", "import keep\ndef f(): return 1\nkeep.f = f\nraise ImportError('no')\n");
  };
  check_outcomes({{"async def f(): return 1\nf() == 1", "unknown"},
                  {"import keep\ntry: import n\nexcept ImportError: pass\nkeep.f() == 1", "unknown"}},
                 with_failed);
}

TEST_CASE("calls are followed 25 deep") {
  check_outcomes({{"def f(n):\n  if n == 0: return 1\n  return f(n - 1)\nf(24) == 1", "yes"},
                  {"def f(n):\n  if n == 0: return 1\n  return f(n - 1)\nf(25) == 1", "unknown"}});
}

TEST_CASE("a call that takes too many steps is given up with those around it, and not followed again") {
  const std::string endless =
      "def inner():\n  ctypes.CDLL('libx.so')\n  for i in range(300):\n    for j in range(300): x = 1\n"
      "  ctypes.CDLL('liby.so')\ndef outer():\n  inner()\n  ctypes.CDLL('libz.so')\n  return 1\n";
  CHECK(outcome(endless + "inner()\ninner()\n1") == "libx.so, a.so");
  CHECK(outcome(endless + "x = outer()\nouter()\nx == 1") == "libx.so, a.so optional, b.so optional");
  CHECK(outcome(endless + "outer()\ndef other(): return inner()\nother()\n1") == "libx.so, a.so");
  // Each call from a module has a count of its own.
  const std::string long_one = "def f():\n  for i in range(250):\n    x = 1; y = 2; z = 3\n  return 1\n";
  CHECK(outcome(long_one + "for i in range(10): x = f()\nx == 1") == "yes");
  CHECK(outcome(long_one + "def g():\n  for i in range(10): x = f()\n  return x\ng() == 1") == "unknown");
}

TEST_CASE("behind a call that is given up, only what it may have changed is in doubt") {
  const std::string endless =
      "d = {}\nn = 0\ndef f():\n  global n\n  for i in range(300):\n    for j in range(300): n = 1\n  d[1] = 2\nf()\n";
  CHECK(outcome(endless + "raise RuntimeError('x')\n1") == "RuntimeError: x");
  CHECK(outcome(endless + "if n == 1: raise RuntimeError('x')\n1") == "yes");
  CHECK(outcome(endless + "if not d: raise RuntimeError('x')\n1") == "yes");
  CHECK(outcome(endless + "try:\n  f()\n  x = 1\nexcept ValueError: x = 2\nif x == 1: raise RuntimeError('x')\n1") ==
        "yes");
}

TEST_CASE("a function that may have returned from a block within a block does not give None by its end") {
  const std::string find = "def find(x):\n  for i in x:\n    if i.y: return i\n";
  CHECK(outcome(find + "find(what()) is None") == "unknown");
  CHECK(outcome(find + "find(what()).listen()\n1") == "yes");
  CHECK(outcome(find + "find([]) is None") == "yes");
}

TEST_CASE("a rule takes the place of a function where it certainly runs, and of the method of a class") {
  const auto with_rule = [](ImportWorld& world) {
    world.rules = R"({"standard_library": {"names": ["sys", "os", "ctypes", "importlib", "json"]},
      "libraries": {"rows": {}}, "rules": [
        {"call": "m.start", "source": "test", "steps": [{"load": "lib{0}.so"}]},
        {"call": "m.C.go", "source": "test", "steps": [{"load": "libgo.so"}]}]})";
  };
  const std::string start = "def start(name): import b\n";
  CHECK(outcome(start + "start('x')\n1", with_rule) == "libx.so, a.so");
  CHECK(outcome(start + "def f():\n  if what(): start('x')\nf()\n1", with_rule) == "yes");
  CHECK(outcome(start + "if what(): start('x')\n1", with_rule) == "libx.so optional, a.so");
  CHECK(outcome("class C:\n  def go(self): import b\nC().go()\n1", with_rule) == "libgo.so, a.so");
  CHECK(outcome("class D:\n  def go(self): import b\nD().go()\n1", with_rule) == "b.so, a.so");
}

TEST_CASE("of the standard library a function is followed if what it names loads, three calls deep") {
  const auto with_library = [](ImportWorld& world) {
    world.python.path = {"/lib", "/s"};
    world.files.add_file("/lib/os.py", "");
    world.files.add_file("/lib/other.py", "def load():\n  import c\n  return 1\n");
    world.files.add_file(
        "/lib/std.py",
        "import importlib\nfrom other import load\nshort = lambda: __import__('c')\n"
        "def f0():\n  import c\n  return 1\ndef f1(): return f0()\ndef f2(): return f1()\ndef f3(): return f2()\n"
        "def f4(): return f3()\ndef elsewhere(): return load()\ndef by_lambda(): return short()\n"
        "def plain(): return 1\ndef makes():\n  yield 1\n"
        "def names(n): return {word}(n)\n");
    world.add("c.so");
  };
  CHECK(outcome("import std\nstd.f3() == 1", with_library) == "c.so, a.so");
  CHECK(outcome("import std\nstd.f4() == 1", with_library) == "unknown");
  CHECK(outcome("import std\nstd.elsewhere() == 1", with_library) == "unknown");
  CHECK(outcome("import std\nstd.by_lambda() is None", with_library) == "unknown");
  CHECK(outcome("import std\nstd.plain() == 1", with_library) == "unknown");
  CHECK(outcome("import std\nlist(std.makes()) == [1]", with_library) == "yes");
}

TEST_CASE("each word by which code loads something makes a function of the standard library worth following") {
  for (const std::string word : {"import_module", "__import__", "CDLL", "WinDLL", "PyDLL", "LoadLibrary",
                                 "LoadLibraryExW", "add_dll_directory", "dlopen", "open"}) {
    const auto with_library = [&](ImportWorld& world) {
      world.python.path = {"/lib", "/s"};
      world.files.add_file("/lib/os.py", "");
      world.files.add_file(
          "/lib/std.py", "def f():\n  if 0: x." + word + "\n  return 1\ndef g():\n  if 0: " + word + "\n  return 1\n");
    };
    const std::string wanted = word == "dlopen" || word == "open" ? "unknown" : "yes";
    CHECK(word + " " + outcome("import std\nstd.f() == 1", with_library) == word + " " + wanted);
    CHECK(word + " " + outcome("import std\nstd.g() == 1", with_library) == word + " " + wanted);
  }
}

TEST_CASE("a call is given 65,536 arguments at most, and a generator yields no more") {
  const std::string list = "x = list('a' * 65536)\n";
  check_outcomes({{list + "(lambda *a: len(a))(*x[1:], 1) == 65536", "yes"},
                  {list + "(lambda *a: len(a))(1, *x) == 65536", "yes"},
                  {list + "def g():\n  yield from x[1:]\n  yield 1\nlist(g())[-1] == 1", "yes"},
                  {list + "def g():\n  yield from x\n  yield 1\nlen(list(g())) == 65536", "yes"},
                  {list + "def g():\n  yield 1\n  yield from x\nlen(list(g())) == 65536", "yes"}});
}

TEST_CASE("a call takes three thousand steps at most, and each statement is one") {
  const auto code = [](int statements) {
    std::string text = "def f():\n";
    for (int i = 0; i < statements; ++i) text += "  pass\n";
    return text + "  import b\nf()\n1";
  };
  CHECK(outcome(code(2'999)) == "b.so, a.so");
  CHECK(outcome(code(3'000)) == "yes");
}

TEST_CASE("the code of a module takes 300,000 steps at most: statements, turns of loops, and a sixteenth of a node") {
  const auto loads = [](int statements) {
    std::string code =
        "for i in range(300):\n  for j in range(300): pass\nfor i in range(198):\n  for j in range(300): pass\n";
    for (int i = 0; i < statements; ++i) code += "pass\n";
    ImportWorld world;
    world.add("b.so");
    world.add("m.py", code + "import b\n");
    return world.import("m");
  };
  CHECK(loads(108) == "b.so");
  CHECK(loads(109) == "");
}

TEST_CASE("a keyword that a function does not take is an error, unless another function may be called") {
  const std::string no_x = "TypeError: f() got an unexpected keyword argument 'x'";
  check_outcomes({{"def f(a=1): return a\nf(x=2) == 1", no_x},
                  {"def f(*a): return 1\nf(x=2) == 1", no_x},
                  {"def f(*x): return 1\nf(x=2) == 1", no_x},
                  {"def f(*, x=1): return x\nf(x=2) == 2", "yes"},
                  {"def f(**k): return k['x']\nf(x=2) == 2", "yes"},
                  {"def f(a=1): return a\nf(**{'x': 2}) == 1", no_x},
                  {"def f(a=1): return a\ntry: f(x=2)\nexcept TypeError: r = 3\nr == 3", "yes"},
                  {"@what\ndef f(a=1): return a\nf(x=2) == 1", "yes"},
                  {"def f(a=1): return a\nif what(): f = what\nf(x=2) == 1", "unknown"}});
}

TEST_CASE("which arguments a call has is sure where they are written, whatever their values are") {
  check_outcomes(
      {{"def f(a=1): return a\nf(a=what(), x=2) == 1", "TypeError: f() got an unexpected keyword argument 'x'"},
       {"class A:\n  def __init__(self, a=1): pass\n@what\ndef g(): pass\nA(a=g, x=2) == 1",
        "TypeError: A.__init__() got an unexpected keyword argument 'x'"},
       {"def f(a): return 1\n@what\ndef g(): pass\nf(*[g]) == 1", "yes"}});
}

TEST_CASE("a __new__ that is followed runs, and what it makes is the instance") {
  const std::string base = "class A:\n  def __new__(cls, a=1): return super().__new__(cls)\n";
  const std::string derived =
      "class B(A):\n  def __new__(cls, *a, **k):\n    k['x'] = 1\n    return super(B, cls).__new__(cls, *a, **k)\n";
  check_outcomes(
      {{base + "A(a=2) is None", "no"},
       {base + "A(x=2) == 1", "TypeError: A.__new__() got an unexpected keyword argument 'x'"},
       {base + derived + "B() == 1", "TypeError: A.__new__() got an unexpected keyword argument 'x'"},
       {base + derived + "@what\nclass C(B): pass\nC() is None", "no"},
       {"class A:\n  def __new__(cls):\n    import b\n    return object.__new__(cls)\nA()\n1 == 1", "b.so, a.so"}});
}

TEST_CASE("a parameter that gets no value is an error, unless more arguments may be given") {
  const auto missing = [](const std::string& rest) { return "TypeError: f() missing " + rest; };
  check_outcomes({{"def f(a): return 1\nf() == 1", missing("1 required positional argument: 'a'")},
                  {"def f(a, b, c=1): return 1\nf() == 1", missing("2 required positional arguments: 'a' and 'b'")},
                  {"def f(a, b, c): return 1\nf() == 1", missing("3 required positional arguments: 'a', 'b', and 'c'")},
                  {"def f(a, *, b): return 1\nf(1) == 1", missing("1 required keyword-only argument: 'b'")},
                  {"def f(a, *, b): return 1\nf(b=1) == 1", missing("1 required positional argument: 'a'")},
                  {"class A:\n  def __init__(self, a): pass\nA() == 1",
                   "TypeError: A.__init__() missing 1 required positional argument: 'a'"},
                  {"class A:\n  def __init_subclass__(cls): pass\nclass B(A):\n  def __init_subclass__(cls): "
                   "super().__init_subclass__()\nclass C(B): pass\n1 == 1",
                   "yes"},
                  {"class A:\n  def g(self, a=1): return a\nA().g() == 1", "yes"},
                  {"def f(a, /, b): return b\nf(1, 2) == 2", "yes"},
                  {"def f(*a, **k): return 1\nf() == 1", "yes"},
                  {"def f(a): return 1\nf(*what()) == 1", "yes"},
                  {"def f(a): return 1\nf(**what()) == 1", "yes"},
                  {"@what\ndef f(a): return 1\nf() == 1", "yes"},
                  {"def f(a): return 1\ntry: f()\nexcept TypeError: r = 3\nr == 3", "yes"}});
}
