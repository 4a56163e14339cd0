#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "pyimport/tests/code_outcome.h"

using namespace cudald;

namespace {

const std::string nul_byte(1, '\0');

/// What ends the import of "m", or what it loads, where these modules are; a.so and b.so are there as well.
std::string end_of_import(const std::vector<std::pair<std::string, std::string>>& files,
                          const std::string& name = "m") {
  ImportWorld world;
  for (const auto& [path, text] : files) world.add(path, text);
  for (const auto* library : {"a.so", "b.so"}) world.add(library);
  const auto loads = world.import(name);
  return world.result.error.empty() ? loads : world.result.error;
}

/// The lines that are told of a module: what it may import behind a condition that is not known.
std::string left_out(const std::string& code) {
  ImportWorld world;
  for (const auto* name : {"a.so", "b.so", "n/d.so", "n/e.so", "m.so", "p/__init__.py"}) world.add(name);
  world.add("n/__init__.py", "known = 1\n");
  world.add("plain.py");
  world.add("p/m.py", "import n, plain\n" + code);
  world.import("p.m");
  std::string all = world.result.error;
  for (const auto& one : world.result.unfollowed) {
    CHECK(one.kind == Unfollowed::Kind::condition);
    CHECK(one.source == "/s/p/m.py");
    CHECK(one.module == "p.m");
    all += std::to_string(one.line) + (one.certain ? " certain " : " ") + one.code + "; ";
  }
  return all;
}

std::string in_function(const std::string& statement, const std::string& last = "") {
  return "def f():\n  if what():\n    " + statement + "\nf()\n" + last;
}

}  // namespace

TEST_CASE("names are bound as the statement says") {
  const auto with_package = [](ImportWorld& world) {
    world.add("p/__init__.py", "x = 1\n");
    world.add("p/q.py", "y = 2\n");
  };
  check_outcomes({{"import p.q\np.q.y == 2", "yes"},
                  {"import p.q as r\nr.y == 2", "yes"},
                  {"import p.q as r\nq = 5\nq == 5", "yes"},
                  {"p = 5\nimport p.q as r\np == 5", "yes"},
                  {"from p import x\nx == 1", "yes"},
                  {"from p import x as z\nz == 1", "yes"},
                  {"x = 5\nfrom p import x as z\nx == 5", "yes"},
                  {"from p import q\nq.y == 2", "yes"},
                  {"from p.q import y\ny == 2", "yes"}},
                 with_package);
}

TEST_CASE("`cython` is a word to the compiler in sources of compiled modules, and a module elsewhere") {
  const std::string text =
      "import cython\nimport cython.parallel\nfrom cython import x\nfrom cython.parallel import y\n";
  const auto loads = [&](const std::string& source, const std::string& code) {
    ImportWorld world;
    world.add("cython/__init__.py", "import a\n");
    world.add("cython/parallel.py");
    world.add("cythonic.py", "import b\n");
    for (const auto* name : {"a.so", "b.so"}) world.add(name);
    if (source == "m.pyx") world.add("m.so", nul_byte + "cython_runtime" + nul_byte);
    world.add(source, code);
    return world.import("m");
  };
  CHECK(loads("m.pyx", text) == "m.so");
  CHECK(loads("m.pyx", "import cython, cythonic\n") == "m.so, b.so optional");
  CHECK(loads("m.py", "import cython\n") == "a.so");
  CHECK(loads("m.py", "from cython import x\n") == "a.so");
  CHECK(loads("m.py", "import cython.parallel\n") == "a.so");
}

TEST_CASE("an import that is left out is told once for its line, if nothing else imports the module") {
  CHECK(left_out(in_function("import a")) == "4 import a; ");
  CHECK(left_out(in_function("import a", "import a\n")) == "");
  CHECK(left_out("import a\n" + in_function("import a")) == "");
  CHECK(left_out(in_function("import absent")) == "");
  CHECK(left_out(in_function("import a, b")) == "4 import a, b; ");
  CHECK(left_out(in_function("import absent, b")) == "4 import absent, b; ");
  CHECK(left_out(in_function("import a", "f()\n")) == "4 import a; ");
  CHECK(left_out(in_function("import a\n    import b")) == "4 import a; 5 import b; ");
  CHECK(left_out(in_function("import a", "def g():\n  if what(): import a\ng()\n")) ==
        "4 import a; 7 if what(): import a; ");
}

