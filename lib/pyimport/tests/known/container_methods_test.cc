#include <doctest/doctest.h>

#include "pyimport/tests/code_outcome.h"

using namespace cudald;

TEST_CASE("methods of lists and sets change them as Python's do") {
  check_outcomes(
      {{"x = [1]\nx.append(2)\nx == [1, 2]", "yes"},
       {"x = [1]\nx.append(2) is None", "yes"},
       {"x = {1}\nx.add(1)\nx.add(2)\nx == {1, 2}", "yes"},
       {"x = {1}\nx.add(1)\nlen(x) == 1", "yes"},
       {"x = {1}\nx.add(2)\nlen(x) == 2", "yes"},
       {"x = [1]\nx.extend([2, 3])\nx == [1, 2, 3]", "yes"},
       {"x = {1}\nx.update([1, 2])\nlen(x) == 2", "yes"},
       {"x = {1}\nx.update([2], [3, 1])\nlen(x) == 3", "yes"},
       {"x = [1, 3]\nx.insert(1, 2)\nx == [1, 2, 3]", "yes"},
       {"x = [1, 3]\nx.insert(-1, 2)\nx == [1, 2, 3]", "yes"},
       {"x = [1, 3]\nx.insert(0, 2)\nx == [2, 1, 3]", "yes"},
       {"x = [1, 3]\nx.insert(9, 2)\nx == [1, 3, 2]", "yes"},
       {"x = [1, 3]\nx.insert(-9, 2)\nx == [2, 1, 3]", "yes"},
       {"x = [1, 2, 1]\nx.remove(1)\nx == [2, 1]", "yes"},
       {"x = {1, 2}\nx.discard(1)\nx == {2}", "yes"},
       {"x = {1, 2}\nx.discard(3)\nx == {1, 2}", "yes"},
       {"x = [1, 2, 3]\n(x.pop(), x) == (3, [1, 2])", "yes"},
       {"x = [1, 2, 3]\n(x.pop(0), x) == (1, [2, 3])", "yes"},
       {"x = [1, 2, 3]\n(x.pop(-2), x) == (2, [1, 3])", "yes"},
       {"x = [1, 2, 3]\nx.pop(what()) == 3", "unknown"},
       {"x = [1, 2, 3]\nx.pop('a') == 3", "unknown"},
       {"x = []\nx.pop() == 1", "unknown"},
       {"x = [2, 1]\nx.reverse()\nx == [1, 2]", "yes"},
       {"x = [2, 3, 1]\nx.sort()\nx == [1, 2, 3]", "yes"},
       {"x = [2, 3, 1]\nx.sort(reverse=True)\nx == [3, 2, 1]", "yes"},
       {"x = [2, 3, 1]\nx.sort(reverse=False)\nx == [1, 2, 3]", "yes"},
       {"x = ['b/1', 'a/2', 'c/1']\nx.sort(key=lambda p: p[-1])\nx == ['b/1', 'c/1', 'a/2']", "yes"},
       {"x = ['b/1', 'a/2', 'c/1']\nx.sort(key=lambda p: p[-1], reverse=True)\n"
        "x == ['a/2', 'b/1', 'c/1']",
        "yes"},
       {"x = [2, 1]\nx.sort(key=None)\nx == [1, 2]", "yes"},
       {"x = [2, 1]\ny = []\nx.sort(key=lambda p: (y.append(len(x)), p)[1])\n(x, y) == ([1, 2], [0, 0])", "yes"},
       {"x = [3, 1, 2]\ntry: x.sort(key=lambda p: (x.extend([p] * 99), p)[1])\nexcept ValueError: pass\n"
        "x == [1, 2, 3]",
        "yes"},
       {"x = [2, 1]\nx.clear()\nx == []", "yes"},
       {"x = [1]\ny = x.copy()\ny.append(2)\n(x, y) == ([1], [1, 2])", "yes"},
       {"x = {1}\ny = x.copy()\ny.add(2)\ny > x", "yes"},
       {"x = [1]\nx.unheard(1) == 1", "unknown"}});
}

