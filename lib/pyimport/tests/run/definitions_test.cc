#include <string>

#include <doctest/doctest.h>

#include "pyimport/tests/code_outcome.h"

using namespace cudald;

TEST_CASE("decorators are asked from the last to the first, and one of which nothing is known changes nothing") {
  check_outcomes(
      {{"def one(f): return [1, f]\ndef two(f): return [2, 0]\n@one\n@two\ndef f(): pass\nf == [1, [2, 0]]", "yes"},
       {"def none(f): pass\n@none\ndef f(): return 1\nf() == 1", "yes"},
       {"@what()\ndef f(): return 1\nf() == 1", "yes"},
       {"def one(c): return [1]\n@one\nclass C: pass\nC == [1]", "yes"},
       {"n = []\ndef d(k):\n  n.append(k)\n  return lambda f: [k, f]\n"
        "@d(1)\n@d(2)\ndef f(): return 3\n(n, f[0], f[1][0]) == ([1, 2], 1, 2)",
        "yes"}});
}

TEST_CASE("a function that an unknown decorator has taken is no decorator that is sure to run") {
  const auto told = [](const std::string& first) {
    ImportWorld world;
    world.add("a.so");
    world.add("m.py", first + "def decorate(f, x=None):\n  import a\n@decorate\ndef f(): return 1\n");
    auto loaded = world.import("m");
    for (const auto& one : world.result.unfollowed) loaded += " " + one.code;
    return loaded;
  };
  CHECK(told("") == "a.so");
  CHECK(told("@what()\n") == " import a");
}

TEST_CASE("a class has the name that it is given") {
  check_outcomes({{"class C: pass\nC.__name__ == 'C'", "yes"},
                  {"class C: pass\nC.__name__ = 'other.name'\nC.__name__ == 'other.name'", "yes"}});
}

TEST_CASE("classes have the names of their body, of their bases, and their own name") {
  check_outcomes({{"class C:\n  x = 1\n  y = x + 1\nC.y == 2", "yes"},
                  {"class B:\n  x = 1\nclass C(B): pass\nC().x == 1", "yes"},
                  {"class A:\n  x = 1\nclass B:\n  x = 2\nclass C(A, B): pass\nC.x == 1", "yes"},
                  {"class C:\n  class D:\n    def f(self): return 1\nC.D().f() == 1", "yes"},
                  {"x = 5\nclass C:\n  x = 1\nx == 5", "yes"},
                  {"x = 5\nclass C:\n  x = 1\n  def f(self): return x\nC().f() == 5", "yes"},
                  {"def f(x):\n  class C:\n    y = x\n  return C.y\nf(3) == 3", "yes"},

                  {"hasattr(K, 'other')", "no"},
                  {"class C(what()): pass\nhasattr(C, 'other')", "unknown"},
                  {"class C(K, metaclass=what()): pass\nC.size == 1", "yes"}});
}

TEST_CASE("the bodies of classes are run where their definition is, and not where a function may not come to it") {
  CHECK(outcome("def f():\n  class C: import b\nf()\n1") == "b.so, a.so");
  CHECK(outcome("def f():\n  if what():\n    class C: import b\nf()\n1") == "yes");
  CHECK(outcome("if what():\n  class C: import b\n1") == "b.so optional, a.so");
}

TEST_CASE(
    "a base's __init_subclass__ gets the class and its keywords but for the metaclass, the nearest base's alone") {
  const std::string base =
      "n = []\nclass B:\n  def __init_subclass__(cls, **k): n.append((cls.x, len(k), k.get('part')))\n";
  check_outcomes(
      {{base + "class C(B, part='a'): x = 1\nn == [(1, 1, 'a')]", "yes"},
       {base + "class C(B, metaclass=type, part='a'): x = 1\nn == [(1, 1, 'a')]", "yes"},
       {base + "class C(B): x = 1\nn == [(1, 0, None)]", "yes"},
       {base + "class C: x = 1\nn == []", "yes"},
       {base + "class C(B): x = 1\nclass D(C, part=2): x = 3\nn == [(1, 0, None), (3, 1, 2)]", "yes"},
       {base + "class E:\n  def __init_subclass__(cls): n.append(5)\nclass C(E, B): x = 1\nn == [5]", "yes"},
       {base + "class E(B):\n  x = 1\n  __init_subclass__ = 5\nclass C(E): x = 1\nn == [(1, 0, None)]", "yes"}});
}

