#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"

using namespace cudald;

namespace {

/// How the import of a module ends that runs this code, and what it loads behind that.
std::string ends(const std::string& code) {
  AnswerWorld world;
  world.refused = {"none.so"};
  world.add("n.py", "__version__ = '2'\nother = 1\n");
  world.add("m.py", "import ctypes, os\n" + code + "\nimport b\n");
  return world.import("m") + "|" + world.result.error;
}

/// The same where the standard library is at hand, so that the names of Python are known.
std::string ends_with_library(const std::string& code) {
  AnswerWorld world;
  world.python.path = {"/l", "/s"};
  world.files.add_file("/l/os.py", "");
  world.add("m.py", "import os, sys\nwhat = sys.other\n" + code + "\nimport b\n");
  return world.import("m") + "|" + world.result.error;
}

const std::string works = "b.so|";

}  // namespace

TEST_CASE("an exception that is certainly reached ends the import, wherever it is raised") {
  CHECK(ends("raise RuntimeError('x')") == "|RuntimeError: x");
  CHECK(ends("class E(ValueError): pass\nraise E('x')") == "|m.E: x");
  CHECK(ends("def f(n):\n  if n > 2: raise TypeError('n')\nf(3)") == "|TypeError: n");
  CHECK(ends("class C:\n  def __init__(self): raise IndexError('x')\nC()") == "|IndexError: x");
  CHECK(ends("try: raise KeyError('x')\nexcept KeyError: raise RuntimeError('y')") == "|RuntimeError: y");
  CHECK(ends("assert 1 > 2, 'x'") == "|AssertionError: x");
  CHECK(ends("None.x") == "|AttributeError: 'NoneType' object has no attribute 'x'");
  CHECK(ends("x = None\nx[0]") == "|TypeError: 'NoneType' object is not subscriptable");
  CHECK(ends("x = {'a': 1}\nx['b']") == "|KeyError: 'b'");
  CHECK(ends("for i in None: pass") == "|TypeError: 'NoneType' object is not iterable");
}

TEST_CASE("None is no path, text, number or list, and a variable that is not set is None") {
  const std::string no_path = "expected str, bytes or os.PathLike object, not NoneType",
                    no_stat = "stat: path should be string, bytes, os.PathLike or integer, not NoneType";
  for (const auto* function : {"os.path.join", "os.path.dirname", "os.path.basename", "os.path.split",
                               "os.path.splitext", "os.path.abspath", "os.path.normpath", "os.path.realpath",
                               "os.path.expanduser", "os.path.expandvars", "os.path.isabs", "os.fspath", "open"}) {
    CAPTURE(function);
    CHECK(ends(std::string(function) + "(None)") == "|TypeError: " + no_path);
  }
  for (const auto* function : {"exists", "isfile", "isdir"})
    CHECK(ends("os.path." + std::string(function) + "(None)") == "|TypeError: " + no_stat);
  CHECK(ends("os.path.lexists(None)") ==
        "|TypeError: lstat: path should be string, bytes or os.PathLike, not NoneType");
  CHECK(ends("os.path.join('a', None)") ==
        "|TypeError: join() argument must be str, bytes, or os.PathLike object, not 'NoneType'");
  CHECK(ends("import pathlib\npathlib.Path(None)") == "|TypeError: " + no_path);
  CHECK(ends("int(None)") ==
        "|TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'");
  CHECK(ends("float(None)") == "|TypeError: float() argument must be a string or a real number, not 'NoneType'");
  CHECK(ends("float('1.5')\nfloat(what())\nfloat()") == works);
  CHECK(ends("'a' in None") == "|TypeError: argument of type 'NoneType' is not iterable");
  CHECK(ends("len(None)") == "|TypeError: object of type 'NoneType' has no len()");
  CHECK(ends("'a' + None") == "|TypeError: can only concatenate str (not \"NoneType\") to str");
  CHECK(ends("x = 'a'\nx += None") == "|TypeError: can only concatenate str (not \"NoneType\") to str");
  // What is listed there is the current directory, and the answer of Windows is another one.
  CHECK(ends("os.listdir(None)") == works);
  CHECK(ends("os.path.join('a', what())") == works);
  CHECK(ends("x = None\nif what(): x = 'a'\nos.path.join(x, 'b')") == works);
  CHECK(ends("try: os.path.join(None)\nexcept TypeError: pass") == works);
}

