#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "unit/env/cache_file.h"
#include "unit/python/import_world.h"

using namespace cudald;

namespace {

/// What it costs to follow this code behind some that makes long values.
Cost cost_of(std::string_view code) {
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": ["sys", "os", "ctypes", "importlib", "glob", "json", "platform"]},
                    "rules": [], "libraries": {"rows": {}}})";
  world.found = {{"libx.so"}};
  world.files.add_file("/etc/ld.so.cache", new_cache({{"liba.so", "/lib/liba.so"}, {"libb.so", "/lib/libb.so"}}));
  world.add("long.txt", std::string(60'000, 'a'));
  world.add("torch/__init__.py", "from . import cuda\n");
  world.add("torch/cuda.py", "def is_available(): return what()\n");
  for (int i = 0; i < 500; ++i) world.files.add_file("/many/f" + std::to_string(i), "");
  std::string names;
  for (int i = 0; i < 300; ++i) names += "name" + std::to_string(i) + " = 1\n";
  world.add("a.py", names);
  for (const auto* name : {"b.so", "c.so"}) world.add(name);
  const std::string zero(1, '\0');
  std::string strings = zero + "cython_runtime" + zero;
  for (int i = 0; i < 3000; ++i) strings += "name_" + std::to_string(i) + zero;
  world.add("cython.so", strings);
  world.add("compiled.so", std::string(200'000, 'x'));
  world.add("source.py", "#" + std::string(200'000, 'x') + "\n");
  world.add("m.py",
            "import ctypes, ctypes.util, glob, importlib.metadata, importlib.util, json, os, platform, sys, torch, a\n"
            "s = 'a' * 60000\nt = 'a' * 60000\nx = list('a' * 6000)\nz = list(x)\ny = list(range(1000))\n"
            "d = {str(i): i for i in range(300)}\nj = '[' + '1,' * 9000 + '1]'\ndef f(): pass\nclass K: pass\n" +
                std::string(code) + "\n");
  world.import("m");
  return world.cost;
}

struct Row {
  std::string_view code;
  std::uint64_t steps, kept;  ///< at least
};

// Where a number is 0, little is done or kept.
constexpr Row rows[] = {
    Row{"s == t", 900, 0},
    Row{"s < t", 900, 0},
    Row{"'b' in s", 900, 0},
    Row{"s.startswith(s)", 900, 0},
    Row{"s.split('b')", 900, 57'000},
    Row{"s.rsplit('b')", 900, 57'000},
    Row{"s.replace('b', 'c')", 990, 0},
    Row{"','.join(x)", 980, 220'000},
    Row{"'{}'.format('a')", 990, 0},
    Row{"'%s' % 'a'", 980, 0},
    Row{"'ab' * 30000", 900, 0},
    Row{"f'{s}'", 900, 0},
    Row{"s[::2]", 57'000, 0},
    Row{"x[::2]", 5'700, 110'000},
    Row{"x + y", 0, 530'000},
    Row{"x == z", 11'000, 0},
    Row{"x < z", 11'000, 0},
    Row{"0 in x", 11'000, 0},
    Row{"[*x]", 0, 450'000},
    Row{"[*y, *y]", 0, 150'000},
    Row{"(lambda *a: 1)(*x)", 11'000, 680'000},
    Row{"x.copy()", 0, 220'000},
    Row{"list(x)", 0, 450'000},
    Row{"set(x)", 11'000, 220'000},
    Row{"sorted(x)", 200'000, 450'000},
    Row{"list(s)", 0, 4'500'000},
    Row{"enumerate(x)", 0, 1'200'000},
    Row{"x.pop(0)", 5'700, 0},
    Row{"x.insert(0, 1)", 5'700, 0},
    Row{"x.reverse()", 5'700, 0},
    Row{"x.sort()", 200'000, 0},
    Row{"y.extend(x)", 0, 450'000},
    Row{"x.append(s)", 0, 57'000},
    Row{"d.copy()", 0, 22'000},
    Row{"list(d)", 0, 34'000},
    Row{"d.items()", 300, 61'000},
    Row{"d.keys()", 300, 22'000},
    Row{"d.values()", 300, 22'000},
    Row{"{**d}", 0, 22'000},
    Row{"{'k': s}", 0, 57'000},
    Row{"dict(d)", 0, 22'000},
    Row{"d.get('none')", 580, 0},
    Row{"d.update(d)", 85'000, 45'000},
    Row{"d.update(k=s)", 580, 57'000},
    Row{"d.setdefault('none', s)", 1'100, 57'000},
    Row{"{}.update(d)", 85'000, 45'000},
    Row{"[i for i in x]", 0, 220'000},
    Row{"{i: i for i in x}", 0, 220'000},
    Row{"(i for i in x)", 0, 220'000},
    Row{"list(map(len, x))", 45'000, 910'000},
    Row{"list(filter(None, x))", 45'000, 910'000},
    Row{"json.loads(j)", 4'200, 750'000},
    Row{"json.loads('[' + '1,' * 900 + '1]')", 540, 75'000},
    Row{"os.path.join(s, s)", 2'600, 0},
    Row{"os.path.join('/', s)", 910, 0},
    Row{"os.listdir('/many')", 490, 66'000},
    Row{"glob.glob('/many/*')", 4'300, 66'000},
    Row{"open('/s/long.txt').read()", 910, 0},
    Row{"ctypes.CDLL('libx.so')", 4'800, 15'000},
    Row{"ctypes.util.find_library('z')", 9'600, 0},
    Row{"torch.cuda.is_available()", 4'700, 0},
    Row{"n = s", 0, 57'000},
    Row{"K.a = s", 0, 57'000},
    Row{"e = {}\ne['k'] = s", 0, 57'000},
    Row{"d['0'] = s", 0, 57'000},
    Row{"del y[0]", 960, 0},
    Row{"del d['0']", 1'100, 0},
    Row{"s += 'a'", 900, 57'000},
    Row{"x += y", 0, 76'000},
    Row{"y += y", 0, 76'000},
    Row{"for i in x: pass", 0, 220'000},
    Row{"for i in y: pass", 0, 38'000},
    Row{"n, *m = x", 0, 450'000},
    Row{"def g(a=s): pass", 0, 57'000},
    Row{"def g(**k): pass\ng(a=1, b=s)", 0, 58'000},
    Row{"def g(*k): pass\ng(*y)", 1'900, 110'000},
    Row{"import b", 4'700, 16'000},
    Row{"from a import *", 1'100, 43'000},
    Row{"if what(): import b", 4'700, 16'000},
    Row{"match x:\n  case [*r]: pass", 0, 450'000},
    Row{"match d:\n  case {'0': r, **q}: pass", 0, 23'000},
    Row{"def g(): yield from y\nlist(g())", 0, 110'000},
    Row{"os.environ['N'] = s", 0, 57'000},
    Row{"sys.path.append('/z')\nimport c", 4'800, 16'000},
    Row{"import cython", 68'000, 16'000},
    Row{"import compiled", 31'000, 16'000},
    Row{"import source", 26'000, 190'000},
    Row{"[s]", 0, 57'000},
    Row{"(s, 1)", 0, 57'000},
    Row{"{'k': 1, s: 2}", 0, 57'000},
    Row{"def g(): yield s\nlist(g())", 0, 57'000},
    Row{"def g(): yield from [s]\nlist(g())", 0, 57'000},
    Row{"{i: s for i in [1]}", 0, 57'000},
    Row{"[s for i in [1]]", 0, 57'000},
    Row{"f.a = s", 0, 57'000},
    Row{"setattr(K, 'a', s)", 0, 57'000},
    Row{"y.insert(0, s)", 0, 57'000},
    Row{"(lambda a: a)(s)", 0, 57'000},
    Row{"(lambda a=s: a)()", 0, 57'000},
    Row{"for i in [s]: pass", 0, 57'000},
    Row{"if what(): r = s", 0, 57'000},
    Row{"n: str = s", 0, 57'000},
    Row{"(n := s)", 0, 57'000},
    Row{"match s:\n  case q: pass", 0, 57'000},
    Row{"{'a': s}.items()", 0, 57'000},
    Row{"list(zip([s], [s]))", 0, 57'000},
    Row{"list(enumerate([s]))", 0, 57'000},
};

}  // namespace

TEST_CASE("what code makes cudald look at, or keep, is charged") {
  const auto before = cost_of("");
  for (const auto& [code, steps, kept] : rows) {
    CAPTURE(code);
    const auto cost = cost_of(code);
    CHECK(cost.steps - before.steps >= steps);
    CHECK(cost.kept - before.kept >= kept);
  }
}

TEST_CASE("a long text is kept once, however many values have it, and nothing more than it") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += 'a';
  const python::Value value(text), other = value;
  CHECK(value.get<std::string>() == other.get<std::string>());
  CHECK(*value.get<std::string>() == text);
  CHECK(value.get<std::string>()->capacity() < 1020);
  const python::Value small(std::string(20, 'a')), copy = small;
  CHECK(small.get<std::string>() != copy.get<std::string>());
}
