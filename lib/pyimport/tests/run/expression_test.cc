#include <string>

#include <doctest/doctest.h>

#include "pyimport/tests/code_outcome.h"

using namespace cudald;

TEST_CASE("whole numbers in three bases are known, and no others") {
  check_outcomes({{"0x1F == 31", "yes"},
                  {"0Xff == 255", "yes"},
                  {"0o17 == 15", "yes"},
                  {"0O17 == 15", "yes"},
                  {"1_000 == 1000", "yes"},
                  {"12 == 13", "no"},
                  {"0b11 == 3", "unknown"},
                  {"1.5 == 1", "unknown"},
                  {"1j == 1", "unknown"},
                  {"9223372036854775807 > 9223372036854775806", "yes"},
                  {"9223372036854775808 == 1", "unknown"}});
}

TEST_CASE("fields of f-strings have a width, a side and what fills it") {
  check_outcomes({{"f'{\"a\":>3}' == '  a'", "yes"},
                  {"f'{\"a\":<3}' == 'a  '", "yes"},
                  {"f'{\"a\":^4}' == ' a  '", "yes"},
                  {"f'{\"a\":^3}' == ' a '", "yes"},
                  {"f'{\"a\":3}' == 'a  '", "yes"},
                  {"f'{\"a\":*^4}' == '*a**'", "yes"},
                  {"f'{\"a\":*>4}' == '***a'", "yes"},
                  {"f'{\"abc\":2}' == 'abc'", "yes"},
                  {"f'{\"abc\":3}' == 'abc'", "yes"},
                  {"f'{\"a\":3s}' == 'a  '", "yes"},
                  {"f'{\"a\":s}' == 'a'", "yes"},
                  {"f'{\"a\":}' == 'a'", "yes"},
                  {"f'{7:3}' == '  7'", "yes"},
                  {"f'{7:<3}' == '7  '", "yes"},
                  {"f'{7:^4}' == ' 7  '", "yes"},
                  {"f'{7:03}' == '007'", "yes"},
                  {"f'{7:3d}' == '  7'", "yes"},
                  {"f'{7:03d}' == '007'", "yes"},
                  {"f'{7:12}' == '           7'", "yes"},
                  {"f'{-1:3}' == ' -1'", "yes"},
                  {"f'{0:02}' == '00'", "yes"},
                  {"f'{-1:03}' == '-01'", "unknown"},
                  {"f'{7:-3}' == '  7'", "unknown"},
                  {"f'{7:x}' == '7'", "unknown"},
                  {"f'{7:3:}' == '  7'", "unknown"},
                  {"f'{7:3s}' == '  7'", "unknown"},
                  {"f'{\"a\":3d}' == '  a'", "unknown"},
                  {"f'{[1]:3}' == 'a'", "unknown"},
                  {"f'{1:{what()}}' == '1'", "unknown"},
                  {"f'{1:{3}}' == '  1'", "yes"},
                  {"f'{1:{\"3\"}}' == '  1'", "yes"},
                  {"f'{\"\xc3\xa9\":3}' == 'a'", "unknown"},
                  {"f'{\"\xc3\xa9\":s}' == '\xc3\xa9'", "yes"},
                  {"len(f'{1:65536}') == 65536", "yes"},
                  {"len(f'{1:65537}') == 65537", "unknown"},
                  {"len(f'{1:655370}') == 65537", "unknown"}});
}

TEST_CASE("texts are put together of literals and fields that are known") {
  check_outcomes({{"'a' 'b' == 'ab'", "yes"},
                  {"'a' f'{1}' 'b' == 'a1b'", "yes"},
                  {"f'{-5}' == '-5'", "yes"},
                  {"f'{{}}' == '{}'", "yes"},
                  {"r'\\n' == '\\\\n'", "yes"},
                  {"rf'\\n{1}' == '\\\\n1'", "yes"},
                  {"f'\\x41{1}' == 'A1'", "yes"},
                  {"f'{[1]}' == '[1]'", "unknown"},
                  {"f'{what()}' == '1'", "unknown"},
                  {"x = 1\nf'{x=}' == 'x=1'", "unknown"},
                  {"s = 'a' * 65536\nf'{s}' == s", "yes"},
                  {"s = 'a' * 65535\nf'{s}ab' == s", "unknown"}});
}

TEST_CASE("templates, since 3.14, are no texts") {
  check_outcomes({{"t'a' == 'a'", "unknown"}, {"t'a{1}' == 'a1'", "unknown"}},
                 [](ImportWorld& world) { world.python.version = "3.14"; });
}

