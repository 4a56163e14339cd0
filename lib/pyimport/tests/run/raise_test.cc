#include <optional>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"
#include "unit/machine/cache_file.h"

using namespace cudald;

namespace {

/// What a module loads, and how its import ends; a.so and x.so cannot be loaded.
std::string ending(const std::string& code, ImportResult* result = nullptr) {
  AnswerWorld world;
  world.refused = {"/s/a.so", "x.so"};
  world.found = std::set<std::string>();
  world.files.add_file("/etc/ld.so.cache", new_cache({}));
  world.add("c.so");
  world.add("m.py", code);
  const auto loads = world.import("m");
  if (result != nullptr) *result = world.result;
  return loads + "|" + world.result.error;
}

const std::string no_a = "ImportError: /s/a.so: cannot open shared object file";

}  // namespace

TEST_CASE("what a module raises itself ends its import") {
  CHECK(ending("raise ImportError('text')\nimport c\n") == "|ImportError: text");
  CHECK(ending("raise ModuleNotFoundError('text')\nimport c\n") == "|ModuleNotFoundError: text");
  CHECK(ending("raise OSError('text')\nimport c\n") == "|OSError: text");
  CHECK(ending("raise ImportError\nimport c\n") == "|ImportError at /s/m.py:1");
  CHECK(ending("raise ImportError()\nimport c\n") == "|ImportError at /s/m.py:1");
  CHECK(ending("\nraise ImportError(what())\nimport c\n") == "|ImportError at /s/m.py:2");
  CHECK(ending("raise ImportError('1.5')\nimport c\n") == "|ImportError at /s/m.py:1");
  CHECK(ending("raise builtins.ImportError('text')\nimport c\n") == "|ImportError: text");
  CHECK(ending("raise ValueError('text')\nimport c\n") == "|ValueError: text");
  CHECK(ending("if what(): raise ImportError('text')\nimport c\n") == "c.so|");
  CHECK(ending("def f(): raise ImportError('text')\nf()\nimport c\n") == "|ImportError: text");
  CHECK(ending("class C: raise ImportError('text')\nimport c\n") == "|ImportError: text");
  CHECK(ending("raise\nimport c\n") == "c.so|");
  CHECK(ending("try:\n  raise kinds[0]('x')\nexcept RuntimeError: import c\n") == "c.so|");
}

TEST_CASE("a text is no exception, as it was in Python 2") {
  CHECK(ending("raise 'no'\nimport c\n") == "|TypeError: exceptions must derive from BaseException");
  CHECK(ending("try: raise 'no'\nexcept TypeError: import c\n") == "c.so|");
  CHECK(ending("if what(): raise 'no'\nimport c\n") == "c.so|");
  CHECK(ending("def f(x): raise 'no %s' % x\nimport c\n") == "c.so|");
}

TEST_CASE("a long text tells by its first line that has a letter") {
  CHECK(ending("raise ImportError('''\n=====\n a b\nc\n''')\n") == "|ImportError: a b");
  CHECK(ending("raise ImportError('a\\nb')\n") == "|ImportError: a");
  CHECK(ending("raise ImportError('-- Z --')\n") == "|ImportError: -- Z --");
  CHECK(ending("raise ImportError('\\nz')\n") == "|ImportError: z");
}

TEST_CASE("a class that makes the text of its exceptions says what it made") {
  const std::string mixin =
      "class Mixin:\n  def __init__(self, message, code=None): self.message, self.code = message, code\n"
      "  def __str__(self): return self.message if self.code is None else f'{self.message}\\n\\nsee {self.code}'\n";
  CHECK(ending(mixin + "class E(Mixin, ImportError): pass\nraise E('gone')\n") == "|m.E: gone");
  CHECK(ending(mixin + "class E(Mixin, ImportError):\n  def __init__(self, text): super().__init__(text, code='e1')\n"
                       "raise E('gone')\n") == "|m.E: gone");
  CHECK(ending("class E(ImportError):\n  def __str__(self): return what(self)\nraise E('gone')\n") ==
        "|m.E at /s/m.py:3");
}