TEST_CASE("methods of dictionaries change and tell them as Python's do") {
  check_outcomes({{"{'a': 1}.get('a') == 1", "yes"},
                  {"{'a': 1}.get('b') is None", "yes"},
                  {"{'a': 1}.get('b', 2) == 2", "yes"},
                  {"{'a': 1}.get(what(), 2) == 2", "unknown"},
                  {"{what(): 1}.get('b', 2) == 2", "unknown"},
                  {"{'a': 1}.get() == 1", "unknown"},
                  {"{'a': 1}.setdefault('a', 2) == 1", "yes"},
                  {"d = {}\n(d.setdefault('a', 2), d['a']) == (2, 2)", "yes"},
                  {"d = {}\nd.setdefault('a')\nd['a'] is None", "yes"},
                  {"d = {}\nd.setdefault() is None", "unknown"},
                  {"d = {}\nd.setdefault(what(), 2) == 2", "yes"},
                  {"d = {'a': 1}\nd.setdefault(what(), 2) == 2", "unknown"},
                  {"d = {what(): 1}\nd.setdefault('a', 2) == 2", "unknown"},
                  {"d = {'a': 1, 'b': 2}\nd.update({'b': 3, 'c': 4})\n(d['a'], d['b'], d['c']) == (1, 3, 4)", "yes"},
                  {"d = {'a': 1}\nd.update(a=2, b=3)\n(d['a'], d['b'], len(d)) == (2, 3, 2)", "yes"},
                  {"d = {'a': 1}\nd.update({'a': 2}, a=3)\nd['a'] == 3", "yes"},
                  {"d = {}\nd.update(what())\n'a' in d", "unknown"},
                  {"d = {'a': 1, 'b': 2}\n(d.pop('a'), len(d), d['b']) == (1, 1, 2)", "yes"},
                  {"d = {'a': 1}\n(d.pop('b', 5), len(d)) == (5, 1)", "yes"},
                  {"d = {'a': 1}\nd.pop() == 1", "unknown"},
                  {"list({'a': 1, 'b': 2}.items()) == [('a', 1), ('b', 2)]", "yes"},
                  {"list({'a': 1, 'b': 2}.keys()) == ['a', 'b']", "yes"},
                  {"list({'a': 1, 'b': 2}.values()) == [1, 2]", "yes"},
                  {"list({what(): 1}.values()) == [1]", "unknown"},
                  {"d = {'a': 1}\ne = d.copy()\ne['a'] = 2\n(d['a'], e['a']) == (1, 2)", "yes"},
                  {"d = {'a': 1}\nd.clear()\nlen(d) == 0", "yes"},
                  {"d = {'a': 1}\nd.unheard(1) == 1", "unknown"}});
}

TEST_CASE("what is done to a dictionary behind a condition that is not known may as well not have been done") {
  check_outcomes({{"d = {'a': 1}\nif what(): d.update(a=2)\nd['a'] == 1", "unknown"},
                  {"d = {}\nif what(): d.update(a=2)\nd['a'] == 2", "yes"},
                  {"d = {}\nif what(): d.update(a=2)\nd.get('a') == 2", "unknown"},
                  {"d = {}\nif what(): d.update(a=2)\n'a' in d", "unknown"},
                  {"d = {}\nif what(): d.update(a=2)\n'b' in d", "no"},
                  {"d = {}\nif what(): d['a'] = 2\nbool(d)", "unknown"},
                  {"d = {}\nif what(): d['a'] = 2\nlen(d) == 1", "unknown"},
                  {"d = {}\nif what(): d['a'] = 2\nd.setdefault('a', 3) == 3", "unknown"},
                  {"d = {}\nif what(): d['a'] = 2\nd['a'] = 3\nd.get('a') == 3", "yes"},
                  {"d = {}\nif what(): d['a'] = 2\nlist(d) == ['a']", "unknown"},
                  {"d = {}\nif what(): d['a'] = 2\ne = {**d}\n'a' in e", "unknown"},
                  {"d = {}\nif what(): d['a'] = 2\n'a' in {k: 1 for k in d}", "unknown"},
                  {"d = {}\nif what(): d.setdefault('a', 2)\nd['a'] == 2", "yes"},
                  {"d = {'a': 1}\nif what(): x = d.pop('a')\n'a' in d", "unknown"},
                  {"d = {'a': 1}\nif what(): del d['a']\n'a' in d", "unknown"},
                  {"d = {'a': 1, 'b': 2}\nif what(): del d['a']\n'b' in d", "yes"},
                  {"d = {'a': 1}\nif what(): d.clear()\n'a' in d", "unknown"},
                  {"d = {'a': 1}\nif what(): x = d.pop('a')\nd['a'] == 1", "yes"},
                  {"d = {'a': 1}\nif what(): d.clear()\nd['a'] == 1", "yes"},
                  {"x = [1]\nif what(): x.add(2)\nx == [1]", "unknown"}});
}