TEST_CASE("of names that are imported from a package those are told that may be its modules") {
  CHECK(left_out(in_function("from n import d")) == "4 from n import d; ");
  CHECK(left_out(in_function("from n import known")) == "");
  CHECK(left_out(in_function("from n import known, d")) == "4 from n import known, d; ");
  CHECK(left_out(in_function("from n import absent")) == "");
  CHECK(left_out(in_function("from plain import d")) == "");
  CHECK(left_out(in_function("from n import d", "import n.d\n")) == "");
  CHECK(left_out(in_function("from a import x")) == "4 from a import x; ");
  CHECK(left_out(in_function("from ... import m")) == "");
}

TEST_CASE("of imports that are left out 200 are told") {
  const auto count = [](int lines) {
    ImportWorld world;
    std::string code = "def f():\n  if what():\n";
    for (int i = 0; i < lines; ++i) {
      world.add("a" + std::to_string(i) + ".so");
      code += "    import a" + std::to_string(i) + "\n";
    }
    world.add("m.py", code + "f()\n");
    world.import("m");
    return world.result.unfollowed.size();
  };
  CHECK(count(199) == 199);
  CHECK(count(201) == 200);
}

TEST_CASE("what two files leave out on the same line is told of each") {
  ImportWorld world;
  for (const auto* name : {"a.so", "b.so"}) world.add(name);
  for (const auto* name : {"n", "o"}) world.add(std::string(name) + ".py", in_function("import a"));
  world.add("r.py", in_function("import b"));
  world.add("m.py", "import n, o, r\n");
  world.import("m");
  std::vector<std::string> sources;
  for (const auto& one : world.result.unfollowed) sources.push_back(one.source);
  CHECK(sources == std::vector<std::string>{"/s/n.py", "/s/o.py", "/s/r.py"});
}

TEST_CASE("of imports that are left out 2000 are noted, modules that are not there among them") {
  const auto is_told = [](int others) {
    std::string code = "def f():\n  if what():\n";
    for (int i = 0; i < others; ++i) code += "    import absent" + std::to_string(i) + "\n";
    ImportWorld world;
    world.add("a.so");
    world.add("m.py", code + "    import a\nf()\n");
    world.import("m");
    return world.result.unfollowed.size() == 1;
  };
  CHECK(is_told(1999));
  CHECK_FALSE(is_told(2000));
}

TEST_CASE("what the standard library leaves out is not told") {
  ImportWorld world;
  world.python.path = {"/lib", "/s"};
  world.files.add_file("/lib/os.py", "");
  world.files.add_file("/lib/std.py", in_function("import a"));
  world.add("a.so");
  world.add("m.py", "import std\n");
  world.import("m");
  CHECK(world.result.unfollowed.empty());
}

TEST_CASE("a relative import leads to the package, one level up for each dot more, and not beyond the top") {
  CHECK(end_of_import({{"p/__init__.py", "from . import a\n"}, {"p/a.so", ""}}, "p") == "p/a.so");
  CHECK(end_of_import({{"p/__init__.py", ""}, {"p/m.py", "from . import a\n"}, {"p/a.so", ""}}, "p.m") == "p/a.so");
  CHECK(end_of_import({{"p/__init__.py", ""}, {"p/q/__init__.py", "from .. import a\n"}, {"p/a.so", ""}}, "p.q") ==
        "p/a.so");
  CHECK(end_of_import({{"p/__init__.py", ""},
                       {"p/q/__init__.py", ""},
                       {"p/q/m.py", "from ..r import a\n"},
                       {"p/r/__init__.py", ""},
                       {"p/r/a.so", ""}},
                      "p.q.m") == "p/r/a.so");
  const std::string beyond = "ImportError: attempted relative import beyond top-level package";
  const std::string outside = "ImportError: attempted relative import with no known parent package";
  CHECK(end_of_import({{"m.py", "from . import a\n"}}) == outside);
  CHECK(end_of_import({{"m.py", "__import__('a', globals(), None, [], 1)\n"}}) == outside);
  CHECK(end_of_import({{"p/__init__.py", ""}, {"p/m.py", "from .. import a\n"}}, "p.m") == beyond);
  CHECK(end_of_import({{"p/__init__.py", "from .. import a\n"}}, "p") == beyond);
  CHECK(end_of_import({{"p/__init__.py", "__import__('a', globals(), None, [], 100)\n"}, {"a.so", ""}}, "p") == beyond);
  CHECK(end_of_import({{"p/__init__.py", "from ..a import x\n"}}, "p") == beyond);
}