TEST_CASE("newer releases of Python say it in other words") {
  ImportWorld world;
  const auto end_in = [&](const std::string& version, const std::string& code) {
    world.python.version = version;
    return end_of_modules({{"m.py", "import os, pathlib\n" + code + "\n"}}, world);
  };
  CHECK(end_in("3.9", "int(None)") ==
        "TypeError: int() argument must be a string, a bytes-like object or a number, not 'NoneType'");
  CHECK(end_in("3.9", "float(None)") == "TypeError: float() argument must be a string or a number, not 'NoneType'");
  CHECK(end_in("3.12", "pathlib.Path('a', None)") ==
        "TypeError: argument should be a str or an os.PathLike object where __fspath__ returns a str, not 'NoneType'");
  CHECK(end_in("3.14", "'a' not in None") == "TypeError: argument of type 'NoneType' is not a container or iterable");
  CHECK(end_in("3.13", "os.path.normpath(None)") ==
        "TypeError: _path_normpath: path should be string, bytes or os.PathLike, not NoneType");
}

TEST_CASE("an error of None names the variable that is not set") {
  for (const std::string code : {"os.path.join(os.environ.get('LIBRARY_HOME'), 'lib')", "os.getenv('LIBRARY_HOME')[0]",
                                 "os.environ.get('LIBRARY_HOME', None).split(':')", "int(os.getenv('LIBRARY_HOME'))",
                                 "float(os.environ.get('LIBRARY_HOME'))", "'/opt' + os.getenv('LIBRARY_HOME')",
                                 "'a' in os.getenv('LIBRARY_HOME')", "for x in os.getenv('LIBRARY_HOME'): pass"}) {
    CAPTURE(code);
    ImportWorld world;
    world.add("m.py", "import os\nvalue = None\n" + code + "\n");
    world.import("m");
    CHECK_FALSE(world.result.error.empty());
    REQUIRE(world.result.notes.size() == 1);
    CHECK(world.result.notes[0] == std::string(needs_variable) + "LIBRARY_HOME" + std::string(not_set));
  }
}

TEST_CASE("what may as well not be raised ends nothing") {
  CHECK(ends("if what.random() > 2: raise RuntimeError('x')") == works);
  CHECK(ends("def f(n):\n  if n: return 1\n  raise ValueError('x')\nf(what.random())") == works);
  CHECK(ends("try: raise KeyError('x')\nexcept LookupError: pass") == works);
  CHECK(ends("class E(ValueError): pass\nclass F(E): pass\ntry: raise F('x')\nexcept E: pass") == works);
  CHECK(ends("try: raise RuntimeError('x')\nexcept what.kinds: pass") == works);
  CHECK(ends("class E(ValueError): pass\nkinds = (ImportError, E)\ntry: import gone\nexcept kinds: pass") == works);
  CHECK(ends("class E(ValueError): pass\nkinds = (ImportError, E)\ntry: raise E('x')\nexcept kinds: pass") == works);
  CHECK(ends("with what.context(): raise RuntimeError('x')") == works);
  CHECK(ends("@what.changed\ndef f(): raise RuntimeError('x')\nf()") == works);
  CHECK(ends("assert what.random() > 2") == works);
  CHECK(ends("if what.random() > 2:\n  import lost\n  from n import other as one\nclass C(one): pass") == works);
  CHECK(ends("x = all(f() for f in [])\ndef g(): raise ValueError\ny = (g() for i in [1])") == works);
}

TEST_CASE("a function that runs before its module has bound a name does not find it") {
  const std::string lacks = "|NameError: name 'log' is not defined";
  CHECK(ends_with_library("def f():\n  log.info('x')\nf()\nlog = 1") == lacks);
  CHECK(ends_with_library("def f():\n  log('x')\nf()\ndef log(x): pass") == lacks);
  CHECK(ends_with_library(
            "def f():\n  try:\n    import gone\n  except ImportError as e:\n    log.info(e)\nf()\nlog = 1") == lacks);
  CHECK(ends_with_library("def f():\n  log[0]\nf()\nclass log: pass") == lacks);
}

TEST_CASE("a name that something else may have bound by then is not known to be missing") {
  CHECK(ends_with_library("def f():\n  log.info('x')\nlog = sys\nf()") == works);
  CHECK(ends_with_library("def f():\n  log.info('x')\nlog = 1") == works);
  CHECK(ends_with_library("def f():\n  log.info('x')\ntry: f()\nexcept NameError: pass\nlog = 1") == works);
  CHECK(ends_with_library("def f():\n  log.info('x')\nif what(): f()\nlog = 1") == works);
  CHECK(ends_with_library("def f(log):\n  log.info('x')\nf(what())\nlog = 1") == works);
  CHECK(ends_with_library("def f():\n  log = what()\n  def g(): log.info('x')\n  g()\nf()\nlog = 1") == works);
  CHECK(ends_with_library("def f():\n  log.info('x')\ndef g():\n  global log\n  log = os\nwhat(g)\nf()\nlog = 1") ==
        works);
  CHECK(ends_with_library("if what():\n  log = 1\ndef f():\n  log.info('x')\nf()\nlog = 1") == works);
  CHECK(ends_with_library("def f():\n  log.info('x')\nfor log in what(): pass\nf()\nlog = 1") == works);
  CHECK(ends_with_library("def f():\n  import sys as log\n  log.info('x')\nf()\nlog = 1") == works);
  CHECK(ends_with_library("from what import *\ndef f():\n  log.info('x')\nf()\nlog = 1") !=
        "|NameError: name 'log' is not defined");
  CHECK(ends_with_library("def f():\n  log.info('x')\nf()") == works);
}

