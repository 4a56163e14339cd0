// Whether a part of a package is a name of it though nothing that was followed has imported it.
#include <string>

#include <doctest/doctest.h>

#include "pyimport/tests/import_world.h"

using namespace cudald;

namespace {

/// Whether `p.part.x` is certain to fail, where another module of the package and one of another package have this
/// code.
bool surely_lacks_part(const std::string& own, const std::string& other = "", const std::string& asks = "") {
  ImportWorld world;
  world.add("p/__init__.py", "");
  world.add("p/part.py", "x = 1\n");
  world.add("p/beside.py", own);
  world.add("q.py", "part = y = 1\n");
  world.add("a.so");
  world.add("other.py", other);
  world.add("m.py", "import p, p.beside, other\n" + asks + "p.part.x\nimport a\n");
  world.import("m");
  if (world.result.error.empty()) return false;
  CHECK(world.result.error == "AttributeError: module 'p' has no attribute 'part'");
  return true;
}

}  // namespace

TEST_CASE("a part of a package that no code imports is no name of it") {
  CHECK(surely_lacks_part(""));
  CHECK(surely_lacks_part("part = 'another part'\n", "from q import part\nname = 'p.part'\n"));
}

TEST_CASE("what was followed has imported it, and code that was not followed may have") {
  CHECK_FALSE(surely_lacks_part("from . import part\n"));
  CHECK_FALSE(surely_lacks_part("if what():\n  from q import part\n"));  // within the package names may be relative
  CHECK_FALSE(surely_lacks_part("if what():\n  from . import part\n"));
  CHECK_FALSE(surely_lacks_part("", "if what():\n  import p.part\n"));
  CHECK_FALSE(surely_lacks_part("", "if what():\n  from p import (\n    y,\n    part)\n"));
  CHECK(surely_lacks_part("", "if what():\n  from q import part\n"));
}

TEST_CASE("a function that was not followed has not run, unless code that is not followed may call it") {
  CHECK(surely_lacks_part("def f():\n  from .part import x\n"));
  CHECK_FALSE(surely_lacks_part("def f():\n  from .part import x\nwhat(f)\n"));
  CHECK(surely_lacks_part("class C:\n  def f(self):\n    import p.part\n"));
  CHECK_FALSE(surely_lacks_part("def g(): pass\nif what():\n  from .part import x\n"));
}

TEST_CASE("a text names the part for a function that imports it") {
  const std::string by_name = "from importlib import import_module\nif what(): import_module(";
  CHECK_FALSE(surely_lacks_part("", by_name + "'p.part')\n"));
  CHECK_FALSE(surely_lacks_part(by_name + "'.part', 'p')\n"));
  CHECK_FALSE(surely_lacks_part(by_name + "__name__ + what())\nnames = ['part']\n"));
  CHECK(surely_lacks_part("names = ['part']\n"));
  CHECK_FALSE(surely_lacks_part("import os\n" + by_name + "what(os.listdir('.')))\n"));
}