TEST_CASE("what a text says behind a command of pip is kept") {
  const auto advice = [](const std::string& text) {
    ImportResult result;
    ending("raise ImportError('''" + text + "''')\n", &result);
    return result.advice;
  };
  CHECK(advice("no x\nuse `pip install x y`, or not") == "x y");
  CHECK(advice("pip install x\nmore") == "x");
  CHECK(advice("no command") == "");
}

TEST_CASE("a load whose failure the handler prints or logs is one that the code misses") {
  const auto warned = [](const std::string& handler) {
    ImportResult result;
    ending("logger = warnings = what()\ntry:\n  import a\nexcept ImportError as e:\n" + handler, &result);
    return result.warned;
  };
  const std::vector<std::size_t> first{0};
  CHECK(warned("  logger.warning('no a: %r', e)\n") == first);
  CHECK(warned("  x = 1\n  warnings.warn('no a')\n") == first);
  CHECK(warned("  print('no a')\n") == first);
  CHECK(warned("  logger.debug('no a')\n").empty());
  CHECK(warned("  a = None\n").empty());
  CHECK(warned("  if what(): print('no a')\n").empty());
}

TEST_CASE("who asks a module for a name that its failed import would have bound fails since that load did") {
  const auto causes = [](const std::string& before) {
    AnswerWorld world;
    world.refused = {"/s/a.so"};
    world.add("k.py", before + "try:\n  from a import *\nexcept ImportError: pass\n");
    world.add("m.py", "from k import Options\n");
    world.import("m");
    return world.result.causes;
  };
  CHECK(causes("") == std::vector<std::size_t>{0});
  CHECK(causes("Options = 1\n").empty());
}

TEST_CASE("what a handler raises of a failure that was found ends the import, whatever its kind") {
  const std::string head = "try:\n  import a\nexcept ImportError as e:\n  ";
  ImportResult result;
  CHECK(ending(head + "raise\n", &result) == "a.so optional|" + no_a);
  CHECK(result.causes == std::vector<std::size_t>{0});
  CHECK_FALSE(result.unexplained);
  CHECK(ending(head + "raise e\n") == "a.so optional|" + no_a);
  CHECK(ending(head + "raise ValueError('text') from e\n", &result) == "a.so optional|ValueError: text");
  CHECK(result.causes == std::vector<std::size_t>{0});
  CHECK(ending(head + "raise ValueError(what())\n") ==
        "a.so optional|ValueError at /s/m.py:4, raised because of " + no_a);
  CHECK(ending(head + "raise ValueError(str(e))\n") ==
        "a.so optional|ValueError: /s/a.so: cannot open shared object file");
  CHECK(ending(head + "raise make()\nimport c\n") == "a.so optional|make at /s/m.py:4, raised because of " + no_a);
  CHECK(ending(head + "if what(): raise ValueError('text')\nimport c\n") == "a.so optional, c.so|");
  CHECK(ending("def f(): raise ValueError('text')\n" + head + "f()\nimport c\n") == "a.so optional|ValueError: text");
  CHECK(ending("import ctypes\ntry:\n  ctypes.CDLL('x.so')\nexcept OSError as e:\n  raise ValueError('text')\n") ==
        "x.so optional|ValueError: text");
  CHECK(ending("try:\n  raise KeyError('x')\nexcept KeyError:\n  raise ValueError('text')\nimport c\n") ==
        "|ValueError: text");
}

TEST_CASE(
    "what a function raises after a load that it caught, or a search in vain, ends the import in spite of doubts") {
  // What pathlib gives may be a path or a text for isinstance, so what follows is in doubt.
  const std::string doubt = "  if not isinstance(name, str): return\n";
  ImportResult result;
  CHECK(ending("import ctypes, pathlib\ndef f(name):\n" + doubt +
                   "  try:\n    return ctypes.CDLL(name)\n  except OSError: pass\n  raise OSError('text')\n"
                   "f(pathlib.Path('x.so').name)\nimport c\n",
               &result) == "x.so optional|OSError: text");
  CHECK(result.causes == std::vector<std::size_t>{0});
  CHECK(ending("import ctypes.util, pathlib\ndef f(name):\n" + doubt +
               "  path = ctypes.util.find_library(name)\n  if path is None: raise OSError('text')\n"
               "f(pathlib.Path('absent').name)\nimport c\n") == "|OSError: text");
  const std::string raises = "import pathlib\ndef f(name):\n" + doubt + "  raise OSError('text')\n";
  CHECK(ending(raises + "f(pathlib.Path('x').name)\nimport c\n") == "c.so|");
  CHECK(ending(raises + "f('x')\nimport c\n") == "|OSError: text");
  CHECK(ending("import ctypes, pathlib\ndef f(name):\n  try:\n    return ctypes.CDLL(name)\n  except OSError: pass\n"
               "  if what(): raise OSError('text')\nf(pathlib.Path('x.so').name)\nimport c\n") ==
        "x.so optional, c.so|");
}