TEST_CASE("what code that is not followed can reach is no longer known") {
  const std::string head = "d = {}\ndef add(*k): d['x'] = 1\n", asks = "\nif 'x' not in d: raise ImportError('lost')";
  for (const std::string call :
       {"what.call(add)", "what.call(d)", "what.call(d.setdefault)", "getattr(what, 'c')(add)", "sorted([1], key=add)",
        "x = {what.choice(['a']): add}\nx['a']('x')", "what.x = add", "what.x[0] = add",
        "class V:\n  def __init__(self): self.d = d\nwhat.call(V())", "what.call(what.partial(add, 1))",
        "class V:\n  def on(self): d['x'] = 1\ngetattr(V(), what.choice(['on']))()"}) {
    CAPTURE(call);
    CHECK(ends(head + call + asks) == works);
  }
  CHECK(ends(head + "what.call(1)" + asks) == "|ImportError: lost");
  CHECK(ends("n = 0\ndef f():\n  global n\n  n = 1\nwhat.call(f)\nif n == 0: raise ImportError('lost')") == works);
  CHECK(ends("a = []\nwhat.call(a)\nif not a: raise ImportError('lost')") == works);
}

TEST_CASE("what a function gives hangs on its arguments as far as its body uses them") {
  const std::string head = "class P: name = 'a'\np = P()\nx = [1]\nwhat.call(p, x)\n",
                    raises = ": raise RuntimeError('x')";
  CHECK(ends(head + "def d(q):\n  def e(f)" + raises + "\n  return e\n@d(p)\ndef g(): pass") == "|RuntimeError: x");
  CHECK(ends(head + "def d(q): return 1\nif d(p) == 1" + raises) == "|RuntimeError: x");
  for (const std::string body :
       {"return q.name == 'a'", "return len(y) == 1", "return [i for i in y] == [1]", "return 1 in y",
        "if q.name == 'a': return True\n  return False", "r = False\n  for i in y: r = True\n  return r",
        "global r\n  r = q.name == 'a'\n  return True", "return y and True", "return bool(y)",
        "try: y.index(3)\n  except ValueError: return True\n  return False",
        "try: y[1]\n  except IndexError: return True\n  return False",
        "try: q.other\n  except AttributeError: return True\n  return False", "return getattr(q, 'name') == 'a'",
        "while y: return True\n  return False", "k = {'a': q.name}\n  return k['a'] == 'a'"}) {
    CAPTURE(body);
    const bool is_global = body.starts_with("global");
    CHECK(ends(head + "def d(q, y):\n  " + body + "\nif d(p, x)" + (is_global ? " and r" : "") + raises) == works);
    CHECK(ends(head + "def d(*a, **k):\n  q, y = a[0], k['y']\n  " + body + "\nif d(p, y=x)" +
               (is_global ? " and r" : "") + raises) == works);
  }
}

TEST_CASE("an attribute of an instance in the place of a method changes nothing else of it") {
  const auto with = [](const std::string& decorators) {
    return ends("class P:\n  name = 'a'\n  " + decorators + "def m(self, v=1): pass\np = P()\np.m = 1\n" +
                "if p.name == 'a': raise RuntimeError('x')");
  };
  CHECK(with("") == "|RuntimeError: x");
  CHECK(with("@property\n  ") == works);
  CHECK(with("@what.changed\n  ") == works);
}

TEST_CASE("what a block sets that may as well have run is in doubt, and no other attribute of the same object") {
  const std::string before =
      "class C: pass\nc = C()\nc.a = 1\nc.b = [2]\nd = [1]\nos.other(d)\nif d: pass\nelse:\n  c.a = 5\n  c.n = 6\n";
  CHECK(ends(before + "if c.b[0] == 2: raise ValueError('x')") == "|ValueError: x");
  CHECK(ends(before + "if c.a == 1: raise ValueError('x')") == works);
  CHECK(ends(before + "try: c.n\nexcept AttributeError: raise ValueError('x')") == works);
}

