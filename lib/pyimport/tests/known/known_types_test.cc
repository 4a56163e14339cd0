#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"

using namespace cudald;

namespace {

constexpr std::string_view true_of_types[] = {
    "isinstance('x', str) and not isinstance('x', int) and not isinstance('x', list) and not isinstance('x', type)",
    "isinstance(5, int) and isinstance(True, int) and not isinstance(5, str) and not isinstance(5, dict)",
    "isinstance({}, dict) and not isinstance({}, list) and not isinstance({}, tuple)",
    "not isinstance([], str) and not isinstance([], dict) and not isinstance([], int) and not isinstance([], type)",
    "not isinstance(None, str) and not isinstance(None, type)",
    "class C: pass\nisinstance(C(), C) and not isinstance(C, C) and isinstance(C, type) and not isinstance(C(), type)",
    "class C: pass\nclass D(C): pass\nisinstance(D(), C) and not isinstance(C(), D)",
    "class C: pass\nnot isinstance(C(), str) and not isinstance(C(), (int, dict))",
    "isinstance('x', (int, str)) and not isinstance('x', (int, dict)) and not isinstance('x', ())",
    "isinstance('x', (what(), str))",
    "class C: pass\ncallable(C)",
    "def f(): pass\ncallable(f) and callable(lambda: 1) and not callable('x') and not callable(5) and not callable([])",
    "class C:\n  def f(self): pass\ncallable(C().f) and callable(C.f)",
    "class C: pass\ntype(C()) is C and type(C()) == C",
    "class C: pass\nclass D(C): pass\ntype(D()) is D and not type(D()) == C",
    "class C:\n  x = 1\n  def __init__(self): self.x = 2\nc = C.__new__(C)\nisinstance(c, C) and c.x == 1",
    "class C:\n  one = None\n  @classmethod\n  def get(cls):\n    if cls.one is None:\n      cls.one = "
    "cls.__new__(cls)\n"
    "      cls.one.x = 3\n    return cls.one\nC.get() is C.get() and C.get().x == 3",
};

constexpr std::string_view open_of_types[] = {
    "isinstance()",
    "isinstance('x')",
    "isinstance([1], list)",
    "isinstance([1], tuple)",
    "isinstance([1], (list, tuple))",
    "isinstance('x', bytes)",
    "isinstance('x', what())",
    "isinstance('x', (int, what()))",
    "isinstance(what(), str)",
    "isinstance(os.environ, dict)",
    "isinstance(5, 'int')",
    "class C: pass\nisinstance('x', C)",
    "class C(what()): pass\nisinstance(C(), str)",
    "class C(what()): pass\nclass D: pass\nisinstance(C(), D)",
    "class C(what()): pass\nclass D: pass\nisinstance(D(), C)",
    "callable()",
    "callable(what())",
    "callable(os.environ)",
    "class C: pass\ncallable(C())",
    "type() == 1",
    "type('x') == str",
    "type(what()) == 1",
    "class C: pass\ntype(C) == type",
    "class C(what()): pass\nC.__new__(C).x == 1",
    "class C: pass\ntype('D', (C,), {}) == C",
};

}  // namespace

TEST_CASE("isinstance, callable and type of values whose types are known") {
  check_answers(AnswerWorld(), true_of_types, "true");
}

TEST_CASE("isinstance, callable and type of values that may be of several types are not known") {
  check_answers(AnswerWorld(), open_of_types, "open");
}

namespace {

/// A class of modules that import themselves when they are asked for a name, as TensorFlow and others have one.
std::string of_lazy_modules(const std::string& code) {
  AnswerWorld world;
  world.rules = R"({"standard_library": {"names": ["sys", "os", "importlib", "types"]},
                    "rules": [], "libraries": {"rows": {}}})";
  world.add("part/__init__.py", "value = 5\nimport a\n");
  world.add("m.py",
            "import importlib, types\n"
            "class Lazy(types.ModuleType):\n"
            "  def __init__(self, name):\n    super().__init__(name)\n"
            "  def __getattr__(self, item):\n"
            "    return getattr(importlib.import_module(self.__name__), item)\n" +
                code);
  const auto loaded = world.import("m");
  return loaded + "|" + world.result.error;
}

}  // namespace

TEST_CASE("an instance of a class of modules has the name that it is given, and is asked for what it lacks") {
  CHECK(of_lazy_modules("part = Lazy('part')\n") == "|");
  CHECK(of_lazy_modules("part = Lazy('part')\nif part.value == 5: import b\n") == "a.so, b.so|");
  CHECK(of_lazy_modules("Lazy('gone').value\n") == "|ModuleNotFoundError: No module named 'gone'");
  CHECK(of_lazy_modules("class Other(Lazy):\n"
                        "  def __init__(self, name): types.ModuleType.__init__(self, name)\n"
                        "Other('part').value\n") == "a.so|");
  CHECK(of_lazy_modules("Lazy(what()).value\n") == "|");
}