TEST_CASE("a part of a package is imported where the package has no value of that name that is known") {
  CHECK(end_of_import({{"p/__init__.py", "x = 1\n"}, {"p/x.so", ""}, {"m.py", "from p import x\n"}}) == "");
  CHECK(end_of_import({{"p/__init__.py", ""}, {"p/x.so", ""}, {"m.py", "from p import x\n"}}) == "p/x.so");
  CHECK(end_of_import({{"p/__init__.py", "def __getattr__(name): return what()\n"},
                       {"p/x.so", ""},
                       {"m.py", "from p import x\n"}}) == "p/x.so");
  CHECK(end_of_import({{"p/__init__.so", ""}, {"p/x.so", ""}, {"m.py", "from p import x\n"}}) ==
        "p/__init__.so, p/x.so");
  CHECK(
      end_of_import({{"p.py", ""}, {"p/x.so", ""}, {"m.py", "try: from p import x\nexcept ImportError: import b\n"}}) ==
      "b.so");
  CHECK(end_of_import({{"p/__init__.py", "x = what()\n"}, {"p/x.so", ""}, {"m.py", "from p import x\n"}}) == "");
}

TEST_CASE("a name that is missing is an error with Python's words where it is certain and counts") {
  const std::string caught = "try:\n  from n import x\nexcept ImportError as e:\n  raise ImportError(f'got: {e}')\n";
  CHECK(end_of_import({{"n.py", ""}, {"m.py", caught}}) ==
        "ImportError: got: cannot import name 'x' from 'n' (/s/n.py)");
  CHECK(end_of_import({{"n.py", "x = 1\n"}, {"m.py", caught + "import a\n"}}) == "a.so");
  CHECK(end_of_import({{"n.py", "setattr(what(), what(), 1)\n"}, {"m.py", caught + "import a\n"}}) == "a.so");
  // Its own names a package knows, as far as it has come.
  const std::string partial =
      "ImportError: cannot import name 'x' from partially initialized module 'p' (most likely due to a circular "
      "import) (/s/p/__init__.py)";
  CHECK(end_of_import({{"p/__init__.py", "from p import x\nimport a\n"}}, "p") == partial);
  CHECK(end_of_import({{"p/__init__.py", "from p import x\nsetattr(what(), what(), 1)\nimport a\n"}}, "p") == partial);
  CHECK(end_of_import({{"p/__init__.py", "setattr(what(), what(), 1)\nfrom p import x\nimport a\n"}}, "p") == "a.so");
  CHECK(end_of_import({{"p/__init__.py", "if what(): from p import x\nimport a\n"}}, "p") == "a.so");
  CHECK(end_of_import({{"p/__init__.py", "from p import m\nx = 1\n"}, {"p/m.py", "from p import x\nimport a\n"}},
                      "p") == "a.so");
  // A file of the user's own that is called like the package that others mean: no order of imports gives it the name.
  const auto mine = [](const std::string& end) {
    return end_of_import({{"p.py", "import n\n" + end}, {"n.py", "from p import Name\n"}, {"q.py", "Name = 1\n"}}, "p");
  };
  CHECK(mine("import a\n") ==
        "ImportError: cannot import name 'Name' from partially initialized module 'p' (most likely due to a circular "
        "import) (/s/p.py)");
  for (const auto* later :
       {"class Name: pass\n", "from q import *\n", "setattr(what(), what(), 1)\n", "exec(what())\n"})
    CHECK(mine(later + std::string("import a\n")) == "a.so");
}

