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

TEST_CASE("a class whose bases have metaclasses that are not derived from one another is an error") {
  const std::string metas =
                        "class M(type): pass\nclass N(type): pass\nclass O(M, N): pass\n"
                        "class A(metaclass=M): pass\nclass B(metaclass=N): pass\nclass C(metaclass=O): pass\n",
                    conflict =
                        "TypeError: metaclass conflict: the metaclass of a derived class must be a (non-strict) "
                        "subclass of the metaclasses of all its bases";
  CHECK(outcome(metas + "class D(A, B): pass\nTrue") == conflict);
  CHECK(outcome(metas + "class D(A, metaclass=N): pass\nTrue") == conflict);
  CHECK(outcome(metas + "class D(A): pass\nclass E(D, dict, B): pass\nTrue") == conflict);
  CHECK(outcome(metas + "class D(A, B, C): pass\nTrue") == conflict);
  CHECK(outcome(metas + "try:\n  class D(A, B): pass\nexcept TypeError:\n  x = 1\nx == 1") == "yes");
  for (const std::string fits :
       {"class D(C, A, B): pass", "class D(A, C): pass", "class D(A, dict): pass", "class D(A, what()): pass",
        "class D(A, B, metaclass=what()): pass", "class D(A, B, *what()): pass", "class D(A, B, metaclass=O): pass"})
    CHECK(outcome(metas + fits + "\nTrue") == "yes");
  const std::string makes =
      "class M(type):\n  def __new__(c, n, b, d): return what(n)\nclass N(type): pass\n"
      "class A(metaclass=M): pass\nclass B(metaclass=N): pass\n";
  CHECK(outcome(makes + "class D(A, B): pass\nTrue") == "yes");
  CHECK(outcome("if what():\n  class M(type): pass\n  class A(metaclass=M): pass\nelse: A = K\nclass N(type): pass\n"
                "class B(metaclass=N): pass\nclass D(A, B): pass\nTrue") == "yes");
}

TEST_CASE("a class with parameters is called as the class itself, also where another one is derived from it") {
  const auto ends = [](const std::string& code, const std::string& version = "3.11") {
    ImportWorld world;
    world.python.version = version;
    world.add("typing.py", "def TypeVar(n): pass\nclass Generic: pass\n");
    world.add("m.py", "import typing\nfrom typing import Generic, TypeVar\nT = TypeVar('T')\n" + code);
    world.import("m");
    return world.result.error;
  };
  const std::string a = "class A(Generic[T]):\n  def __init__(self, a=1): pass\n",
                    no_x = "TypeError: A.__init__() got an unexpected keyword argument 'x'";
  CHECK(ends(a + "A(x=2)\n") == no_x);
  CHECK(ends("class A(typing.Generic[T]):\n  def __init__(self, a=1): pass\nA(x=2)\n") == no_x);
  CHECK(ends(a + "class B(A[int]): pass\nB(x=2)\n") == no_x);
  CHECK(ends(a + "A(x=2)\n", "3.6") == "");
  CHECK(ends("class G:\n  def __class_getitem__(cls, k): return what\n" + a +
             "class B(A, G): pass\nclass C(B[int]): pass\nC(x=2)\n") == "");
  CHECK(ends("class A(what[T]):\n  def __init__(self, a=1): pass\nA(x=2)\n") == "");
}

TEST_CASE("python -OO leaves out docstrings, and -O what asserts and what asks for __debug__") {
  const auto under = [](const std::string& level, const std::string& code) {
    return outcome(code, [&](ImportWorld& world) { world.python.variables["PYTHONOPTIMIZE"] = level; });
  };
  const std::string no_format = "TypeError: unsupported operand type(s) for %: 'NoneType' and 'str'",
                    no_text = "AttributeError: 'NoneType' object has no attribute 'format'";
  CHECK(under("2", "class C:\n  'of %s'\nC.__doc__ % 'x'\nTrue") == no_format);
  CHECK(under("2", "def f():\n  'of {}'\nf.__doc__.format(1)\nTrue") == no_text);
  CHECK(under("2", "'of {}'\n__doc__.format(1)\nTrue") == no_text);
  CHECK(under("2", "def f():\n  'of %s'\nf.__doc__ += 'x'\nTrue") ==
        "TypeError: unsupported operand type(s) for +=: 'NoneType' and 'str'");
  CHECK(under("2", "def f():\n  'of %s'\nf.__doc__ = 'a %s'\nf.__doc__ % 'x' == 'a x'") == "yes");
  CHECK(under("1", "class C:\n  'of %s'\nC.__doc__ % 'x'\nTrue") == "yes");
  CHECK(under("2", "@what\nclass C:\n  'of %s'\nC.__doc__ % 'x'\nTrue") == "yes");
  for (const std::string level : {"1", "2", "yes"}) {
    CHECK(under(level, "assert False\nTrue") == "yes");
    CHECK(under(level, "__debug__") == "no");
  }
  CHECK(under("0", "assert False\nTrue") == "AssertionError at /s/m.py:4");
  CHECK(under("", "__debug__") == "yes");
}
