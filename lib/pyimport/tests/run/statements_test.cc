#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"

using namespace cudald;

namespace {

/// What a module loads that handles an exception of this kind so: "caught", or what is printed.
std::string handling(const std::string& raised, const std::string& handled) {
  AnswerWorld world;
  world.add("m.py", "import contextlib\ntry:\n  try:\n    raise " + raised + "('x')\n  except " + handled +
                        ":\n    import a\nexcept BaseException:\n  import b\n");
  const auto loads = world.import("m");
  return loads.starts_with("a.so") ? "caught" : loads == "b.so" ? "passed" : loads;
}

constexpr std::string_view true_of_statements[] = {
    "x = [1]\nfor i in range(300): x.append(i)\nlen(x) == 301",
    "for i in [1, 2]: pass\nelse: i = 'else'\ni == 'else'",
    "for i in [1, 2]: break\nelse: i = 'else'\ni == 1",
    "def f():\n  for i in [1, 2]:\n    for j in [3]: return i + j\nf() == 4",
    "n = 0\nwhile n < 299: n += 1\nn == 299",
    "n = 0\nwhile n < 3:\n  n += 1\n  if n == 2: break\nelse: n = 'else'\nn == 2",
    "n = 0\nwhile n < 3: n += 1\nelse: n = 'else'\nn == 'else'",
    "x = 5\nx -= 2\nx == 3",
    "x = 5\nx += 2\nx == 7",
    "x = 'a'\nx += 'b'\nx == 'ab'",
    "x = y = [1]\nx += [2]\ny == [1, 2]",
    "x = [1]\nx += x\nx == [1, 1]",
    "x: int = 4\nx == 4",
    "x = 1\nx: int\nx == 1",
    "x = [1, 2, 3]\ndel x[0]\nx == [2, 3]",
    "x = [1, 2, 3]\ndel x[-1], x[0]\nx == [2]",
    "x = [1]\ndel x[5]\nx == [1]",
    "d = {'a': 1, 'b': 2}\ndel d['a']\nlist(d) == ['b']",
    "os.environ['N'] = 'x'\ndel os.environ['N']\n'N' not in os.environ",
    "x = 1\ndef f():\n  del x\nf()\nx == 1",
    "x = 1\nclass C:\n  x = 2\n  del x\nx == 1",
    "def f(): pass\nf() is None",
    "def f(): return\nf() is None",
    "def f():\n  if 1: return 'a'\n  else: return 'b'\nf() == 'a'",
    "def f():\n  if 0: return 'a'\n  elif 0: return 'b'\n  return 'c'\nf() == 'c'",
    "if 0: x = 1\nelif 1: x = 2\nelif 1: x = 3\nelse: x = 4\nx == 2",
    "if what(): x = 1\nelif 1: x = 1\nelse: x = 3\nx == 1",
    "global_names = 1\ndef f():\n  global g, h\n  g = 1\n  h = 2\nf()\ng == 1 and h == 2",
    "assert what()\nx = 1\nx == 1",
    "d = {'N': 1}\ndel d['N']\nlen(d) == 0",
    "globals_of = 1\ndel globals()['x']\nglobals_of == 1",
    "def f():\n  global g\n  g = 1\n  global h\n  h = 2\nf()\ng == 1 and h == 2",
    "if 0: pass\nelif 0: pass\nelse: x = 3\nx == 3",
};

constexpr std::string_view open_of_statements[] = {
    "x = 0\nfor i in range(2001): x = 1\nx == 0",
    "for i in range(2001): pass\ni == 2000",
    "x = 0\nfor i in what(): pass\nelse: x = 1\nx == 0",
    "x = 0\nfor i in what(): x = 1\nx == 0",
    "n = 0\nwhile n < 2001: n += 1\nn == 2001",
    "x = 0\nwhile what(): pass\nelse: x = 1\nx == 0",
    "x = 5\nx *= 2\nx == 10",
    "x = 'a'\nx -= 'b'\nx == 'a'",
    "x = [1]\nx -= [1]\nx == []",
    "x = 'a'\nx += 1\nx == 'a'",
    "x = [1]\nx += 'ab'\nx == [1]",
    "x = 1\nif what(): x += 1\nx == 1",
    "x = 1\nif what(): x -= 1\nx == 1",
    "x = 'a'\nif what(): x += 'b'\nx == 'a'",
    "x = [1]\nif what(): x += [2]\nx == [1]",
    "d = {'a': 1}\ndel d[what()]\n'a' in d",
    "d = {'a': 1}\nif what(): del d['a']\n'a' in d",
    "os.environ['N'] = 'x'\nif what(): del os.environ['N']\n'N' in os.environ",
    "x = 0\nif what():\n  n = 0\n  while n < 2: n = x = 2\nx == 0",
    "def f():\n  if what(): return 'a'\n  return 'b'\nf() == 'b'",
    "def f():\n  if what(): return None\n  return 1\nf() is None",
    "def f():\n  if what(): return 2\n  return 1\nf() == 1",
    "def f():\n  if what(): return [2]\n  return [1]\nf() == [1]",
    "def f():\n  if what(): return {2: 1}\n  return {1: 1}\nlen(f()) == 1",
    "def f():\n  if what(): return True\n  return False\nf() == False",
    "async def f(): return 1\nf() == 1",
    "x: what() = what()\nx == 1",
};

}  // namespace

