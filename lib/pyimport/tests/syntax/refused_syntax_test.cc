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

TEST_CASE("lines, brackets and blanks") {
  CHECK(refused("x = 1\n  y = 2\n", 11) == "2 unexpected indent");
  CHECK(refused("if x:\ny = 2\n", 11) == "2 expected an indented block after 'if' statement on line 1");
  CHECK(refused("if x:\ny = 2\n", 9) == "2 expected an indented block");
  // A comment behind a backslash is no body, and none is needed where a statement follows.
  CHECK(refused("def f():\n    \\\n    # c\nx = 1\n", 11) ==
        "4 expected an indented block after function definition on line 1");
  CHECK(refused("def f():\n    \\\n    # c\n    x = 1\n", 11) == "");
  CHECK(refused("def f():\n    \\\n  x = 1\n", 11) == "");
  CHECK(refused("if x:\n    y\n  z\n", 11) == "3 unindent does not match any outer indentation level");
  CHECK(refused("if x:\n        y\n\tz\n", 11) == "3 inconsistent use of tabs and spaces in indentation");
  CHECK(refused("if x:\n\ty\n\tz\n", 11) == "");
  CHECK(refused("def f(a):\n  return [a\n\nx = 1\n", 11) == "2 '[' was never closed");
  CHECK(refused("f(1]\n", 11) == "1 closing parenthesis ']' does not match opening parenthesis '('");
  CHECK(refused("f(\n1]\n", 11) == "2 closing parenthesis ']' does not match opening parenthesis '(' on line 1");
  CHECK(refused("f(1))\n", 11) == "1 unmatched ')'");
  CHECK(refused("if x\n  y\n", 11) == "1 expected ':'");
  CHECK(refused("x = 1 \\ \n", 11) == "1 unexpected character after line continuation character");
  CHECK(refused("<<<<<<< HEAD\nx = 1\n", 11) == "1 invalid syntax");
  CHECK(refused("x = \xe2\x80\x9c"
                "a\xe2\x80\x9d\n",
                11) == "1 invalid character '\xe2\x80\x9c' (U+201C)");
  CHECK(refused("x =\xc2\xa0"
                "1\n",
                11) == "1 invalid non-printable character U+00A0");
  CHECK(refused("\xc3\xa9t\xc3\xa9 = 1\n", 11) == "");
}

TEST_CASE("numbers and strings") {
  CHECK(refused("x = 0777\n", 11) ==
        "1 leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers");
  CHECK(refused("x = 10L\n", 11) == "1 invalid decimal literal");
  CHECK(refused("x = 00, 1_000, 0x_f, 1e5, 07.5, 1j, 1.0.hex(), 1if y else 2\n", 11) == "");
  CHECK(refused("x = 0b12\n", 11) == "1 invalid digit '2' in binary literal");
  CHECK(refused("x = 'a\n", 11) == "1 unterminated string literal (detected at line 1)");
  CHECK(refused("x = '''a\n\n", 11) == "1 unterminated triple-quoted string literal (detected at line 3)");
  CHECK(refused("x = 'C:\\Users'\n", 11) ==
        "1 (unicode error) 'unicodeescape' codec can't decode bytes in position 2-3: truncated \\UXXXXXXXX escape");
  CHECK(refused("x = r'C:\\Users', b'\\u'\n", 11) == "");
  CHECK(refused("x = ur'a'\n", 11) == "1 invalid syntax");
  CHECK(refused("x = b'a' 'b'\n", 11) == "1 cannot mix bytes and nonbytes literals");
  CHECK(refused("x = f'{a!r:>{n}} {{}}' f'{b=}'\n", 11) == "");
  CHECK(refused("x = f'{a'\n", 11) == "1 f-string: expecting '}'");
  CHECK(refused("x = f'{a!z}'\n", 12) == "1 f-string: invalid conversion character 'z': expected 's', 'r', or 'a'");
  CHECK(refused("x = f'{a['b']}'\n", 11) == "1 f-string: unmatched '['");
  CHECK(refused("x = f'{a['b']}'\n", 12) == "");
}