TEST_CASE("items by index, and of bytes that are written there as numbers") {
  check_outcomes({{"[1, 2][0] == 1", "yes"},
                  {"[1, 2][-1] == 2", "yes"},
                  {"[1, 2]['a'] == 1", "unknown"},
                  {"[1][1] == 1", "unknown"},
                  {"[1][-2] == 1", "unknown"},
                  {"'ab'[1] == 'b'", "yes"},
                  {"'ab'['a'] == 'b'", "unknown"},
                  {"'ab'[2] == 'b'", "unknown"},
                  {"b'ab'[1] == 98", "yes"},
                  {"B'ab'[1] == 98", "yes"},
                  {"rb'ab'[1] == 98", "yes"},
                  {"b'\\xff'[0] == 255", "unknown"},
                  {"r'ab'[1] == 'b'", "yes"},
                  {"'b'[0] == 'b'", "yes"},
                  {"5[0] == 1", "unknown"},
                  {"'abcd'[1:3] == 'bc'", "yes"},
                  {"'abcd'[:2] == 'ab'", "yes"},
                  {"'abcd'[2:] == 'cd'", "yes"},
                  {"'abcd'[::2] == 'ac'", "yes"},
                  {"'abcd'[3:1:-1] == 'dc'", "yes"},
                  {"[1, 2, 3][1:] == [2, 3]", "yes"},
                  {"'abcd'[what():] == 'abcd'", "unknown"},
                  {"'abcd'[:'a'] == 'abcd'", "unknown"}});
}

TEST_CASE("an index out of range is raised where it is certain and caught") {
  check_outcomes(
      {{"try: x = [1][5]\nexcept IndexError: x = 2\nx == 2", "yes"},
       {"try: x = [1][what()]\nexcept IndexError: x = 2\nx == 2", "unknown"},
       {"try: x = [1][5]\nexcept KeyError: x = 2\nx == 2", "unknown"},
       {"try: [1][5]\nexcept IndexError as e: raise ImportError(f'{e}')\n1", "ImportError: list index out of range"},
       {"k = K()\ntry:\n  if what():\n    [1][5]\n    k.size = 2\nexcept IndexError: pass\nk.size == 1", "unknown"}});
}

TEST_CASE("a missing key is an error where that is certain") {
  check_outcomes({{"try: x = {'a': 1}['b']\nexcept KeyError: x = 2\nx == 2", "yes"},
                  {"try: {'a': 1}['b']\nexcept KeyError as e: raise ImportError(f'{e}')\n1", "ImportError: 'b'"},
                  {"x = {'a': 1}['b']\nx == 1", "KeyError: 'b'"},
                  {"try: x = {'a': 1}[2]\nexcept KeyError: x = 2\nx == 2", "yes"},
                  {"try: x = {'a': 1}[what()]\nexcept KeyError: x = 2\nx == 2", "unknown"},
                  {"try: x = {what(): 1}['b']\nexcept KeyError: x = 2\nx == 2", "unknown"},
                  {"d = {'a': 1}\ntry: x = d['b']\nexcept KeyError: x = 2\nx == 2", "yes"},
                  {"k = K()\ntry:\n  if what():\n    {'a': 1}['b']\n    k.size = 2\nexcept KeyError: pass\nk.size == 1",
                   "unknown"},
                  {"{'a': 1, 'b': 2}['b'] == 2", "yes"},
                  {"{what(): 1, 'b': 2}['b'] == 2", "yes"}});
}