TEST_CASE("a module has __all__ where it binds it") {
  CHECK(end_of_import({{"n.py", "x = 1\n"}, {"m.py", "import n\nfor i in n.__all__: pass\n"}}) ==
        "AttributeError: module 'n' has no attribute '__all__'");
  CHECK(end_of_import({{"n.py", "__all__ = ['x']\n"}, {"m.py", "import n\nn.__all__\nimport a\n"}}) == "a.so");
  CHECK(end_of_import({{"n.py", "globals()[what()] = 1\n"}, {"m.py", "import n\nn.__all__\nimport a\n"}}) == "a.so");
}

TEST_CASE("what a module never binds is missing though nobody expects it, as far as that is sure") {
  const auto ends = [](const std::string& text) {
    return end_of_import({{"n.py", text}, {"m.py", "from n import x\nimport a\n"}});
  };
  const std::string missing = "ImportError: cannot import name 'x' from 'n' (/s/n.py)";
  CHECK(ends("") == missing);
  CHECK(ends("y = 1\n") == missing);
  CHECK(ends("import os\ny = os.x\n# x\n'x'\n") == missing);
  // A branch that was not taken, and what binds names unseen.
  for (const auto* text : {"if False: x = 1\n", "def f():\n  global x\n  x = 1\n", "setattr(what(), what(), 1)\n",
                           "globals()[what()] = 1\n", "exec(what())\n"})
    CHECK(ends(text).find("ImportError") == std::string::npos);
  CHECK(end_of_import({{"n.py", ""}, {"m.py", "if what(): from n import x\nimport a\n"}}) == "a.so");
  CHECK(end_of_import({{"n.py", ""}, {"m.py", "from n import __doc__\nimport a\n"}}) == "a.so");
  CHECK(end_of_import({{"n.so", ""}, {"m.py", "from n import x\nimport a\n"}}) == "n.so, a.so");
}

TEST_CASE("a module whose __getattr__ raises an AttributeError lacks the name") {
  const auto ends = [](const std::string& text) {
    return end_of_import({{"n.py", text}, {"m.py", "from n import x\nimport a\n"}});
  };
  const std::string missing = "ImportError: cannot import name 'x' from 'n' (/s/n.py)";
  const std::string raises = "  raise AttributeError(name)\n", function = "def __getattr__(name):\n";
  CHECK(ends(function + raises) == missing);
  CHECK(ends(function + "  if name == 'x': return 1\n" + raises) == "a.so");
  CHECK(ends(function + "  if what(): return 1\n" + raises) == "a.so");
  CHECK(ends(function + "  try: return globals()[name]\n  except KeyError:\n  " + raises) == missing);
  CHECK(ends("globals()['x'] = 1\n" + function + raises) == "a.so");
  CHECK(ends("g = globals()\ng['x'] = 1\n" + function + raises) == "a.so");
  CHECK(ends("g = globals()\ng['y'] = 1\n" + function + raises) == missing);
  CHECK(ends(function + "  g = globals()\n  if name in g: return g[name]\n" + raises) == missing);
  CHECK(ends("def f():\n  global x\n  x = 1\nf()\n" + function + raises) == "a.so");
  // Names that are bound and not known.
  for (const auto* text : {"globals()[what()] = 1\n", "globals().update(what())\n",
                           "import sys\nsetattr(sys.modules[__name__], what(), 1)\n", "exec(what())\n",
                           "take(globals())\n", "g = globals()\ng[what()] = 1\n", "vars()['x'] = 1\n"})
    CHECK(ends(text + function + raises).find("ImportError") == std::string::npos);
  // It says that it had the name once, whatever else it binds.
  for (const auto* text : {"globals()[what()] = 1\n", "from a import *\n", "take(globals())\n"}) {
    CHECK(ends(text + function + "  raise AttributeError(f'{name} was removed in 2.0')\n") == missing);
    CHECK(ends(text + function + "  raise AttributeError(f'no {name}.\\nIt was an alias, removed in 2.0')\n") ==
          missing);
    CHECK(end_of_import({{"n.py", text + function + "  raise AttributeError(f'`n.{name}` was removed')\n"},
                         {"m.py", "import n\ndef f(): return n.x\nf()\n"}}) == "AttributeError: `n.x` was removed");
  }
}