TEST_CASE("what a class inherits is in doubt where a metaclass may have made something else of it") {
  const auto head = [](const std::string& method) {
    return "class M(type):\n  def " + method +
           "(*a): return what()\nclass A(metaclass=M):\n  x = None\nclass B(A): pass\n";
  };
  CHECK(ending(head("__new__") + "for i in B.x: pass\nimport c\n") == "c.so|");
  CHECK(ending(head("__instancecheck__") + "for i in B.x: pass\nimport c\n") ==
        "|TypeError: 'NoneType' object is not iterable");
  CHECK(ending("class A:\n  x = None\nclass B(A): pass\nfor i in B.x: pass\nimport c\n") ==
        "|TypeError: 'NoneType' object is not iterable");
}

TEST_CASE("of what is raised one by way of another the first is told") {
  CHECK(ending("try:\n  try:\n    import a\n  except ImportError:\n    raise ValueError(what())\nexcept ValueError:\n"
               "  raise KeyError(what())\n") == "a.so optional|KeyError at /s/m.py:7, raised because of " + no_a);
  ImportResult result;
  CHECK(ending("import ctypes\ntry:\n  ctypes.CDLL('x.so')\nexcept OSError:\n  try:\n    import a\n"
               "  except ImportError:\n    raise\n",
               &result) == "x.so optional, a.so optional|" + no_a);
  CHECK(result.causes == std::vector<std::size_t>{1, 0});
  CHECK(ending("import ctypes\ntry:\n  ctypes.CDLL('x.so')\nexcept OSError as e:\n  raise\n", &result) ==
        "x.so optional|OSError: x.so: cannot open shared object file");
  CHECK(result.causes == std::vector<std::size_t>{0});
}

TEST_CASE("the text of an exception is that of the one that is handled, if it has one") {
  AnswerWorld world;
  CHECK(world("try: raise ValueError('t')\nexcept ValueError as e: r = str(e)\nr == 't'") == "true");
  CHECK(world("try: raise ValueError\nexcept ValueError as e: r = str(e)\nr == 't'") == "open");
  CHECK(world("try: raise ValueError('t')\nexcept ValueError as e: pass\nstr(e) == 't'") == "open");
  CHECK(world("try: raise ValueError('t')\nexcept ValueError as e: r = str(os.environ)\nr == 't'") == "open");
}

TEST_CASE("an exception that is raised of no failure leaves the import unexplained") {
  ImportResult result;
  ending("raise ImportError('text')\n", &result);
  CHECK(result.unexplained);
  CHECK(result.causes.empty());
}

TEST_CASE(
    "an error that explains itself, and one that is waited for, is told though code before it was taken not to raise") {
  const auto ends = [](const std::string& last, const std::string& code) {
    AnswerWorld world;
    world.refused = {"/s/a.so"};
    world.files.add_folder("/s/n/space");
    world.add("n/__init__.py", "@what\ndef f(): raise ValueError('first')\nf()\n" + last);
    world.add("m.py", code);
    return world.import("m") + "|" + world.result.error;
  };
  CHECK(ends("from n.space import x\n", "import n\n") == "|ValueError: first");
  CHECK(ends("from n.space import x\n", "try: import n\nexcept ImportError: import b\n") == "b.so|");
  CHECK(ends("from q import x\n", "import n\n") == "|ModuleNotFoundError: No module named 'q'");
  CHECK(ends("import a\n", "import n\n") == "a.so|" + no_a);
}
