#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/code_outcome.h"

using namespace cudald;

namespace {

void with_functools(ImportWorld& world) {
  world.rules = R"({"standard_library": {"names": ["sys", "os", "importlib", "ctypes", "json", "functools", "abc",
                    "typing"]}, "rules": [], "libraries": {"rows": {}}})";
}

}  // namespace

TEST_CASE("what a function gives that keeps its results is certain") {
  for (const std::string_view decorator : {"functools.lru_cache", "functools.lru_cache()", "functools.cache",
                                           "functools.lru_cache(maxsize=None)", "typing.final", "abc.abstractmethod"}) {
    CAPTURE(decorator);
    CHECK(outcome("import functools, typing, abc\n@" + std::string(decorator) +
                      "\ndef f(): return False\nif not f(): raise RuntimeError('x')\n1",
                  with_functools) == "RuntimeError: x");
  }
}

TEST_CASE("a function that keeps its results runs once for equal arguments") {
  const std::string code =
      "import functools\nn = []\n@functools.lru_cache\ndef f(a, b=1):\n"
      "  n.append(a)\n  return len(n)\n";
  CHECK(outcome(code + "f(1) == 1 and f(1) == 1 and f(2) == 2 and f(1, b=1) == 3 and f(1, b=1) == 3", with_functools) ==
        "yes");
  CHECK(outcome(code + "f(what()) == 1 and f(what()) == 2", with_functools) == "yes");
  // Where it may as well not have been called, its result is not kept.
  CHECK(outcome(code + "if what(): f(1)\nf(1) == 1", with_functools) == "unknown");
}

TEST_CASE("a wrapper with the name of what it wraps is followed") {
  CHECK(outcome("import functools\ndef d(f):\n  @functools.wraps(f)\n  def w(*a): return f(*a)\n  return w\n"
                "@d\ndef f(a): return a\nif f(1): raise RuntimeError('x')\n1",
                with_functools) == "RuntimeError: x");
}

TEST_CASE("what is no function is not decorated") {
  CHECK(outcome("import functools\nfunctools.lru_cache(maxsize=1)(what()) == 1", with_functools) == "unknown");
  CHECK(outcome("import functools\nfunctools.cache(5) == 5", with_functools) == "unknown");
  CHECK(outcome("import functools\nfunctools.wraps() == 5", with_functools) == "unknown");
}
