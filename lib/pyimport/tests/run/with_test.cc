#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"

using namespace cudald;

namespace {

constexpr std::string_view true_of_contexts[] = {
    "x = 1\nwith open('/s/a.so') as f: x = 2\nx == 2",
    "import contextlib\n@contextlib.contextmanager\ndef c(): yield 7\nwith c() as x: pass\nx == 7",
    "def g():\n  yield 7\nwith g() as x: pass\nx == 7",
    "import importlib.resources\nwith importlib.resources.as_file('/s/a.so') as x: pass\nx == '/s/a.so'",
    "from importlib.resources import as_file\nwith as_file('/s/a.so') as x: pass\nx == '/s/a.so'",
    "import contextlib, importlib.resources\ns = contextlib.ExitStack()\n"
    "s.enter_context(importlib.resources.as_file('/x')) == '/x'",
    "import contextlib\ndef c(): yield 7\nwith contextlib.ExitStack() as s: x = s.enter_context(c())\nx == 7",
    "class C:\n  def __enter__(self): return 7\nwith C() as x: pass\nx == 7",
    "class C:\n  def __enter__(self): return self\n  n = 3\nwith C() as x: pass\nx.n == 3",
    "class C:\n  def __init__(self, n): self.n = n\n  def __enter__(self): return self.n\n"
    "with C(1) as x, C(2) as y: pass\nx == 1 and y == 2",
    "class C:\n  def __exit__(self, a, b, c): log.append(a is None and b is None and c is None)\n"
    "log = []\nwith C(): log.append(1)\nlog == [1, True]",
    "class C:\n  def __init__(self, n): self.n = n\n  def __exit__(self, a, b, c): log.append(self.n)\n"
    "log = []\nwith C(1), C(2): pass\nlog == [2, 1]",
    "class C:\n  def __exit__(self, a, b, c): log.append(1)\nlog = []\n"
    "try:\n  with C():\n    raise KeyError()\nexcept KeyError: log.append(2)\nlog == [1, 2]",
    "class C:\n  def __exit__(self, a, b, c): log.append(1)\nlog = []\n"
    "def f():\n  with C(): return 5\nf() == 5 and log == [1]"};

constexpr std::string_view open_of_contexts[] = {
    "with what() as x: pass\nx == 1",
    "with os.environ as x: pass\nx == 1",
    "def g(): yield from what()\nwith g() as x: pass\nx == 1",
    "with open('/s/absent') as f: pass\nf.read() == ''",
    "def g():\n  yield 7\n  yield 8\nwith g() as x: pass\nx == 7",
    "import importlib.resources\nwith importlib.resources.as_file(what()) as x: pass\nx == 1",
    "import contextlib\ns = contextlib.ExitStack()\ns.enter_context(what()) == 1",
    "import contextlib\ns = contextlib.ExitStack()\ns.enter_context() == 1",
    "class C:\n  n = 1\nwith C() as x: pass\nx == 1",
    "with C as x: pass\nx == 1"};

}  // namespace

TEST_CASE("a with statement binds what its context gives, and leaves it") {
  check_answers(AnswerWorld(), true_of_contexts, "true");
}

TEST_CASE("what a context gives is open where that is not known") {
  check_answers(AnswerWorld(), open_of_contexts, "open");
}

TEST_CASE("what a context imports as it is entered and left is imported") {
  const std::string both = "class C:\n  def __enter__(self): import a\n  def __exit__(self, *all): import b\n";
  CHECK(loads_by(both + "with C(): pass\n") == "a.so, b.so");
  CHECK(loads_by(both + "with C(): import nowhere\n") == "a.so, b.so");
}

TEST_CASE("where a context puts code in the place of __import__, its block imports nothing that is known") {
  const std::string own =
      "import builtins, contextlib\ndef make(name, *rest): return 1\n@contextlib.contextmanager\ndef replaced():\n"
      "  before = builtins.__import__\n  builtins.__import__ = make\n  try: yield\n"
      "  finally: builtins.__import__ = before\n";
  CHECK(loads_by(own + "with replaced():\n  import nowhere\n  from nowhere import x\nimport a\n") == "a.so");
  CHECK(loads_by(own + "with replaced(): pass\nimport nowhere\nimport a\n") == "");
  const std::string object = "import builtins\nclass C: pass\ndef make(name, *rest): return C()\n";
  CHECK(loads_by(object + "builtins.__import__ = make\nimport nowhere\nimport a\n") == "");
  CHECK(loads_by(object + "import a\nbuiltins.__import__ = make\nfrom nowhere import x\n") == "a.so");
}

TEST_CASE("contextlib.suppress takes the kinds that it is given, whatever it is called by") {
  const std::string with = "import contextlib\nfrom contextlib import suppress\nwith ";
  CHECK(loads_by(with + "suppress(ImportError):\n  import nowhere\nimport a\n") == "a.so");
  CHECK(loads_by(with + "contextlib.suppress(ImportError):\n  import nowhere\nimport a\n") == "a.so");
  CHECK(loads_by(with + "suppress(KeyError, ImportError):\n  import nowhere\nimport a\n") == "a.so");
  CHECK(loads_by(with + "suppress(KeyError):\n  import nowhere\nimport a\n") == "");
  CHECK(loads_by(with + "x.suppressed(ImportError):\n  import nowhere\nimport a\n") == "");
  CHECK(loads_by(with + "suppress(ImportError):\n  import a\n  import nowhere\n  import b\n") == "a.so optional");
  CHECK(loads_by("suppress = 1\nwith suppress:\n  import nowhere\nimport a\n") == "");
}