TEST_CASE("modules and variables are found by their names") {
  check_outcomes(
      {{"sys.modules['os'] is os", "yes"},
       {"try: x = sys.modules['absent']\nexcept KeyError: x = 2\nx == 2", "yes"},
       {"try: sys.modules['absent']\nexcept KeyError as e: raise ImportError(f'{e}')\n1", "ImportError: 'absent'"},
       {"x = sys.modules['absent']\nx == 2", "unknown"},
       {"k = K()\ntry:\n  if what():\n    sys.modules['absent']\n    k.size = 2\nexcept KeyError: pass\nk.size == 1",
        "unknown"},
       {"sys.modules[what()] is os", "unknown"},
       {"try: os.environ['ABSENT']\nexcept KeyError as e: raise ImportError(f'{e}')\n1", "ImportError: 'ABSENT'"},
       {"os.environ['X'] = 'a'\nos.environ['X'] == 'a'", "yes"},
       {"os.environ[what()] == 'a'", "unknown"},
       {"x = 7\nglobals()['x'] == 7", "yes"},
       {"sys.flags['x'] == 7", "unknown"},
       {"'os' in sys.modules", "yes"},
       {"'absent' in sys.modules", "no"},
       {"'posix' in sys.builtin_module_names", "yes"},
       {"'nt' in sys.builtin_module_names", "no"},
       {"'other' in sys.builtin_module_names", "unknown"},
       {"'x' in sys.flags", "unknown"},
       {"'libcudart.so' in open('/proc/self/maps').read()", "yes"},
       {"'libother.so' in open('/proc/self/maps').read()", "no"},
       {"what() in open('/proc/self/maps').read()", "unknown"},
       {"os.environ['X'] = 'a'\n'X' in os.environ", "yes"},
       {"'ABSENT' not in os.environ", "yes"}});
}

TEST_CASE("signs and operations") {
  check_outcomes({{"+5 == 5", "yes"},
                  {"-5 + 5 == 0", "yes"},
                  {"~5 == -6", "unknown"},
                  {"-'a' == 1", "unknown"},
                  {"+'a' == 'a'", "unknown"},
                  {"-what() == 1", "unknown"},
                  {"10 - 3 - 2 == 5", "yes"},
                  {"2 + 3 * 4 == 14", "yes"},
                  {"not 0", "yes"},
                  {"not 1", "no"},
                  {"not what()", "unknown"}});
}

TEST_CASE("comparisons, alone and in chains") {
  check_outcomes({{"1 < 2", "yes"},
                  {"2 < 2", "no"},
                  {"2 <= 2", "yes"},
                  {"3 <= 2", "no"},
                  {"2 > 1", "yes"},
                  {"2 > 2", "no"},
                  {"2 >= 2", "yes"},
                  {"2 >= 3", "no"},
                  {"1 != 2", "yes"},
                  {"1 != 1", "no"},
                  {"1 < 2 < 3", "yes"},
                  {"1 < 3 < 2", "no"},
                  {"3 < 1 < 2", "no"},
                  {"3 > 2 > what()", "unknown"},
                  {"what() < 2 < 1", "no"},
                  {"2 < 1 < what()", "no"},
                  {"'a' in 'abc'", "yes"},
                  {"'z' in 'abc'", "no"},
                  {"'z' not in 'abc'", "yes"},
                  {"2 in [1, 2]", "yes"},
                  {"3 not in [1, 2]", "yes"},
                  {"'a' in {'a': 1}", "yes"},
                  {"'x' in K().__dict__", "no"},
                  {"'x' not in K().__dict__", "yes"},
                  {"k = K()\nk.x = 1\n'x' in k.__dict__", "yes"},
                  {"k = K()\nk.x = 1\n'x' not in k.__dict__", "no"},
                  {"'x' in what().__dict__", "unknown"},
                  {"what() in K().__dict__", "unknown"}});
}

TEST_CASE("sets are compared by what is in them") {
  check_outcomes({{"{1} < {1, 2}", "yes"},
                  {"{1} < {1}", "no"},
                  {"{1, 3} < {1, 2}", "no"},
                  {"{1} <= {1}", "yes"},
                  {"{1, 2} <= {1}", "no"},
                  {"{1, 2} > {1}", "yes"},
                  {"{1} > {1}", "no"},
                  {"{1} > {1, 2}", "no"},
                  {"{1} >= {1}", "yes"},
                  {"{1} >= {1, 2}", "no"},
                  {"{1} < {what()}", "unknown"},
                  {"{1} < [1, 2]", "unknown"},
                  {"[1] < {1, 2}", "unknown"},
                  {"{1} < 2", "unknown"},
                  {"2 < {1}", "unknown"},
                  {"[1] < [1, 2]", "yes"}});
}

TEST_CASE("what is the same object is known of some") {
  check_outcomes({{"None is None", "yes"},
                  {"1 is not None", "yes"},
                  {"True is True", "yes"},
                  {"1 is True", "no"},
                  {"x = [1]\nx is x", "yes"},
                  {"x = [1]\ny = x\ny is not x", "no"},
                  {"[1] is [1]", "unknown"},
                  {"[1] is [2]", "no"},
                  {"d = {}\nd is d", "yes"},
                  {"{} is 1", "no"},
                  {"{'a': 1} is {'a': 2}", "unknown"},

                  {"sys.flags is sys.flags", "unknown"},
                  {"sys.flags is None", "unknown"},
                  {"None is sys.flags", "unknown"},
                  {"os is os", "yes"},
                  {"os is sys", "no"}});
}