TEST_CASE("of the first hundred classes that a class has one may have a say") {
  const auto loads = [](int distance) {
    std::string code = "class C0:\n  def __init_subclass__(cls): pass\n";
    for (int i = 1; i < distance; ++i)
      code += "class C" + std::to_string(i) + "(C" + std::to_string(i - 1) + "): pass\n";
    return outcome("n = []\n" + code + "def tell(cls): n.append(1)\nC0.__init_subclass__ = tell\nclass Last(C" +
                   std::to_string(distance - 1) + "): pass\nn == [1]");
  };
  CHECK(loads(99) == "yes");
  CHECK(loads(100) == "no");
}

TEST_CASE("a rule may stand for a base's __init_subclass__") {
  const auto with_rule = [](ImportWorld& world) {
    world.rules = R"({"standard_library": {"names": ["sys", "os", "ctypes", "importlib", "json"]},
      "libraries": {"rows": {}}, "rules": [
        {"call": "m.B.__init_subclass__", "source": "test", "steps": [{"load": "libx.so"}]}]})";
  };
  const std::string base = "class B:\n  pass\n";
  CHECK(outcome(base + "class C(B): pass\n1", with_rule) == "libx.so, a.so");
  CHECK(outcome(base + "class C: pass\n1", with_rule) == "yes");
  CHECK(outcome(base + "def f():\n  if what():\n    class C(B): pass\nf()\n1", with_rule) == "yes");
  // Of the class itself it says nothing, and it comes before the code.
  CHECK(outcome("class B:\n  def __init_subclass__(cls): import b\nclass C(B): pass\n1", with_rule) == "libx.so, a.so");
}

TEST_CASE("a class of Cython's sources may have more members, whatever the source is called") {
  const auto loads = [](const std::string& suffix) {
    ImportWorld world;
    world.add("a.so");
    world.add("c.so", std::string("x\0cython_runtime\0x", 18));
    world.add("c.pyx", "include 'part" + suffix + "'\n");
    world.add("part" + suffix, "class Doc:\n  pass\nif hasattr(Doc, 'tensor'):\n  import a\n");
    return world.import("c");
  };
  CHECK(loads(".pxi") == "c.so, a.so optional");
  CHECK(loads(".pyx") == "c.so, a.so optional");
  CHECK(loads(".txt") == "c.so");
}

TEST_CASE("defaults are computed once, when the function is defined") {
  check_outcomes({{"x = 1\ndef f(a=x): return a\nx = 2\nf() == 1", "yes"},
                  {"def f(a=[]):\n  a.append(1)\n  return len(a)\nf()\nf() == 2", "yes"},
                  {"f = lambda a=K.size: a\nK.size = 5\nf() == 1", "yes"}});
}

TEST_CASE("a dataclass refuses a default that can change: a list, or since Python 3.11 one without a hash") {
  const auto error = [](const std::string& code, const std::string& version = "3.11") {
    ImportWorld world;
    world.python.version = version;
    world.rules =
        R"({"standard_library": {"names": ["dataclasses", "typing"]}, "rules": [], "libraries": {"rows": {}}})";
    world.add("m.py", "from dataclasses import dataclass, field\nfrom typing import ClassVar\n" + code);
    world.import("m");
    return world.result.error;
  };
  const auto refused = [](const std::string& kind) {
    return "ValueError: mutable default <class '" + kind + "'> for field x is not allowed: use default_factory";
  };
  CHECK(error("@dataclass\nclass C:\n  x: list = []\n", "3.9") == refused("list"));
  CHECK(error("@dataclass(frozen=True)\nclass C:\n  x: dict = {}\n") == refused("dict"));
  CHECK(error("@dataclass\nclass C:\n  x: ClassVar[list] = []\n  y = []\n  z: tuple = ()\n") == "");
  CHECK(error("@dataclass\nclass C:\n  x: list = field(default_factory=list)\n") == "");
  const std::string own = "@dataclass\nclass A:\n  y: int = 1\n@dataclass\nclass C:\n  x: A = A()\n";
  CHECK(error(own) == refused("m.A"));
  CHECK(error(own, "3.10") == "");
  CHECK(error("@dataclass(frozen=True)\nclass A:\n  y: int = 1\n@dataclass\nclass C:\n  x: A = A()\n") == "");
  CHECK(error("class A: pass\n@dataclass\nclass C:\n  x: A = A()\n") == "");
  CHECK(error("def dataclass(c): return c\n@dataclass\nclass C:\n  x: list = []\n") == "");
}