TEST_CASE("a __getattr__ says by an ImportError that a name is gone") {
  const auto ends = [](const std::string& raised, const std::string& code = "from n import x\nimport a\n") {
    return end_of_import({{"n.py", "from e import GoneImportError, Gone\ndef tell(name): " + raised +
                                       "\ndef __getattr__(name): return tell(name)\n"},
                          {"e.py", "class GoneImportError(ImportError): pass\nclass Gone(ValueError): pass\n"},
                          {"m.py", code}});
  };
  CHECK(ends("raise GoneImportError(name + ' is gone')") == "e.GoneImportError: x is gone");
  CHECK(ends("raise ImportError('gone')") == "ImportError: gone");
  CHECK(ends("raise Gone('gone')") == "e.Gone: gone");
  CHECK(ends("raise ImportError('gone')", "import n\nn.x\nimport a\n") == "ImportError: gone");
  CHECK(ends("raise ImportError('gone')", "if what(): from n import x\nimport a\n") == "a.so");
  CHECK(ends("\n  if what(): raise ImportError('gone')") == "a.so");
}

TEST_CASE("six.moves has winreg on Windows alone") {
  const auto ends = [](const std::string& name) {
    return end_of_import({{"six.py",
                           "import sys\nclass Importer:\n  def find_spec(self, name, path, target=None): return self\n"
                           "sys.meta_path.append(Importer())\n"},
                          {"m.py", "import six\ntry:\n  from six.moves import " + name +
                                       "\n  import a\nexcept ImportError: import b\n"}});
  };
  CHECK(ends("winreg") == "b.so");
}

TEST_CASE("code goes through sys.modules, and puts modules there under other names") {
  const auto loads = [](const std::string& names) {
    return end_of_import(
        {{"p/__init__.py", ""},
         {"p/x.py", "import a\n"},
         {"q.py", "import sys, p.x\nfor m in " + names +
                      ":\n  if m == 'p' or m.startswith('p.'): sys.modules['q.' + m] = sys.modules[m]\n"},
         {"m.py", "import q\nfrom q.p.x import anything\nimport b\n"}});
  };
  for (const auto* names :
       {"list(sys.modules)", "sys.modules.copy()", "list(sys.modules.keys())", "tuple(sys.modules)"}) {
    CAPTURE(names);
    CHECK(loads(names).find("ModuleNotFoundError") == std::string::npos);
  }
  CHECK(loads("[]") == "ModuleNotFoundError: No module named 'q.p'");
}

TEST_CASE("an attribute that a module lacks is an error where that is as sure") {
  const auto ends = [](const std::string& text, const std::string& code = "import n\nn.x\nimport a\n") {
    return end_of_import({{"n.py", text}, {"p/__init__.py", ""}, {"p/x.py", ""}, {"m.py", code}});
  };
  const std::string missing = "AttributeError: module 'n' has no attribute 'x'";
  CHECK(ends("") == missing);
  CHECK(ends("x = 1\n") == "a.so");
  CHECK(ends("if False: x = 1\n") == "a.so");
  CHECK(ends("setattr(what(), what(), 1)\n") == "a.so");
  CHECK(ends("", "import n\nif what(): n.x\nimport a\n") == "a.so");
  CHECK(ends("", "import n\nn.x = 1\nn.x\nimport a\n") == "a.so");
  CHECK(ends("", "import n\ntry: n.x\nexcept AttributeError: import b\nimport a\n") == "b.so, a.so");
  CHECK(ends("", "import n\nhasattr(n, 'x')\ngetattr(n, 'x', 1)\nimport a\n") == "a.so");
  CHECK(ends("", "import n\nn.__doc__\nimport a\n") == "a.so");
  const std::string raises = "def __getattr__(name): raise AttributeError('gone: ' + name)\n";
  CHECK(ends(raises) == "AttributeError: gone: x");
  CHECK(ends("def __getattr__(name):\n  if name == 'x': return 1\n  raise AttributeError(name)\n") == "a.so");
  // A part that nobody has imported is no name.
  CHECK(ends("", "import p\np.x\nimport a\n") == "AttributeError: module 'p' has no attribute 'x'");
  CHECK(ends("", "import p\np.y\nimport a\n") == "AttributeError: module 'p' has no attribute 'y'");
}