TEST_CASE("`and`, `or` and conditions give the operand that decides") {
  check_outcomes({{"(0 or 5) == 5", "yes"},
                  {"('' or 0) == 0", "yes"},
                  {"(3 or 5) == 3", "yes"},
                  {"(1 and 2) == 2", "yes"},
                  {"(0 and 2) == 0", "yes"},
                  {"(1 and 2 and 0) == 0", "yes"},
                  {"(what() or 5) == 5", "unknown"},
                  {"(0 or what()) == 5", "unknown"},
                  {"(0 and what()) == 0", "yes"},
                  {"k = K()\ndef f(): k.size = 2\nwhat() and f()\nk.size == 1", "unknown"},
                  {"k = K()\ndef f(): k.size = 2\n0 and f()\nk.size == 1", "yes"},
                  {"(1 if 1 else 2) == 1", "yes"},
                  {"(1 if 0 else 2) == 2", "yes"},
                  {"k = K()\ndef f(): k.size = 2\nf() if what() else 0\nk.size == 1", "unknown"},
                  {"k = K()\ndef f(): k.size = 2\n0 if what() else f()\nk.size == 1", "unknown"},
                  {"(x := 5) + x == 10", "yes"}});
}

TEST_CASE("lists, sets and dictionaries are put together") {
  check_outcomes({{"[1, *[2, 3]] == [1, 2, 3]", "yes"},
                  {"[*what(), 1] == [1]", "unknown"},
                  {"[*what(), *[1]] == [1]", "unknown"},
                  {"[*[1], *what()] == [1]", "unknown"},
                  {"len({1, 1}) == 1", "yes"},
                  {"len([1, 1]) == 2", "yes"},
                  {"{1, 2} == {2, 1}", "yes"},

                  {"{**{'a': 1}, 'b': 2}['b'] == 2", "yes"},
                  {"{**{'a': 1}}['a'] == 1", "yes"},
                  {"{'a': 1, **{'a': 2}}['a'] == 2", "yes"},
                  {"len({'a': 1, **{'a': 2}}) == 1", "yes"},
                  {"{'a': 1, 'a': 2}['a'] == 2", "yes"},
                  {"len({'a': 1, 'a': 2}) == 1", "yes"},
                  {"list({'b': 1, 'a': 2, 'b': 3}) == ['b', 'a']", "yes"},
                  {"{**what(), 'b': 2}['a'] == 2", "unknown"}});
}

TEST_CASE("comprehensions over what is known") {
  check_outcomes({{"[i * 2 for i in [1, 2, 3] if i > 1] == [4, 6]", "yes"},
                  {"[i for i in [1, 2, 3] if i > 1 if i < 3] == [2]", "yes"},
                  {"[i + j for i in [1, 2] for j in [10, 20]] == [11, 21, 12, 22]", "yes"},
                  {"{k: v for k, v in [('a', 1)]}['a'] == 1", "yes"},
                  {"{k: v for k, v in [('a', 1), ('a', 2)]}['a'] == 2", "yes"},
                  {"len({k: v for k, v in [('a', 1), ('a', 2)]}) == 1", "yes"},
                  {"list({k: 1 for k in 'bab'}) == ['b', 'a']", "yes"},
                  {"{i for i in [1, 1]} == {1}", "yes"},
                  {"len([i for i in [1, 1]]) == 2", "yes"},
                  {"i = 5\nx = [i for i in [1]]\ni == 5", "yes"},
                  {"def f(n): return [n + i for i in [1]]\nf(2) == [3]", "yes"},
                  {"[i for i in what()] == []", "unknown"},
                  {"[j for i in [1] for j in what()] == []", "unknown"},
                  {"[i for i in [1] if what()] == []", "unknown"},
                  {"[i for i in [1] if 0 if what()] == []", "yes"},
                  {"{k: 1 for k in [1, 2]} == 1", "no"},
                  {"[i async for i in [1]] == [1]", "unknown"},
                  {"len([i for i in range(300)]) == 300", "yes"},
                  {"len([i for i in range(301)]) == 301", "unknown"}});
}

