#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"

using namespace cudald;

namespace {

AnswerWorld world_of_builtins() {
  AnswerWorld world;
  world.add("p.py", "x = 1\nunsure = what()\n");
  world.add("listed.py", "def __dir__(): return ['made']\nx = 1\n");
  world.add("tricky.py", "setattr(what(), what(), 1)\nx = 1\n");
  world.add("ext.so");
  world.add("text.txt", "one\n");
  return world;
}

/// What code loads that is run as a module.
std::string loads_by_builtins(std::string_view code) { return loads_by(code, world_of_builtins()); }

constexpr std::string_view true_of_builtins[] = {
    "int('123456789012345') == 123456789012345",
    "len(range(1000)) == 1000 and len(range(0, 2000, 2)) == 1000",
    "len(range(0, 1999, 2)) == 1000",
    "range(3, 3) == [] and range(5, 1) == [] and range(1, 5, -1) == [] and range(5, 1, -3) == [5, 2]",
    "range(-9223372036854775807, 9223372036854775807, 9223372036854775807) == [-9223372036854775807, 0]",
    "len(sorted([1, 'a'])) == 2",
    "sorted(['b', 'a'], reverse=False) == ['a', 'b']",
    "list(enumerate(['a'], start=7))[0][0] == 7 and list(enumerate(['a']))[0][0] == 0",
    "list(enumerate(['a'], what()))[0][1] == 'a'",
    "list(enumerate(['a', 'b'], 9223372036854775807))[0][0] == 9223372036854775807",
    "max(2, 3) == 3 and max(3, 2) == 3 and min(2, 3) == 2 and min(3, 2) == 2 and max([1]) == 1",
    "dict({'a': 1}, a=2)['a'] == 2 and len(dict({'a': 1}, a=2)) == 1 and len(dict()) == 0",
    "list(zip([1, 2], [3])) == [[1, 3]] and list(zip()) == []",
    "list() == [] and tuple() == [] and set() == set()",
    "len(set([1, 1, 'a', 'a'])) == 2",
    "import p\nhasattr(p, 'x') and not hasattr(p, 'y')",
    "import p\ngetattr(p, 'y', 5) == 5 and getattr(p, 'x', 5) == 1",
    "import ext\nhasattr(sys, 'frozen') == False and hasattr(os, 'startfile') == False",
    "not hasattr(sys, 'pypy_version_info') and not hasattr(sys, 'gettotalrefcount')",
    "not hasattr(sys, 'OF_NOBODY')\nsys.OF_NOBODY = True\nhasattr(sys, 'OF_NOBODY')",
    "import builtins\nnot hasattr(builtins, '__OF_NOBODY')",
    "getattr(None, 'name', 5) == 5",
    "class C:\n  x = 1\nvars(C)\nC.x == 1",
    "class C:\n  def f(self): return getattr(self, 'lacks', 5)\nC().f() == 5",
    "getattr(sys, 'getandroidapilevel', 5) == 5 and getattr(os, 'startfile', 6) == 6",
    "import listed\n'made' in dir(listed) and 'x' not in dir(listed)",
    "import p\n'x' in dir(p) and 'y' not in dir(p)",
    "exec(what()) is None",
    "n = {}\nif what(): exec('y = 4', n)\n'y' not in n",
    "n = {'x': 1, 2: 3}\nexec('y = x + 1', n)\nn['y'] == 2 and n['x'] == 1",
    "compile('x = 1', 'f', 'exec') == 'x = 1' and compile(source='x') == 'x'",
    "open('/s/text.txt').read() == 'one\\n' and open(file='/s/text.txt').read() == 'one\\n'",
    "open('/s/text.txt', 'r').read() == 'one\\n' and open('/s/text.txt', mode='rt').read() == 'one\\n'",
    "import io\nio.open('/s/text.txt').read() == 'one\\n'",
    "str(-5) == '-5' and str('x') == 'x'",
};

constexpr std::string_view open_of_builtins[] = {
    "len() == 0",
    "str() == ''",
    "int() == 0",
    "int('f', 16) == 15",
    "list(5) == []",
    "reversed() == []",
    "sorted() == []",
    "enumerate() == []",
    "list(enumerate(['a'], what()))[0][0] == 0",
    "list(enumerate(['a', 'b'], 9223372036854775807))[1][0] < 0",
    "list(enumerate(['a'], start=what()))[0][0] == 0",
    "map(len) == []",
    "filter(len) == []",
    "next() == 1",
    "max() == 1",
    "max(5) == 5",
    "max([1, 'a']) == 1",
    "max(1, 2, default=3) == 2",
    "any() == 1",
    "range() == []",
    "len(range(1001)) == 1001",
    "len(range(0, 2002, 2)) == 1001",
    "range('a') == []",
    "dict(5) == {}",
    "dict(**what()) == {}",
    "getattr() == 1",
    "getattr(sys) == 1",
    "getattr(what(), 'a', 1) == 1",
    "getattr(sys, 'frozen') == 1",
    "getattr(os, 'other', 1) == 1",
    "hasattr()",
    "hasattr(sys)",
    "hasattr(sys, what())",
    "import ext\nhasattr(ext, 'x')",
    "import p\nhasattr(p, 'unsure')",
    "hasattr(what(), 'x')",
    "staticmethod() == 1",
    "classmethod(1) == 1",
    "property(what()) == 1",
    "open('text.txt').read() == ''",
    "open('/s').read() == ''",
    "open('/s/text.txt', 'a').read() == ''",
    "open('/s/text.txt', 'x').read() == ''",
    "open().read() == ''",
    "dir() == []",
    "dir(5) == []",
    "import ext\ndir(ext) == []",
    "import tricky\ndir(tricky) == ['x']",
    "compile() == ''",
    "compile(what(), 'f', 'exec') == ''",
};

}  // namespace

