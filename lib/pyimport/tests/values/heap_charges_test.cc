#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include "pyimport/tests/import_world.h"
#include "pyimport/values/heap.h"
#include "unit/machine/cache_file.h"

using namespace cudald;

namespace {

/// What it costs to follow this code behind some that makes long values.
Cost cost_of(std::string_view code) {
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": ["sys", "os", "ctypes", "importlib", "glob", "json", "platform"]},
                    "libraries": {"rows": {}}, "functions": {"rows": [
                    {"call": "torch.cuda.is_available", "as": "whether a GPU is available"}]}, "rules": [
                    {"call": "a.rule", "source": "test", "values": {"v": "json:/s/v.json#/k"},
                     "steps": [{"if_value": "{v}", "load": "lib{v}.so", "required": false}, {"import": "spec"}],
                     "soft": [{"name": "libsoft.so", "note": "a note"}]}]})";
  world.add("v.json", "{\"k\": \"w\", \"l\": \"" + std::string(1'000, 'x') + "\"}");
  world.found = {{"libx.so"}};
  world.files.add_file("/etc/ld.so.cache", new_cache({{"liba.so", "/lib/liba.so"}, {"libb.so", "/lib/libb.so"}}));
  world.add("long.txt", std::string(60'000, 'a'));
  world.add("torch/__init__.py", "from . import cuda\n");
  world.add("torch/part.so", std::string(3'000, 'x'));
  world.add("torch/tab.py", "if 0: sys.modules[what()] = 1\n");
  world.add("torch/ns/y.pyi");
  world.add(
      "nodes.py", "x = [" + [] {
        std::string items;
        for (int i = 0; i < 3000; ++i) items += "1, ";
        return items;
      }() + "]\n");
  world.add("spec.py", "value = 1\n");
  world.add("near-1.5.dist-info/METADATA", "Name: near\nVersion: 1.5\n");
  world.add("near-1.5.dist-info/RECORD", "near/libnear.so,,\n");
  world.add("near-1.5.dist-info/entry_points.txt", "[g]\nn = spec:value\n");
  world.add("torch/cuda.py", "def is_available(): return what()\n");
  for (int i = 0; i < 500; ++i) world.add("many/f" + std::to_string(i));
  std::string names;
  for (int i = 0; i < 300; ++i) names += "name" + std::to_string(i) + " = 1\n";
  world.add("a.py", names + "def rule(): pass\n");
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
  std::uint64_t steps, kept;
};

// About: a change of an eighth and 64 more passes, so that only what is not charged any more, or twice, is seen.
constexpr Row rows[] = {
    Row{"s == t", 954, 118},
    Row{"s < t", 953, 117},
    Row{"'b' in s", 951, 120},
    Row{"s.startswith(s)", 955, 127},
    Row{"s.split('b')", 954, 80'268},
    Row{"s.rsplit('b')", 954, 80'269},
    Row{"s.replace('b', 'c')", 1044, 159},
    Row{"','.join(x)", 1041, 240'123},
    Row{"'{}'.format('a')", 1043, 128},
    Row{"'%s' % 'a'", 1038, 122},
    Row{"'ab' * 30000", 951, 124},
    Row{"f'{s}'", 951, 90},
    Row{"s[::2]", 60'954, 126},
    Row{"x[::2]", 6017, 120'190},
    Row{"x + y", 14, 560'181},
    Row{"x == z", 18'017, 118},
    Row{"x < z", 12'016, 117},
    Row{"0 in x", 18'014, 118},
    Row{"[*x]", 15, 480'152},
    Row{"[*y, *y]", 18, 160'212},
    Row{"(lambda *a: 1)(*x)", 12'025, 720'582},
    Row{"x.copy()", 16, 240'156},
    Row{"list(x)", 15, 480'155},
    Row{"set(x)", 12'015, 240'194},
    Row{"sorted(x)", 202'471, 720'157},
    Row{"list(s)", 952, 4'800'155},
    Row{"enumerate(x)", 15, 1'344'160},
    Row{"x.pop(0)", 6017, 120},
    Row{"x.insert(0, 1)", 6020, 194},
    Row{"x.reverse()", 6016, 95},
    Row{"x.sort()", 202'472, 240'092},
    Row{"y.extend(x)", 17, 480'123},
    Row{"x.append(s)", 17, 80'187},
    Row{"d.copy()", 16, 31'364},
    Row{"list(d)", 15, 43'355},
    Row{"d.items()", 316, 67'357},
    Row{"d.keys()", 316, 24'156},
    Row{"d.values()", 316, 24'158},
    Row{"{**d}", 1024, 31'361},
    Row{"{'k': s}", 18, 80'320},
    Row{"dict(d)", 15, 31'363},
    Row{"d.get('none')", 19, 125},
    Row{"d.update(d)", 17, 123},
    Row{"d.update(k=s)", 21, 80'281},
    Row{"d.setdefault('none', s)", 26, 80'291},
    Row{"{}.update(d)", 1027, 31'396},
    Row{"[i for i in x]", 20, 240'250},
    Row{"{i: i for i in x}", 24, 240'381},
    Row{"(i for i in x)", 20, 240'250},
    Row{"list(map(len, x))", 48'021, 960'313},
    Row{"list(filter(None, x))", 48'021, 960'317},
    Row{"json.loads(j)", 4517, 792'321},
    Row{"json.loads('[' + '1,' * 900 + '1]')", 570, 79'767},
    Row{"os.path.join(s, s)", 2834, 186},
    Row{"os.path.join('/', s)", 959, 188},
    Row{"os.listdir('/s/many')", 518, 70'085},
    Row{"glob.glob('/s/many/*')", 4718, 71'914},
    Row{"open('/s/long.txt').read()", 959, 166},
    Row{"ctypes.CDLL('libx.so')", 5132, 16'630},
    Row{"ctypes.util.find_library('z')", 10'147, 169},
    Row{"torch.cuda.is_available()", 5020, 137},
    Row{"n = s", 15, 80'217},
    Row{"K.a = s", 17, 80'216},
    Row{"e = {}\ne['k'] = s", 35, 80'545},
    Row{"d['0'] = s", 20, 80'174},
    Row{"del y[0]", 1016, 120},
    Row{"del d['0']", 317, 122},
    Row{"s += 'a'", 952, 80'117},
    Row{"x += y", 15, 80'090},
    Row{"y += y", 15, 80'090},
    Row{"for i in x: pass", 27, 240'260},
    Row{"for i in y: pass", 17018, 40'260},
    Row{"n, *m = x", 21, 480'409},
    Row{"def g(a=s): pass", 21, 80'552},
    Row{"def g(**k): pass\ng(a=1, b=s)", 59, 81'084},
    Row{"def g(*k): pass\ng(*y)", 2044, 120'781},
    Row{"import b", 5034, 16'992},
    Row{"from a import *", 9046, 31'431},
    Row{"if what(): import b", 5052, 17'261},
    Row{"match x:\n  case [*r]: pass", 36, 480'422},
    Row{"match d:\n  case {'0': r, **q}: pass", 348, 31'827},
    Row{"def g(): yield from y\nlist(g())", 45, 120'839},
    Row{"os.environ['N'] = s", 21, 80'316},
    Row{"sys.path.append('/z')\nimport c", 5054, 17'194},
    Row{"import cython", 73'110, 17'117},
    Row{"import compiled", 33'160, 17'167},
    Row{"import source", 34'410, 200'787},
    Row{"[s]", 14, 80'187},
    Row{"(s, 1)", 16, 80'258},
    Row{"{'k': 1, s: 2}", 26, 80'514},
    Row{"def g(): yield s\nlist(g())", 44, 160'962},
    Row{"def g(): yield from [s]\nlist(g())", 55, 321'189},
    Row{"{i: s for i in [1]}", 34, 80'787},
    Row{"[s for i in [1]]", 30, 80'656},
    Row{"f.a = s", 17, 80'296},
    Row{"setattr(K, 'a', s)", 20, 80'255},
    Row{"y.insert(0, s)", 1020, 80'218},
    Row{"(lambda a: a)(s)", 25, 80'512},
    Row{"(lambda a=s: a)()", 24, 160'573},
    Row{"for i in [s]: pass", 37, 240'506},
    Row{"if what(): r = s", 29, 80'340},
    Row{"n: str = s", 17, 80'250},
    Row{"(n := s)", 16, 80'220},
    Row{"match s:\n  case q: pass", 31, 80'323},
    Row{"{'a': s}.items()", 24, 160'696},
    Row{"list(zip([s], [s]))", 33, 481'067},
    Row{"list(enumerate([s]))", 21, 240'796},
    Row{"class L(K, object): pass", 39, 472},
    Row{"class L(K, size=s): pass", 40, 500},
    Row{"K().unheard_of", 30, 242},
    Row{"k = K()\nk.b = s", 37, 80'584},
    Row{"'x' in open('/proc/self/maps').read()", 5027, 261},
    Row{"if what():\n  ctypes.CDLL('libx.so')", 5160, 16'755},
    Row{"def g():\n  if what(): import b\ng()", 654, 973},
    Row{"def g():\n  if what():\n    import b\n    import c\ng()", 725, 1235},
    Row{"sys.modules.pop('a')", 20, 224},
    Row{"sys.modules['made'] = 5", 24, 603},
    Row{"try: import absent\nexcept ImportError: pass", 94, 746},
    Row{"try: import absent, absent\nexcept ImportError: pass", 97, 814},
    Row{"try: import absent\nexcept (ImportError, KeyError): pass", 163, 814},
    Row{"import torch.part\ntry: import torch.made\nexcept KeyError: pass", 5609, 17'885},
    Row{"import torch.part", 5503, 17'113},
    Row{"def g(): CDLL('liby.so')", 138, 492},
    Row{"ctypes.CDLL(what())", 140, 305},
    Row{"ctypes.CDLL(what())\nctypes.CDLL(what())", 185, 611},
    Row{"exec('n = 1', {})", 34, 825},
    Row{"exec('n = 1', {'k': 1, 'l': 2})", 66, 1239},
    Row{"globals().update(a.__dict__)", 324, 26'270},
    Row{"importlib.metadata.version('near')", 74, 755},
    Row{"importlib.metadata.files('near')", 69, 937},
    Row{"importlib.metadata.entry_points(group='g')", 42, 874},
    Row{"q = importlib.util.spec_from_file_location('q', '/s/a.py')\n"
        "importlib.util.module_from_spec(q)",
        60, 993},
    Row{"q = importlib.util.spec_from_file_location('q', '/s/a.py')\n"
        "q.loader.exec_module(importlib.util.module_from_spec(q))",
        5706, 76'007},
    Row{"importlib.util.find_spec('absent')", 42, 174},
    Row{"os.environ.update({'N': s})", 27, 240'708},
    Row{"os.environ['N'] = what()", 23, 253},
    Row{"os.environ['N'] = 'a'\ndel os.environ['N']", 49, 487},
    Row{"{'a', 'b'} & {'b'}", 28, 686},
    Row{"{1, 2} <= {1, 2, 3}", 52, 599},
    Row{"{1, 2} == {2, 1}", 51, 528},
    Row{"h = 'ab' * 9000\nh + h", 873, 24'429},
    Row{"global p, q", 79, 95},
    Row{"n = 0\nwhile n < 3: n += 1", 101, 465},
    Row{"for i in [1, 2, 3]: pass", 75, 656},
    Row{"del x[-1]", 18, 149},
    Row{"'{0}{0}'.format('a', 'b')", 1049, 165},
    Row{"'a b c'.split()", 17, 331},
    Row{"s.endswith('a')", 955, 127},
    Row{"s.lower()", 953, 93},
    Row{"s.find('b')", 954, 123},
    Row{"len(s)", 952, 90},
    Row{"glob.glob('/s/many/f1')", 318, 239},
    Row{"glob.glob('/s/many/f1*')", 5618, 59'178},
    Row{"os.path.exists('/s/many')", 120, 163},
    Row{"os.path.isdir('/s/many/f1')", 121, 165},
    Row{"a.rule()", 14'119, 17'544},
    Row{"json.loads('{\"k\": [1, null, true, \"t\"]}')", 32, 901},
    Row{"ctypes.util.find_library('a')", 147, 169},
    Row{"import b as c, spec as d", 5075, 17'868},
    Row{"from spec import value", 50, 994},
    Row{"from torch import part", 5523, 17'250},
    Row{"next(iter(x))", 18, 720'217},
    Row{"max(y)", 2015, 40'090},
    Row{"any(y)", 15, 40'090},
    Row{"zip(y, y)", 17, 264'185},
    Row{"reversed(y)", 15, 80'159},
    Row{"[i for i in y[:300]]", 3875, 36'576},
    Row{"{i for i in y[:300]}", 4475, 36'576},
    Row{"{i: 1 for i in y[:300]}", 5038, 55'843},
    Row{"x[5] = s", 18, 80'212},
    Row{"x.remove(0)", 18'017, 123},
    Row{"d.pop('5')", 320, 122},
    Row{"d.clear()", 316, 93},
    Row{"d == d.copy()", 21, 31'453},
    Row{"s in x", 12'014, 118},
    Row{"'aa' in d", 16, 121},
    Row{"None in x", 18'014, 121},
    Row{"x.extend(y)", 17, 80'123},
    Row{"(lambda a, b=1, *c, **e: a)(1, 2, 3, f=4)", 78, 1197},
    Row{"def g(a, b): return a\ng(*[1], **{'b': 2})", 76, 1369},
    Row{"def g():\n  x = 1\n  def h():\n    nonlocal x\n    x = 2\n  h()\ng()", 150, 1486},
    Row{"def g(): yield\nfor i in g(): pass", 62, 953},
    Row{"with open('/s/long.txt') as f: f.read()", 976, 319},
    Row{"match 5:\n  case 4 | 5: pass", 45, 283},
    Row{"match [1, 2]:\n  case [1, *r]: pass", 47, 778},
    Row{"match d:\n  case {'absent': r}: pass", 34, 31'491},
    Row{"try: raise KeyError('t')\nexcept KeyError as e: str(e)", 82, 521},
    Row{"assert s, t", 15, 95},
    Row{"f(*x)", 6025, 480'213},
    Row{"f(*[s])", 28, 240'499},
    Row{"[*[s]]", 17, 240'438},
    Row{"{**{'k': s}}", 23, 160'580},
    Row{"(i for i in y)", 20, 40'250},
    Row{"import nodes", 11'633, 214'026},
    Row{"import torch.tab\nimport torch.made", 100'101, 1529},
    Row{"from torch.ns import q", 56, 535},
    Row{"import torch.ns", 36, 500},
    Row{"{'a': 1} | {'b': 2}", 36, 667},
    Row{"'a' in 'abc' * 100", 25, 214},
    Row{"os.path.join('a', 'b', 'c')", 25, 223},
    Row{"sys.path.append('/z')\nimport absent", 47, 746},
    Row{"x.sort(reverse=True)", 202'476, 240'160},
    Row{"d.setdefault('5', s)", 24, 160},
    Row{"d.update(n=1)\nd.update({'n': 2})", 54, 648},
    Row{"K.a", 18, 59},
    Row{"class L(K): pass\nclass M(L): pass\nM().a", 215, 1179},
    Row{"setattr(what(), what(), 1)\nimport nowhere", 38, 774},
    Row{"def g():\n  if what():\n    import b\ng()\ng()", 702, 1122},
    Row{"exec('import b')", 5048, 17'323},
    Row{"str(s)", 15, 90},
    Row{"int('5')", 15, 92},
    Row{"compile(s, 'f', 'exec')", 20, 163},
};

}  // namespace

TEST_CASE("what code makes cudald look at, or keep, is charged") {
  const auto before = cost_of("");
  for (const auto& [code, steps, kept] : rows) {
    const auto& seen_code = code;
    CAPTURE(seen_code);
    const auto cost = cost_of(code);
    const auto taken = cost.steps - before.steps, held = cost.kept - before.kept;
    CAPTURE(taken);
    CAPTURE(held);
    CHECK(is_about(taken, steps));
    CHECK(is_about(held, kept));
  }
}

TEST_CASE("a long text is kept once, however many values have it, and nothing more than it") {
  std::string text;
  text.reserve(4000);
  for (int i = 0; i < 1000; ++i) text += 'a';
  const python::Value value(std::move(text)), other = value;
  CHECK(value.get<std::string>() == other.get<std::string>());
  CHECK(*value.get<std::string>() == std::string(1000, 'a'));
  CHECK(value.get<std::string>()->capacity() < 1020);
  const python::Value small(std::string(20, 'a')), copy = small;
  CHECK(small.get<std::string>() != copy.get<std::string>());
}

TEST_CASE("what is looked at costs a step for each 64 bytes, and a text takes its room from 16 letters on") {
  Budget budget;
  python::Heap heap(budget);
  const auto steps = [&](std::uint64_t bytes) {
    const auto before = budget.cost().steps;
    heap.look_at(bytes);
    return budget.cost().steps - before;
  };
  CHECK(steps(0) == 0);
  CHECK(steps(63) == 0);
  CHECK(steps(64) == 1);
  CHECK(steps(127) == 1);
  CHECK(steps(128) == 2);
  const auto room = [](std::size_t letters) {
    return python::Heap::size_of(python::Value(std::string(letters, 'a'))) - sizeof(python::Value);
  };
  CHECK(room(15) == 0);
  CHECK(room(16) == 16 + 24);
  CHECK(room(255) == 255 + 24);
  CHECK(room(256) == 256 + 24 + 85);
  CHECK(room(300) == 300 + 24 + 100);
  // From 256 letters on it is shared by all values that have it.
  for (const std::size_t letters : {255U, 256U}) {
    const python::Value value(std::string(letters, 'a')), other = value;
    CHECK((value.get<std::string>() == other.get<std::string>()) == (letters == 256));
  }
}