TEST_CASE("a compiled module of the same package may bind names of its other modules, if it holds them") {
  const auto ends = [](const std::string& extension, const std::string& held) {
    return end_of_import({{"p/__init__.py", ""},
                          {"p/n.py", ""},
                          {extension, "..." + held + nul_byte},
                          {"m.py", "import p.ext, pq\nfrom p.n import x\nimport a\n"},
                          {"p/ext.py", "from p import fast\n"},
                          {"p/fast.py", ""},
                          {"pq.py", ""}});
  };
  const std::string missing = "ImportError: cannot import name 'x' from 'p.n' (/s/p/n.py)";
  CHECK(ends("p/fast.so", "x") == "p/fast.so, a.so");
  CHECK(ends("p/fast.so", "index") == "p/fast.so, a.so");  // it may end another text
  CHECK(ends("p/fast.so", "xy") == missing);
  CHECK(ends("p/fast.so", "cython_runtime" + nul_byte + "index") == missing);
  CHECK(ends("p/fast.so", "cython_runtime" + nul_byte + "x") == "p/fast.so, a.so");
  CHECK(ends("pq.so", "x") == missing);
}

TEST_CASE("a table of the names of releases decides where a module binds names that are not followed") {
  const auto ends = [](const std::string& release, const std::string& releases, const std::string& more = "") {
    ImportWorld world;
    world.releases_with = [&](const std::string& module, const std::string& name) {
      return module == "p.n" && name == "x" ? std::optional(ReleasesWithName{"a-p", releases, "3.0"}) : std::nullopt;
    };
    world.add("p/__init__.py");
    world.add("p/n.py", "globals().update(what())\n" + more);
    world.add("A_P-" + release + ".dist-info/METADATA");
    world.add("m.py", "from p.n import y, x\n");
    world.import("m");
    return world.result.error;
  };
  CHECK(ends("2.0", "<2.0") == "ImportError: cannot import name 'x' from 'p.n' (/s/p/n.py)");
  CHECK(ends("1.9", ">=2.0") == "ImportError: cannot import name 'x' from 'p.n' (/s/p/n.py)");
  CHECK(ends("1.9", "<2.0").empty());
  CHECK(ends("3.0", "<2.0").empty());
  CHECK(ends("2.0", "<2.0", "x = 1\n").empty());  // whoever built this one has kept it
}

TEST_CASE("of a module of which no file is there the release that comes decides") {
  const auto ends = [](const std::string& code, const std::string& release, bool certain = true) {
    ImportWorld world;
    world.releases_with = [&](const std::string& module, const std::string& name) {
      return module == "a_p" && name == "x" ? std::optional(ReleasesWithName{"a-p", "<2.0", "3.0"}) : std::nullopt;
    };
    world.python.elsewhere.insert("a_p");
    world.python.releases["a_p"] = {release, certain};
    world.add("m.py", code);
    world.import("m");
    return world.result.error;
  };
  const std::string absent = "ImportError: cannot import name 'x' from 'a_p'";
  CHECK(ends("from a_p import y, x\n", "2.0") == absent);
  CHECK(ends("import a_p\na_p.x\n", "2.0") == "AttributeError: module 'a_p' has no attribute 'x'");
  CHECK(ends("import a_p.x\n", "2.0") == "ModuleNotFoundError: No module named 'a_p.x'");
  CHECK(ends("from a_p import x\n", "1.9").empty());
  CHECK(ends("from a_p import x\n", "3.0").empty());
  CHECK(ends("from a_p import x\n", "2.0", false).empty());
}