TEST_CASE("built-in functions give what Python's give, to the edges of what is kept") {
  check_answers(world_of_builtins(), true_of_builtins, "true");
}

TEST_CASE("what built-in functions make of too little, too much or other kinds of values is not known") {
  check_answers(world_of_builtins(), open_of_builtins, "open");
}

TEST_CASE("text that is no number raises an error") {
  AnswerWorld world;
  const std::string caught = "\nexcept ValueError: r = 2\nr == ";
  CHECK(world("try:\n  int('x')\n  r = 1" + caught + "2") == "true");
  CHECK(world("try:\n  int('x', 36)\n  r = 1" + caught + "1") == "true");
  CHECK(world("try:\n  int('')\n  r = 1" + caught + "2") == "true");
  for (const std::string text : {" 1", "1\\t", "1\\n", "1_0", "+1", "-1", "1234567890123456", "x234567890123456"}) {
    CAPTURE(text);
    CHECK(world("try:\n  int('" + text + "')\n  r = 1" + caught + "1") == "true");
  }
  CHECK(world("try:\n  int('x')\nexcept ValueError as e: r = str(e)\n"
              "r == \"invalid literal for int() with base 10: 'x'\"") == "true");
  CHECK(world("int('x')\n1") == "|ValueError: invalid literal for int() with base 10: 'x'");
  for (const std::string text : {"0+cu100", "1__0", "_1", "1.3", "-", "1 0"}) {
    CAPTURE(text);
    CHECK(world("int('" + text + "')\n1") == "|ValueError: invalid literal for int() with base 10: '" + text + "'");
  }
  CHECK(loads_by_builtins("if what():\n  int('x')\n  import a\n") == "a.so optional");
  CHECK(loads_by_builtins("try:\n  if what():\n    int('x')\n    import a\nexcept ValueError: pass\n") ==
        "a.so optional");
}

TEST_CASE("an iterator without items raises where somebody waits for that") {
  AnswerWorld world;
  CHECK(world("try:\n  next(iter([]))\n  r = 1\nexcept StopIteration: r = 2\nr == 2") == "true");
  CHECK(world("try:\n  r = next(iter([]), 3)\nexcept StopIteration: r = 2\nr == 3") == "true");
  CHECK(world("next(iter([]))\n1") == "|StopIteration");
  CHECK(loads_by_builtins("try:\n  if what():\n    next(iter([]))\n    import a\nexcept StopIteration: pass\n") ==
        "a.so optional");
}

