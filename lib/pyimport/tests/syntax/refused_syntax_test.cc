// What one release of Python refuses: each line was compiled by CPython 3.9, 3.11 and 3.13.
#include "pyimport/syntax/refused_syntax.h"

#include <doctest/doctest.h>

using namespace cudald;
using namespace cudald::python;

namespace {

/// "LINE message" or nothing.
std::string refused(const std::string& text, int minor) {
  Budget budget{CostLimits{}};
  const auto found = refused_syntax(text, minor, budget);
  return found ? std::to_string(found->line) + " " + found->message : "";
}

}  // namespace

TEST_CASE("words that Python has reserved name nothing") {
  CHECK(refused("def f(a, async):\n  pass\n", 11) == "1 invalid syntax");
  CHECK(refused("def f(a, async):\n  pass\n", 6) == "");
  CHECK(refused("x = 1\ndef f():\n  return b.cuda(async=True)\n", 7) == "3 invalid syntax");
  CHECK(refused("self.conn.async.x()\n", 11) == "1 invalid syntax");
  CHECK(refused("from a import (async, b)\n", 11) == "1 invalid syntax");
  CHECK(refused("f(await=1)\n", 11) == "1 invalid syntax");
}

TEST_CASE("the same words begin what they are for") {
  for (const std::string text :
       {"async def f():\n  await g()\n", "async def f():\n  async with a: pass\n  async for b in c: pass\n",
        "async def f():\n  return [x async for x in y]\n", "# async = 1\nx = 'async'\n", "my_async = 1\nasyncio = 2\n",
        "async def f():\n  await (g())\n", "async  def f(): pass\n", "x = 'call print now'\nprint(x)\n",
        "print = 5\nprint.x\n", "try: pass\nexcept (A, B): pass\nexcept C as d: f(1, 2)\n", "match = 1\nmatch (1)\n",
        "match(x)[1:2]\n", "def f(match, case):\n  return match\n"}) {
    CAPTURE(text);
    CHECK(refused(text, 9) == "");
    CHECK(refused(text, 13) == "");
  }
}

TEST_CASE("statements of Python 2 are refused wherever they stand") {
  const std::string print = "Missing parentheses in call to 'print'. Did you mean print(...)?";
  CHECK(refused("def f():\n  print 'x'\n", 11) == "2 " + print);
  CHECK(refused("if 1: pass; print x\n", 11) == "1 " + print);
  CHECK(refused("print x\n", 9) == "1 invalid syntax");
  CHECK(refused("print 'x', y\n", 9) == "1 Missing parentheses in call to 'print'. Did you mean print('x', y)?");
  CHECK(refused("x = 1; print x\n", 11) == "1 " + print);
  CHECK(refused("try: pass\nexcept E, e:\n  pass\n", 11) == "2 multiple exception types must be parenthesized");
  CHECK(refused("try: pass\nexcept E, e:\n  pass\n", 9) == "2 invalid syntax");
  CHECK(refused("try: pass\nexcept E, F:\n  pass\n", 14) == "");
}

TEST_CASE("statements of later releases are refused by earlier ones") {
  CHECK(refused("match x:\n  case 1: pass\n", 9) == "1 invalid syntax");
  CHECK(refused("match x:\n  case 1: pass\n", 10) == "");
  CHECK(refused("try: pass\nexcept* E: pass\n", 10) == "2 invalid syntax");
  CHECK(refused("try: pass\nexcept* E: pass\n", 11) == "");
}