TEST_CASE("a handler takes its kind of exception and those that are of that kind") {
  struct Row {
    std::string raised, handled;
  };
  for (const auto& [raised, handled] : {
           Row{"ValueError", "ValueError"},
           Row{"ValueError", "Exception"},
           Row{"ValueError", "BaseException"},
           Row{"ValueError", "builtins.ValueError"},
           Row{"m.ValueError", "ValueError"},
           Row{"ModuleNotFoundError", "ImportError"},
           Row{"PackageNotFoundError", "ImportError"},
           Row{"PackageNotFoundError", "ModuleNotFoundError"},
           Row{"KeyError", "LookupError"},
           Row{"IndexError", "LookupError"},
           Row{"OSError", "EnvironmentError"},
           Row{"OSError", "IOError"},
           Row{"FileNotFoundError", "EnvironmentError"},
           Row{"FileNotFoundError", "IOError"},
           Row{"FileNotFoundError", "OSError"},
           Row{"NotImplementedError", "RuntimeError"},
           Row{"RecursionError", "RuntimeError"},
           Row{"UserWarning", "Warning"},
           Row{"KeyError", "(ValueError, KeyError)"},
       })
    CHECK(raised + " by " + handled + " " + handling(raised, handled) == raised + " by " + handled + " caught");
  for (const auto& [raised, handled] : {
           Row{"ValueError", "KeyError"},
           Row{"ImportError", "ModuleNotFoundError"},
           Row{"ValueError", "ImportError"},
           Row{"ValueError", "LookupError"},
           Row{"LookupError", "KeyError"},
           Row{"ValueError", "OSError"},
           Row{"OSError", "FileNotFoundError"},
           Row{"ValueError", "EnvironmentError"},
           Row{"ValueError", "IOError"},
           Row{"ValueError", "RuntimeError"},
           Row{"RuntimeError", "NotImplementedError"},
           Row{"ValueError", "Warning"},
           Row{"ImportError", "PackageNotFoundError"},
           Row{"KeyError", "(ValueError, IndexError)"},
           Row{"KeyError", "kinds[0]"},
           Row{"KeyError", "ModuleNotFoundError"},
       })
    CHECK(raised + " by " + handled + " " + handling(raised, handled) == raised + " by " + handled + " passed");
}

TEST_CASE("a handler without a kind takes all, and the first that fits is the one") {
  CHECK(loads_by("try:\n  raise ValueError('x')\nexcept:\n  import a\n") == "a.so");
  CHECK(loads_by("try:\n  raise ValueError('x')\nexcept KeyError:\n  import a\nexcept:\n  import b\n") == "b.so");
  CHECK(loads_by("try:\n  raise KeyError('x')\nexcept KeyError:\n  import a\nexcept:\n  import b\n") == "a.so");
  CHECK(loads_by("def f():\n  try:\n    raise ValueError('x')\n  except:\n    import a\nf()\n") == "a.so");
  CHECK(loads_by("try:\n  import nowhere\nfinally:\n  import a\nimport b\n") == "a.so");
  CHECK(loads_by("try:\n  try:\n    import nowhere\n  except ImportError:\n    raise\n  finally:\n"
                 "    import a\nexcept ImportError:\n  import b\n") == "a.so optional, b.so");
}

TEST_CASE("statements have the effects that Python's have, to the edge of what loops are followed") {
  check_answers(AnswerWorld(), true_of_statements, "true");
}

TEST_CASE("what statements do is open where they hang on what is not known") {
  check_answers(AnswerWorld(), open_of_statements, "open");
}

TEST_CASE("loads that failed are the causes of a failure behind them, each once") {
  AnswerWorld world;
  world.refused = {"x.so", "/s/a.so"};
  world.add("m.py",
            "import ctypes\ntry:\n  ctypes.CDLL('x.so')\nexcept OSError as e:\n  try:\n    raise e\n  except OSError:\n"
            "    raise ImportError('text')\n");
  world.import("m");
  CHECK(world.result.error == "ImportError: text");
  CHECK(world.result.causes == std::vector<std::size_t>{0});
}