TEST_CASE("of a compiled module `import *` takes the names that stand in its file") {
  const auto ends = [](const std::string& held, const std::string& of_n = "from .c import *\n") {
    return end_of_import({{"p/__init__.py", "from .n import *\n"},
                          {"p/n.py", of_n},
                          {"p/c.so", nul_byte + "cython_runtime" + nul_byte + held + nul_byte},
                          {"m.py", "from p import wanted\nimport a\n"}});
  };
  const std::string missing = "ImportError: cannot import name 'wanted' from 'p' (/s/p/__init__.py)";
  CHECK(ends("__test__") == missing);
  CHECK(ends("__test__" + nul_byte + "unwanted") == "p/c.so, a.so");
  CHECK(ends("__test__" + nul_byte + "setattr") == "p/c.so, a.so");
  CHECK(ends("__test__ from-import-* object") == "p/c.so, a.so");
  CHECK(ends("") == "p/c.so, a.so");  // its names may be packed
  CHECK(ends("__test__", "from q import *\n") == "ModuleNotFoundError: No module named 'q'");
}

TEST_CASE("a compiled module may bind names of the package that loads it") {
  const auto ends = [](const std::string& use, const std::string& held) {
    ImportWorld world;
    world.python.path = {"/l", "/s"};
    world.files.add_file("/l/os.py", "");
    world.add("m/__init__.py", "from . import fast\n" + use + "\nimport a\n");
    world.add("m/fast.so", "..." + held + nul_byte);
    world.add("a.so");
    const auto loads = world.import("m");
    return world.result.error.empty() ? loads : world.result.error;
  };
  for (const auto* use : {"class A(Base): pass", "from m import Base"}) {
    CHECK(ends(use, "Base") == "m/fast.so, a.so");
    CHECK(ends(use, "base").find("'Base'") != std::string::npos);
  }
}

TEST_CASE("of a name that a module lacks it is told who asks for it") {
  ImportWorld world;
  world.add("n.py", "xs = 1\nother = 2\n_xs = 3\n");
  world.add("m.py", "\nfrom n import x\n");
  world.import("m");
  REQUIRE(world.result.lacked);
  const auto& [name, module, file, source, line, similar] = *world.result.lacked;
  CHECK(similar == "xs");
  CHECK(name + " " + module + " " + file + " " + source == "x n /s/n.py /s/m.py");
  CHECK(line == 2);
}

TEST_CASE(
    "`import *` of a module of the standard library may bind what its own `import *` of compiled code has bound") {
  const auto ends = [](const std::string& star) {
    ImportWorld world;
    world.python.path = {"/l", "/s"};
    world.files.add_file("/l/os.py", "");
    world.files.add_file("/l/sql/__init__.py", "from sql.api import *\n");
    world.files.add_file("/l/sql/api.py", star + "own = 1\n");
    world.files.add_file("/l/_sql.so", "");
    world.add("a.so");
    world.add("m.py", "import sql\nsql.own, sql.adapt\nimport a\n");
    const auto loads = world.import("m");
    return world.result.error.empty() ? loads : world.result.error;
  };
  CHECK(ends("from _sql import *\n").ends_with("a.so"));
  CHECK(ends("") == "AttributeError: module 'sql' has no attribute 'adapt'");
}

TEST_CASE("`import *` of a list in doubt may bind more names") {
  const std::string list = "__all__ = ['y']\ny = 1\n";
  const auto ends = [](const std::string& text) {
    return end_of_import({{"n.py", text}, {"o.py", "from n import *\n"}, {"m.py", "from o import x\nimport a\n"}});
  };
  CHECK(ends(list).starts_with("ImportError: cannot import name 'x' from 'o'"));
  CHECK(ends(list + "if what(): __all__.append('z')\n") == "a.so");
  CHECK(ends(list + "__all__ += [what()]\n") == "a.so");
}