TEST_CASE("what is yielded behind an unknown condition is not known, so that a loop over it is followed") {
  const std::string generator = "def g(): yield 1\n";
  CHECK(outcome(generator + "if what():\n  for i in g(): import b\n1") == "b.so optional, a.so");
  CHECK(outcome(generator + "for i in g(): import b\n1") == "b.so, a.so");
}

TEST_CASE("generators yield what is certain") {
  check_outcomes(
      {{"def g():\n  yield 1\n  yield\nlist(g()) == [1, None]", "yes"},
       {"def g():\n  yield 1\n  yield from [2, 3]\nlist(g()) == [1, 2, 3]", "yes"},
       {"def g():\n  if what(): yield 1\n  yield 2\nlist(g()) == [2]", "unknown"},
       {"def g():\n  if what(): yield 1\n  if 0: yield 2\nlist(g()) == []", "unknown"},
       {"def g():\n  yield 2\n  if what():\n    yield 1\n    yield 3\n  yield 4\nlist(g()) == [2, 4]", "unknown"},
       {"def g():\n  yield from what()\n  yield 2\nlist(g()) == [2]", "unknown"}});
}

TEST_CASE("an expression that calls nest too deeply is not known, and told with its line") {
  ImportWorld world;
  for (const auto* name : {"a.so", "b.so"}) world.add(name);
  world.add("m.py",
            "def f(n):\n  return 0 if n == 0 else 1 + (2 + (3 + (4 + (5 + (6 + (7 + (8 + f(n - 1))))))))\n"
            "if f(3) == 108:\n  import a\nif f(20) == 720:\n  import b\n");
  CHECK(world.import("m") == "a.so, b.so optional");
  CHECK(world.result.notes == std::vector<std::string>{"/s/m.py:2 is nested too deeply to be followed"});
}

TEST_CASE("a comprehension of 65,536 items is not followed to its end") {
  check_outcomes({{"len([1 for i in range(255) for j in range(257)]) == 65535", "yes"},
                  {"len([1 for i in range(256) for j in range(256)]) == 65536", "unknown"}});
}

TEST_CASE("expressions are followed 150 deep, through calls as well") {
  const auto notes = [](std::size_t brackets) {
    ImportWorld world;
    world.add("m.py", "h = lambda: " + std::string(brackets, '[') + "1" + std::string(brackets, ']') +
                          "\nx = " + std::string(100, '[') + "h()" + std::string(100, ']') + "\n");
    world.import("m");
    return world.result.notes;
  };
  CHECK(notes(48).empty());
  CHECK(notes(49) == std::vector<std::string>{"/s/m.py:1 is nested too deeply to be followed"});
}

TEST_CASE("objects without a comparison of their own equal nothing but themselves") {
  check_outcomes({{"a, b = K(), K()\na in [b, 1]", "no"},
                  {"a, b = K(), K()\na in [b, a]", "yes"},
                  {"@what()\nclass D: x = 1\na, b = D(), D()\na in [b]", "unknown"},
                  {"class E:\n  def __eq__(self, other): return what()\na, b = E(), E()\na in [b]", "unknown"}});
}

TEST_CASE("what a list or a dictionary that is known does not hold is an error") {
  check_outcomes({{"[][0] == 1", "IndexError: list index out of range"},
                  {"x = {(3, 11): 1, 2: 3}\nx[(3, 13)] == 1", "KeyError: (3, 13)"},
                  {"x = {1: 2}\nx[3] == 1", "KeyError: 3"},
                  {"x = {(1, 'a'): 2}\nx[(1, 'b')] == 1", "KeyError: (1, 'b')"},
                  {"x = {(3, 11): 1}\nx[(3, 11)] == 1", "yes"},
                  {"x = {1: 2}\nwhat(x)\nx[3] == 1", "unknown"},
                  {"x = what()\nx[0] == 1", "unknown"}});
}

TEST_CASE("a variable of the environment that is not set leads to an error with the place that reads it") {
  ImportWorld world;
  world.add("m.py", "import os\nkey = os.environ['KEY']\n");
  world.import("m");
  CHECK(world.result.error == "KeyError: 'KEY'");
  CHECK(world.result.raised_at == "/s/m.py:2");
  CHECK(world.result.notes ==
        std::vector<std::string>{"its code needs the environment variable KEY, which is not set"});
  world.python.variables = {{"KEY", "x"}};
  world.import("m");
  CHECK(world.result.error == "");
  CHECK(world.result.notes.empty());
}