TEST_CASE("which release a module is, no code changes") {
  const std::string head = "import n\nwhat.call(n)\nif n.";
  CHECK(ends(head + "other == 1: raise RuntimeError('x')") == works);
  CHECK(ends(head + "__version__ == '2': raise RuntimeError('x')") == "|RuntimeError: x");
}

TEST_CASE("where a call that is not followed may have raised something that is caught, the rest is in doubt") {
  CHECK(ends("x = 0\ntry:\n  what.call()\n  x = 1\nexcept ValueError: pass\nif x: raise RuntimeError('x')") == works);
  CHECK(ends("x = 0\ntry:\n  what.call()\nexcept ValueError: x = 1\nif not x: raise RuntimeError('x')") == works);
  CHECK(ends("x = 0\ntry:\n  x = 1\nexcept ValueError: pass\nif x: raise RuntimeError('x')") == "|RuntimeError: x");
}

TEST_CASE("so it is where a value that is not known may lack what the code expects to miss") {
  const auto attempt = [](const std::string& statement, const std::string& kind) {
    return ends("x = 0\ntry:\n  " + statement + "\n  x = 1\nexcept " + kind + ": pass\nif x: raise RuntimeError('x')");
  };
  for (const auto& [statement, kind] :
       {std::pair("what['a']", "KeyError"), std::pair("what[0]", "IndexError"), std::pair("what.a", "AttributeError"),
        std::pair("what.a = 1", "AttributeError"), std::pair("what['a'] = 1", "TypeError"),
        std::pair("del what['a']", "KeyError"), std::pair("a, b = what", "ValueError"),
        std::pair("a = int(what)", "ValueError"), std::pair("a = next(what)", "StopIteration"),
        std::pair("a = getattr(what, 'a')", "AttributeError"), std::pair("a = what + 1", "TypeError"),
        std::pair("a = 1 / what", "ZeroDivisionError"), std::pair("a = what < 1", "TypeError"),
        std::pair("for a in what: pass", "TypeError"), std::pair("assert what", "AssertionError")}) {
    CHECK(attempt(statement, kind) == works);
    CHECK(attempt(statement, "ImportError") == "|RuntimeError: x");  // of that nobody catches it
  }
  CHECK(attempt("a = what is None", "TypeError") == "|RuntimeError: x");
  CHECK(attempt("a = getattr(what, 'a', 1)", "AttributeError") == "|RuntimeError: x");
}

TEST_CASE("behind a condition that is not known an attempt fails all the same, if what stands there cannot raise") {
  const auto attempt = [](const std::string& body) {
    return ends("class C: pass\nc = C()\nc.x = None\ndef f():\n  if what: " + body +
                "\n  return 1\ntry:\n  f()\n  raise KeyError('k')\n  c.x = 1\nexcept KeyError: pass\n"
                "if c.x is None: raise RuntimeError('x')");
  };
  for (const auto* body : {"pass", "a = 1", "return", "return 2"}) CHECK(attempt(body) == "|RuntimeError: x");
  for (const auto* body : {"what.call()", "raise KeyError('a')", "import n", "a = 1 / what", "a = {}['k']"})
    CHECK(attempt(body) == works);
}

TEST_CASE("what a function binds for itself is known in it, also where it may as well not be called") {
  const std::string head =
      "class C: pass\nc = C()\nc.x = None\ndef g(t):\n  a, b = t.split('.')\n  if int(a) < 7: c.call()\n"
      "def f():\n  if what: return\n  g('8.6')\n";
  CHECK(ends(head + "try:\n  f()\n  raise KeyError('k')\nexcept KeyError: pass\nif c.x is None: raise "
                    "RuntimeError('x')") == "|RuntimeError: x");
}

TEST_CASE("a text is known to equal another one, although its letters stand elsewhere as bytes") {
  CHECK(ends("a = b'<'\nif '<' == '<': raise RuntimeError('x')") == "|RuntimeError: x");
  CHECK(ends("a = b'<'\nif a == '<': raise RuntimeError('x')") == works);
}

TEST_CASE("of several libraries the first that loads is taken, and the error is raised where none does") {
  const std::string head = "def load():\n  for n in ['none.so', ";
  const std::string rest =
      "]:\n    try: return ctypes.CDLL(n)\n    except OSError: pass\n  raise ImportError('no')\nload()";
  CHECK(ends(head + "'a.so'" + rest) == "none.so optional, a.so optional, b.so|");
  CHECK(ends(head + "'none.so'" + rest) == "none.so optional, none.so optional|ImportError: no");
}