TEST_CASE("text that is run as code imports, but not behind what is not known in a function") {
  CHECK(loads_by_builtins("exec('import a')\n") == "a.so");
  CHECK(loads_by_builtins("exec('import a', what())\n") == "a.so");
  CHECK(loads_by_builtins("exec('import a\\ny = 1', globals())\nif y: import b\n") == "a.so, b.so");
  CHECK(loads_by_builtins("n = {}\nexec('y = 1', globals(), n)\nif n['y']: import b\n") == "b.so");
  CHECK(loads_by_builtins("exec('import a', {1: 2})\n") == "a.so");
  CHECK(loads_by_builtins("exec('import a', {}, {})\n") == "a.so");
  CHECK(loads_by_builtins("exec(what())\nimport a\n") == "a.so");
  CHECK(loads_by_builtins("def f():\n  if what(): exec('import a')\nf()\n") == "");
  CHECK(loads_by_builtins("if what(): exec('import a')\n") == "a.so optional");
  auto world = world_of_builtins();
  world.add("m.py", "exec('\\nimport nowhere')\n");
  world.import("m");
  CHECK(world.result.error == "ModuleNotFoundError: No module named 'nowhere'");
  REQUIRE(world.result.missing.size() == 1);
  CHECK(world.result.missing[0].source == "/s/m.py");
  CHECK(world.result.missing[0].line == 2);
}

TEST_CASE("what a decorator binds a function to decides what it is called with") {
  AnswerWorld world;
  const std::string type =
      "class K:\n  kind = 'k'\n  @staticmethod\n  def s(x): return x\n  @classmethod\n  def c(cls): return cls.kind\n"
      "  @property\n  def p(self): return self.own\n  def i(self, x): return x\nclass L(K): kind = 'l'\n"
      "k = L()\nk.own = 7\n";
  CHECK(world(type + "K.s(1) == 1 and k.s(2) == 2") == "true");
  CHECK(world(type + "K.c() == 'k' and k.c() == 'l' and L.c() == 'l'") == "true");
  CHECK(world(type + "k.p == 7") == "true");
  CHECK(world(type + "K.p == 7") == "open");
  CHECK(world(type + "k.i(3) == 3 and K.i(k, 4) == 4") == "true");
}

TEST_CASE("what a module runs of code that is not known is told") {
  const auto told = [](const std::string& code) {
    ImportWorld world;
    world.add("m.py", code);
    world.import("m");
    std::string all;
    for (const auto& one : world.result.unfollowed) all += std::to_string(one.line) + " " + one.code + "; ";
    return all;
  };
  CHECK(told("exec(what())\n") == "1 exec(what()); ");
  CHECK(told("x = 1\nexec(what(), globals())\n") == "2 exec(what(), globals()); ");
  CHECK(told("def f(): exec(what())\nf()\n") == "");
  CHECK(told("exec('x = 1')\n") == "");
}

TEST_CASE("an attribute of a module whose name is not known may be a function of it, and binds no other name in it") {
  const auto error_of = [](const std::string& module, const std::string& asked) {
    ImportWorld world;
    world.add("p.py", "x = 1\nd = {}\n" + module);
    world.add("m.py", "import p\n" + asked);
    world.import("m");
    return world.result.error;
  };
  const auto lacks = "AttributeError: module 'p' has no attribute 'y'";
  const std::string asks = "getattr(p, what())\np.y\n";
  CHECK(error_of("", asks) == lacks);
  CHECK(error_of("", "for name in what(): getattr(p, name)\np.y\n") == lacks);
  CHECK(error_of("def f():\n  return d\n", asks) == lacks);
  CHECK(error_of("def f():\n  global y\n  y = 1\n", asks) == "");
  CHECK(error_of("def f():\n  globals()['y'] = 1\n", asks) == "");
  CHECK(error_of("def __getattr__(name):\n  raise AttributeError(\"module 'p' has no attribute 'y'\")\n", asks) ==
        lacks);
  CHECK(error_of("def __getattr__(name):\n  globals()[name] = 1\n  raise AttributeError('no ' + name)\n", asks) == "");
}

TEST_CASE("vars() of a class lets nobody change the class, but what it holds") {
  const auto error_of = [](const std::string& asked) {
    ImportWorld world;
    world.add("m.py", "class C:\n  x = [1]\n  n = 1\n" + asked + "if C.x[0] == 1: raise ValueError('x')\n");
    world.import("m");
    return world.result.error;
  };
  CHECK(error_of("'y' in vars(C)\n") == "");  // its list may have been changed
  CHECK(error_of("'y' in vars(C)\nif C.n == 1: raise TypeError('n')\n") == "TypeError: n");
}
