#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "pyimport/tests/import_world.h"

using namespace cudald;

namespace {

using ModuleTexts = std::vector<std::pair<std::string, std::string>>;

/// What `import m` loads in Python 3.15, and what it raises, where these modules are, and a.so to d.so.
std::string loads(const ModuleTexts& texts, const std::string& version = "3.15",
                  const std::map<std::string, std::string>& variables = {}) {
  ImportWorld world;
  world.python.version = version;
  world.python.variables = variables;
  for (const auto* module : {"a.so", "b.so", "c.so", "d.so"}) world.add(module);
  for (const auto& [path, text] : texts) world.add(path, text);
  const auto loaded = world.import("m");
  return loaded + (world.result.error.empty() ? "" : ": " + world.result.error);
}
std::string loads_beside(ModuleTexts texts, const std::string& code) {
  texts.emplace_back("m.py", code);
  return loads(texts);
}
std::string loads(const std::string& code) { return loads_beside({}, code); }

}  // namespace

TEST_CASE("a lazy import is made when its name is used") {
  CHECK(loads("lazy import a\nimport b\n") == "b.so");
  CHECK(loads("lazy import a\nimport b\na.x\n") == "b.so, a.so");
  CHECK(loads("lazy import a as x, b as y\nimport c\ny\n") == "c.so, b.so");
  CHECK(loads("lazy import a\nimport b\ndef f(): return a\nf()\n") == "b.so, a.so");
  CHECK(loads("lazy import a\na = 1\nimport b\na\n") == "b.so");
  CHECK(loads("a = 1\nlazy import a\nimport b\na\n") == "b.so, a.so");
  CHECK(loads("lazy import a\nlazy import b as a\na\n") == "b.so");
}

TEST_CASE("of a lazy import from a module each name is asked for by itself") {
  const ModuleTexts package = {{"p/__init__.py", "import d\n"}, {"p/x.py", "import a\n"}, {"p/y.py", "import b\n"}};
  const auto with = [&](const std::string& code) { return loads_beside(package, code); };
  CHECK(with("lazy from p import x, y as z\nimport c\n") == "c.so");
  CHECK(with("lazy from p import x, y as z\nimport c\nz\n") == "c.so, d.so, b.so");
  CHECK(with("lazy import p.x\nimport c\np\n") == "c.so, d.so");
  CHECK(with("lazy import p.x\nimport c\np.x\n") == "c.so, d.so, a.so");
  CHECK(with("lazy import p.x as z\nimport c\nz\n") == "c.so, d.so, a.so");
  CHECK(with("lazy import p.x\nimport p\np.x\np.y\n") == "d.so, a.so: AttributeError: module 'p' has no attribute 'y'");
}

TEST_CASE("other modules ask for lazy names, and `import *` asks for all that are public") {
  const ModuleTexts lazy = {{"n.py", "lazy import a, b, d as _d\n"}};
  const auto with = [&](const std::string& code) { return loads_beside(lazy, code); };
  CHECK(with("import n, c\n") == "c.so");
  CHECK(with("import n, c\nn.b\n") == "c.so, b.so");
  CHECK(with("from n import a\nimport c\n") == "a.so, c.so");
  CHECK(with("import n, c\nfrom n import *\n") == "c.so, a.so, b.so");
}

TEST_CASE("what a lazy import raises comes where the name is used, each time") {
  const std::string absent = ": ModuleNotFoundError: No module named 'absent'";
  CHECK(loads("lazy import absent\nimport a\n") == "a.so");
  CHECK(loads("lazy import absent\nimport a\nabsent.x\nimport b\n") == "a.so" + absent);
  const std::string caught = "try: absent\nexcept ImportError: import b\n";
  CHECK(loads("lazy import absent\n" + caught + "absent\n") == "b.so" + absent);
}

TEST_CASE("__lazy_modules__ makes imports at module level lazy") {
  const std::string list = "__lazy_modules__ = ['a', 'p', 'p.x']\n", later = "import b\na\n";
  CHECK(loads(list + "import a\n" + later) == "b.so, a.so");
  CHECK(loads(list + "import c\n" + later) == "c.so, b.so");
  CHECK(loads(list + "try: import a\nexcept ImportError: pass\n" + later) == "a.so optional, b.so");
  CHECK(loads(list + "with what(): import a\n" + later) == "b.so, a.so");
  CHECK(loads(list + "class K: import a\n" + later) == "a.so, b.so");
  CHECK(loads(list + "def f(): import a\nf()\n" + later) == "a.so, b.so");
  CHECK(loads(list + "from a import *\n" + later) == "a.so, b.so");
  CHECK(loads({{"m.py", list + "import a\n" + later}}, "3.14") == "a.so, b.so");
  const ModuleTexts package = {
      {"p/__init__.py", "import d\n"}, {"p/x.py", "import a\n"}, {"m.py", list + "from p.x import y\n"}};
  CHECK(loads(package) == "");
  CHECK(loads({{"m.py", "__lazy_modules__ = what()\nimport a\n" + later}}) == "a.so, b.so");
}

TEST_CASE("PYTHON_LAZY_IMPORTS makes all imports at module level lazy") {
  const ModuleTexts texts = {{"m.py", "import a\nimport b\nb\n"}};
  CHECK(loads(texts, "3.15", {{"PYTHON_LAZY_IMPORTS", "all"}}) == "b.so");
  CHECK(loads(texts, "3.15", {{"PYTHON_LAZY_IMPORTS", "normal"}}) == "a.so, b.so");
  CHECK(loads(texts, "3.14", {{"PYTHON_LAZY_IMPORTS", "all"}}) == "a.so, b.so");
}

TEST_CASE("lazy names that lead to lazy names are followed as deep as a question may go") {
  ImportWorld world;
  world.python.version = "3.15";
  constexpr int count = 20'000;
  for (int i = 0; i < count; ++i)
    world.add("n" + std::to_string(i) + ".py", "lazy from n" + std::to_string(i + 1) + " import x\n");
  world.add("n" + std::to_string(count) + ".py", "x = 1\n");
  world.add("m.py", "from n0 import x\n");
  world.import("m");
  CHECK(world.result.error.empty());
  CHECK_FALSE(world.result.notes.empty());
}

TEST_CASE("a name that is used behind an unknown condition brings its import with a doubt") {
  const auto told = [](const std::string& code) {
    ImportWorld world;
    world.python.version = "3.15";
    world.add("a.so");
    world.add("m.py", code);
    const auto loaded = world.import("m");
    return loaded + (world.result.unfollowed.empty() ? "" : ", told");
  };
  CHECK(told("lazy import a\nif what(): a\n") == "a.so optional, told");
  CHECK(told("lazy import a\ndef f():\n  if what(): a.x\nf()\n") == ", told");
  CHECK(told("if what():\n  lazy import a\na\n") == "a.so optional, told");
}