TEST_CASE("what is no call that Python knows leaves a list as it is") {
  for (const std::string call :
       {"x.append(3, 4)", "x.append()", "x.add(3, 4)", "x.insert()", "x.insert(0)", "x.insert('a', 3)", "x.remove()",
        "x.discard()", "x.sort()", "x.sort(reverse=True)", "x.extend()"})
    CHECK(call + outcome("x = ['b', 2]\ntry: " + call + "\nexcept TypeError: pass\nx == ['b', 2]") == call + "yes");
}

TEST_CASE("a list has 65,536 items at most: what is put behind them is left out") {
  const std::string list = "x = list('a' * 65535)\n";
  check_outcomes({{list + "x.append(1)\nx[-1] == 1", "yes"},
                  {list + "x.append(1)\nx.append(2)\nlen(x) == 65536 and x[-1] == 1", "yes"},
                  {list + "x.insert(0, 1)\nx[0] == 1", "yes"},
                  {list + "x.insert(0, 1)\nx.insert(0, 2)\nlen(x) == 65536 and x[0] == 1", "yes"},
                  {list + "x.extend([1])\nx[-1] == 1", "yes"},
                  {list + "x.extend([1, 2])\nlen(x) == 65535", "yes"}});
}

TEST_CASE("a dictionary is given 65,536 keys at most by code, and what is put together has no more either") {
  std::string pairs;
  for (int i = 0; i < 65'535; ++i) pairs += std::to_string(i) + ":0,";
  const std::string dict = "d = {" + pairs + "}\n";
  check_outcomes({{dict + "e = {**d, **{'a': 1}}\nd.setdefault('a', 1)\nd.setdefault('b', 2)\n"
                          "'a' in d and d['a'] == 1 and len(e) == 65536",
                   "yes"},
                  {dict + "d['a'] = 1\nd['b'] = 2\nd['b'] == 2", "unknown"},
                  {dict + "len({**d, **{'a': 1, 'b': 2}}) == 65537", "unknown"}});
}

TEST_CASE("a list that is put together of others has 65,536 items at most") {
  const std::string list = "x = list('a' * 65536)\n";
  check_outcomes({{list + "len([*x]) == 65536", "yes"},
                  {list + "len([*x, *[1]]) == 65537", "unknown"},
                  {list + "len([*x[1:], *[1]]) == 65536", "yes"},
                  {list + "x = x[2:]\nx += [1]\nlen(x) == 65535", "yes"},
                  {list + "x = x[1:]\nx += [1]\nlen(x) == 65536", "unknown"}});
}

TEST_CASE("a dictionary has not the methods that it had in Python 2") {
  const auto ends = [](const std::string& code) {
    ImportWorld world;
    world.rules = R"({"standard_library": {"names": ["sys"], "names_newest": "3.13", "names_by_release": [
                        {"module": "builtins.dict", "release": "3.0", "gone": "has_key iteritems itervalues"}]},
                      "rules": [], "libraries": {"rows": {}}})";
    world.python.interpreter = "/usr/bin/python3.11";
    world.add("a.so");
    world.add("m.py", "d = {'a': 1}\n" + code + "\nimport a\n");
    const auto loads = world.import("m");
    return world.result.error.empty() ? loads : world.result.error;
  };
  CHECK(ends("for k, v in d.iteritems(): pass") == "AttributeError: 'dict' object has no attribute 'iteritems'");
  CHECK(ends("d.has_key('a')") == "AttributeError: 'dict' object has no attribute 'has_key'");
  CHECK(ends("f = d.itervalues") == "AttributeError: 'dict' object has no attribute 'itervalues'");
  CHECK(ends("try: f = d.iteritems\nexcept AttributeError: f = d.items") == "a.so");
  CHECK(ends("def f(): return d.iteritems()") == "a.so");
  CHECK(ends("d.items()") == "a.so");
}