TEST_CASE("a folder without code has no names but its parts") {
  const std::string unknown = "ImportError: cannot import name 'x' from 'n' (unknown location)";
  CHECK(end_of_import({{"n/y.so", ""}, {"m.py", "from n import x\n"}}) == unknown);
  CHECK(end_of_import({{"n/y.so", ""}, {"m.py", "from n import y\n"}}) == "n/y.so");
  const std::string below = "ImportError: cannot import name 'x' from 'p.n' (unknown location)";
  const auto in_package = [](const std::string& package, const std::string& part, const std::string& code) {
    return end_of_import({{"p/__init__.py", package}, {"p/n/" + part, ""}, {"m.py", code}});
  };
  const std::string makes = "import sys\nsys.modules[what()] = what()\n";
  CHECK(in_package("", "y.pyi", "from p.n import x\nimport a\n") == below);
  CHECK(in_package(makes, "y.pyi", "from p.n import x\nimport a\n") == "a.so");
  CHECK(in_package(makes, "y.py", "from p.n import x\nimport a\n") == below);
  CHECK(in_package(makes, "y.pyi", "try:\n  from p.n import x\nexcept ImportError:\n  import b\nimport a\n") ==
        "b.so, a.so");
}

TEST_CASE("what is taken for a module that is made over a folder is told") {
  ImportWorld world;
  world.add("p/__init__.py", "import sys\nsys.modules[what()] = what()\n");
  world.add("p/n/y.pyi");
  world.add("m.py", "from p.n import x\n");
  world.import("m");
  CHECK(world.result.notes ==
        std::vector<std::string>{"p.n is a directory without code; assumed to be created at run time"});
}

TEST_CASE("a star takes what __all__ names, else what does not begin with an underscore") {
  const auto with_modules = [](ImportWorld& world) {
    world.add("n.py", "x, _y, __all__ = 1, 2, ['_y']\n");
    world.add("o.py", "x, _y = 1, 2\n");
    world.add("r.py", "x, __all__ = 1, what()\n");
  };
  check_outcomes({{"x = 0\nfrom n import *\n_y == 2 and x == 0", "yes"},
                  {"_y = 0\nfrom o import *\nx == 1 and _y == 0", "yes"},
                  {"from r import *\nx == 1", "yes"},
                  {"x = 5\nfrom m import *\nx == 5", "yes"}},
                 with_modules);
  CHECK(end_of_import({{"n.py", "__all__ = ['q']\n"}, {"n/q.so", ""}, {"m.py", "from n import *\n"}}) != "n/q.so");
  CHECK(end_of_import(
            {{"p/__init__.py", "__all__ = ['q', 'absent']\n"}, {"p/q.so", ""}, {"m.py", "from p import *\n"}}) ==
        "p/q.so");
}

TEST_CASE("behind a star of which not all names are known a name of the package's own is not known to be missing") {
  const auto ends = [](const std::string& name, const std::string& text) {
    return end_of_import(
        {{"p/__init__.py", "from " + name + " import *\nfrom p import x\nimport b\n"}, {name + ".py", text}}, "p");
  };
  CHECK(ends("n", "y = 1\n").starts_with("ImportError: cannot import name 'x'"));
  CHECK(ends("n", "setattr(what(), what(), 1)\n") == "b.so");
  CHECK(ends("a", "").starts_with("ImportError: cannot import name 'x'"));
  CHECK(ends("n", "from p import *\n") == "b.so");
  CHECK(end_of_import({{"p/__init__.py", "from p import q\nimport b\n"},
                       {"p/q.py", "from p import *\nfrom p.q import x\nimport a\n"}},
                      "p") == "a.so, b.so");
}

TEST_CASE("of the future annotations alone matter") {
  const std::string annotated = "def f(x: __import__('a')): pass\n";
  CHECK(end_of_import({{"m.py", "from __future__ import annotations\n" + annotated}}) == "");
  CHECK(end_of_import({{"m.py", "from __future__ import division, annotations\n" + annotated}}) == "");
  CHECK(end_of_import({{"m.py", "from __future__ import annotations, division\n" + annotated}}) == "");
  CHECK(end_of_import({{"m.py", "from __future__ import division\n" + annotated}}) == "a.so");
}

TEST_CASE("what __all__ names beside parts of its package is none of the standard library") {
  ImportWorld world;
  for (const auto* name : {"a.so", "b.so"}) world.add(name);
  world.add("p/__init__.py", "__all__ = ['os']\n");
  world.add("m.py", "try:\n  from p import *\nexcept ImportError: import b\nexcept AttributeError: pass\nimport a\n");
  CHECK(world.import("m") == "a.so");
}