TEST_CASE("an alias of a type is bound, and what it stands for is not known") {
  AnswerWorld world;
  world.python.version = "3.12";
  world.add("n.py", "type A[T] = dict[T, missing]\ntype B = A[int]\n");
  world.add("m.py", "from n import A, B\nimport a\nif A: import b\n");
  CHECK(world.import("m") == "a.so, b.so optional");
}

TEST_CASE("what is of no grammar ends the import before its first statement") {
  for (const auto* code : {"@a\nimport a\n", "import a\na b c\n", "cimport a\npass\nimport b\n",
                           "else:\n  import a\nimport b\n", "except ImportError: import a\n"})
    CHECK(loads_by(code) == "");
}

TEST_CASE("annotations of variables are evaluated where Python does that") {
  CHECK(loads_by("x: __import__('a')\n") == "a.so");
  CHECK(loads_by("x: __import__('a') = 1\n") == "a.so");
  CHECK(loads_by("from __future__ import annotations\nx: __import__('a') = __import__('b')\n") == "b.so");
  CHECK(loads_by("def f():\n  x: __import__('a') = __import__('b')\nf()\n") == "b.so");
}

TEST_CASE("a loop that is not followed to its end may return, and what is behind it is not sure") {
  CHECK(loads_by("def f():\n  for i in what(): return\n  import a\nf()\n") == "");
  CHECK(loads_by("def f():\n  while what(): return\n  import a\nf()\n") == "");
  CHECK(loads_by("for i in what(): import a\nimport b\n") == "a.so optional, b.so");
  CHECK(loads_by("while what(): import a\nelse: import b\n") == "a.so optional, b.so optional");
  CHECK(loads_by("for i in what(): pass\nelse: import b\n") == "b.so optional");
}

TEST_CASE("what a loop imports of items that may be there as well is told") {
  const auto told = [](const std::string& code) {
    ImportWorld world;
    world.add("a.so");
    world.add("m.py", "import importlib\nfrom importlib import import_module\nx = ['a']\nd = {'a': 1}\n" + code);
    auto text = world.import("m");
    for (const auto& one : world.result.unfollowed) text += ", " + std::to_string(one.line);
    return text;
  };
  const std::string loop = "\nfor i in x: import_module(i)", of_keys = "\nfor i in d: import_module(i)";
  CHECK(told("pass" + loop) == "a.so");
  CHECK(told("x.extend(what())" + loop) == "a.so, 6");
  CHECK(told("x.append(what())\nx.pop()" + loop) == "a.so");
  CHECK(told("if what(): x.append('b')" + loop) == "a.so, 6");
  CHECK(told("if what(): x.remove('a')" + loop) == "a.so");
  CHECK(told("if what(): x.clear()" + loop) == "a.so");
  CHECK(told("pass" + of_keys) == "a.so");
  CHECK(told("d.update(what())" + of_keys) == "a.so, 6");
  CHECK(told("d[what()] = 1" + of_keys) == "a.so, 6");
  CHECK(told("if what(): del d['a']" + of_keys) == "a.so");
  CHECK(told("d.pop(what(), 0)" + of_keys) == "a.so");
  CHECK(told("x.extend(what())\nfor i in x:\n  import_module(i)\n  break") == "a.so");
  CHECK(told("pass\n[import_module(i) for i in x]") == "a.so");
  CHECK(told("pass\n[import_module(i) for i in what()]") == ", 6");
  CHECK(told("pass\n{i: import_module(i) for i in what()}") == ", 6");
  CHECK(told("pass\n[import_module(i) for i in x if what(i)]") == "a.so optional");
  CHECK(told("pass\n[import_module(i) for k in what() for i in x]") == "a.so optional");
  CHECK(told("x.extend(what())\n[import_module(i) for i in x]") == "a.so, 6");
  CHECK(told("def load(i): import_module(i)\n[load(i) for i in what()]") == ", 5");
  CHECK(told("pass\n[what(i) for i in what()]") == "");
}

TEST_CASE("a module that takes itself out of sys.modules may put something else in its place") {
  AnswerWorld world;  // as twisted.internet.reactor does
  world.add("r.py",
            "import sys\ndel sys.modules['r']\nif 'r' in sys.modules: raise ValueError('there')\n"
            "sys.modules['r'] = what()\nimport b\n");
  world.add("m.py", "import r\nfrom r import anything\nimport a\n");
  CHECK(world.import("m") == "b.so, a.so");
  CHECK(world.result.imported);
}