TEST_CASE("what stands in the wrong place") {
  CHECK(refused("return 1\n", 11) == "1 'return' outside function");
  CHECK(refused("class C:\n  yield 1\n", 11) == "2 'yield' outside function");
  CHECK(refused("def f():\n  await g()\n", 11) == "2 'await' outside async function");
  for (const std::string value : {"1", "lambda: 1", "[lambda: lambda: 1]"}) {
    const auto generator = "async def f():\n  yield 1\n  return " + value + "\n";
    CHECK(refused(generator, 11) == "3 'return' with value in async generator");
  }
  CHECK(refused("if 1: break\n", 11) == "1 'break' outside loop");
  CHECK(refused("for i in x:\n  def f(): continue\n", 11) == "2 'continue' not properly in loop");
  CHECK(refused("def f(a, a): pass\n", 11) == "1 duplicate argument 'a' in function definition");
  CHECK(refused("def f(a=1, b): pass\n", 11) == "1 non-default argument follows default argument");
  CHECK(refused("f(a=1, 2)\n", 11) == "1 positional argument follows keyword argument");
  CHECK(refused("f(a=1, a=2)\n", 11) == "1 keyword argument repeated: a");
  CHECK(refused("def f():\n  from a import *\n", 11) == "2 import * only allowed at module level");
  CHECK(refused("import a\nfrom __future__ import annotations\n", 11) ==
        "2 from __future__ imports must occur at the beginning of the file");
  CHECK(refused("nonlocal x\n", 11) == "1 nonlocal declaration not allowed at module level");
  CHECK(refused("def f():\n  x = 1\n  global x\n", 11) == "3 name 'x' is assigned to before global declaration");
  CHECK(refused("try: pass\nx = 1\n", 11) == "2 expected 'except' or 'finally' block");
}

TEST_CASE("what is assigned to can be assigned to") {
  for (const auto* code : {"f() = 1\n", "1 = x\n", "a + b = c\n", "(a, f()) = c\n", "for f() in x: pass\n", "del f()\n",
                           "a, b += 1\n", "None = 1\n", "with a as f(): pass\n", "*a = b\n", "x = y := 1\n",
                           "[a for f() in b]\n", "not a = b\n", "f(a.b=1)\n"}) {
    CAPTURE(code);
    CHECK(refused(code, 11).starts_with("1 "));
  }
  for (const auto* code :
       {"a.b = c[0] = (d, *e) = [f] = x\n", "for (a, b), *c in x: pass\n", "del (a, b), c.d, e[1:2]\n",
        "(a): int = 1\n", "a.b: int\n", "with (a as b, c as (d, e)): pass\n", "(x := 1)\n", "() = []\n", "*a, = b\n",
        "x = *a, b\n", "lambda *a, b=1, **c: (yield)\n"}) {
    CAPTURE(code);
    CHECK(refused(code, 11) == "");
  }
}

TEST_CASE("patterns of match") {
  const auto of = [](const std::string& pattern) { return refused("match x:\n  case " + pattern + ": pass\n", 11); };
  for (const auto* one : {"1 | -2.5 | 1+2j | 'a' 'b' | None", "{'a': b, **rest}", "C(1, x=[_, *_])",
                          "a.b.C() as d if d > 1", "(a, b), *c", "()", "case", "[a, (b | c)]"}) {
    CAPTURE(one);
    CHECK(of(one) == "");
  }
  for (const auto* one : {"1 +", "a.b(", "{**a: 1}", "*a.b", "f() + 1", "not a"}) {
    CAPTURE(one);
    CHECK(of(one) != "");
  }
}

TEST_CASE("each release has its own grammar, and says which takes it") {
  const auto first = [](const std::string& text, int minor) {
    Budget budget{CostLimits{}};
    const auto found = refused_syntax(text, minor, budget);
    return found ? found->first : -1;
  };
  CHECK(first("if (x := 1): pass\n", 7) == 8);
  CHECK(first("def f(a, /): pass\n", 7) == 8);
  CHECK(first("x = f'{a=}'\n", 7) == 8);
  CHECK(first("@a[0]\ndef f(): pass\n", 8) == 9);
  CHECK(first("with (a as b): pass\n", 8) == 9);
  CHECK(first("match x:\n  case 1: pass\n", 9) == 10);
  CHECK(first("x = a[*b]\n", 10) == 11);
  CHECK(first("type X = int\n", 11) == 12);
  CHECK(first("class C[T = int]: pass\n", 12) == 13);
  CHECK(first("x = t'a'\n", 13) == 14);
  CHECK(first("lazy import a\n", 14) == 15);
  CHECK(first("print 'x'\n", 14) == 0);
  CHECK(first("lazy import a\n", 15) == -1);
  CHECK(first("print 'x'\n", 16) == -1);  // of a grammar that is not known
}

TEST_CASE("where it cannot be said how Python reads a text, nothing is refused") {
  CHECK(refused("if x:\n    y\n    \\\n  z\n", 11) == "");
  CHECK(refused("x = " + std::string(190, '(') + "1" + std::string(190, ')') + "\n", 11) == "");
  CHECK(refused("x = " + std::string(201, '(') + "1" + std::string(201, ')') + "\n", 11) ==
        "1 too many nested parentheses");
  CHECK(refused("# coding: gbk\nx = '\xc0\x5c'\ny = (\n", 11) == "");
}
