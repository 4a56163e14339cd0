#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include "python/heap.h"
#include "unit/env/cache_file.h"
#include "unit/python/import_world.h"

using namespace cudald;

namespace {

/// What it costs to follow this code behind some that makes long values.
Cost cost_of(std::string_view code) {
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": ["sys", "os", "ctypes", "importlib", "glob", "json", "platform"]},
                    "libraries": {"rows": {}}, "rules": [
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
  for (int i = 0; i < 500; ++i) world.files.add_file("/many/f" + std::to_string(i), "");
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

// Exactly: what was charged less, or more, would go by unseen. Who changes what code costs puts the new numbers here.
constexpr Row rows[] = {
    Row{"s == t", 954, 120},
    Row{"s < t", 953, 119},
    Row{"'b' in s", 951, 124},
    Row{"s.startswith(s)", 955, 139},
    Row{"s.split('b')", 954, 80'277},
    Row{"s.rsplit('b')", 954, 80'279},
    Row{"s.replace('b', 'c')", 1044, 173},
    Row{"','.join(x)", 1041, 240'131},
    Row{"'{}'.format('a')", 1043, 141},
    Row{"'%s' % 'a'", 1038, 129},
    Row{"'ab' * 30000", 951, 133},
    Row{"f'{s}'", 951, 92},
    Row{"s[::2]", 60'954, 128},
    Row{"x[::2]", 6017, 120'192},
    Row{"x + y", 14, 560'183},
    Row{"x == z", 18'017, 120},
    Row{"x < z", 12'016, 119},
    Row{"0 in x", 18'014, 120},
    Row{"[*x]", 15, 480'153},
    Row{"[*y, *y]", 18, 160'214},
    Row{"(lambda *a: 1)(*x)", 12'025, 720'585},
    Row{"x.copy()", 16, 240'161},
    Row{"list(x)", 15, 480'160},
    Row{"set(x)", 12'015, 240'198},
    Row{"sorted(x)", 202'471, 720'164},
    Row{"list(s)", 952, 4'800'160},
    Row{"enumerate(x)", 15, 1'344'170},
    Row{"x.pop(0)", 6017, 125},
    Row{"x.insert(0, 1)", 6020, 203},
    Row{"x.reverse()", 6016, 103},
    Row{"x.sort()", 202'472, 240'097},
    Row{"y.extend(x)", 17, 480'131},
    Row{"x.append(s)", 17, 80'195},
    Row{"d.copy()", 16, 24'153},
    Row{"list(d)", 15, 36'160},
    Row{"d.items()", 316, 67'363},
    Row{"d.keys()", 316, 24'161},
    Row{"d.values()", 316, 24'165},
    Row{"{**d}", 615, 24'146},
    Row{"{'k': s}", 18, 80'284},
    Row{"dict(d)", 15, 24'152},
    Row{"d.get('none')", 917, 135},
    Row{"d.update(d)", 135'467, 48'131},
    Row{"d.update(k=s)", 919, 80'266},
    Row{"d.setdefault('none', s)", 1820, 80'285},
    Row{"{}.update(d)", 134'568, 48'187},
    Row{"[i for i in x]", 19, 240'253},
    Row{"{i: i for i in x}", 21, 240'313},
    Row{"(i for i in x)", 19, 240'253},
    Row{"list(map(len, x))", 48'021, 960'324},
    Row{"list(filter(None, x))", 48'021, 960'328},
    Row{"json.loads(j)", 4517, 792'331},
    Row{"json.loads('[' + '1,' * 900 + '1]')", 570, 79'790},
    Row{"os.path.join(s, s)", 2834, 198},
    Row{"os.path.join('/', s)", 959, 202},
    Row{"os.listdir('/many')", 518, 70'101},
    Row{"glob.glob('/many/*')", 4618, 90'993},
    Row{"open('/s/long.txt').read()", 959, 187},
    Row{"ctypes.CDLL('libx.so')", 5132, 16'649},
    Row{"ctypes.util.find_library('z')", 10'147, 194},
    Row{"torch.cuda.is_available()", 5020, 158},
    Row{"n = s", 15, 80'219},
    Row{"K.a = s", 17, 80'219},
    Row{"e = {}\ne['k'] = s", 33, 80'511},
    Row{"d['0'] = s", 618, 80'219},
    Row{"del y[0]", 1016, 122},
    Row{"del d['0']", 1816, 126},
    Row{"s += 'a'", 952, 80'123},
    Row{"x += y", 15, 80'094},
    Row{"y += y", 15, 80'094},
    Row{"for i in x: pass", 27, 240'262},
    Row{"for i in y: pass", 27, 40'262},
    Row{"n, *m = x", 21, 480'412},
    Row{"def g(a=s): pass", 21, 80'555},
    Row{"def g(**k): pass\ng(a=1, b=s)", 54, 81'029},
    Row{"def g(*k): pass\ng(*y)", 2044, 120'785},
    Row{"import b", 5034, 16'945},
    Row{"from a import *", 9046, 31'433},
    Row{"if what(): import b", 5052, 17'218},
    Row{"match x:\n  case [*r]: pass", 36, 480'424},
    Row{"match d:\n  case {'0': r, **q}: pass", 48, 24'617},
    Row{"def g(): yield from y\nlist(g())", 45, 120'846},
    Row{"os.environ['N'] = s", 21, 80'329},
    Row{"sys.path.append('/z')\nimport c", 5054, 17'164},
    Row{"import cython", 73'110, 17'075},
    Row{"import compiled", 33'160, 17'127},
    Row{"import source", 28'159, 200'737},
    Row{"[s]", 14, 80'188},
    Row{"(s, 1)", 16, 80'260},
    Row{"{'k': 1, s: 2}", 25, 80'456},
    Row{"def g(): yield s\nlist(g())", 44, 160'969},
    Row{"def g(): yield from [s]\nlist(g())", 55, 321'196},
    Row{"{i: s for i in [1]}", 34, 80'751},
    Row{"[s for i in [1]]", 30, 80'659},
    Row{"f.a = s", 17, 80'299},
    Row{"setattr(K, 'a', s)", 20, 80'267},
    Row{"y.insert(0, s)", 1020, 80'227},
    Row{"(lambda a: a)(s)", 25, 80'515},
    Row{"(lambda a=s: a)()", 24, 160'576},
    Row{"for i in [s]: pass", 37, 240'508},
    Row{"if what(): r = s", 29, 80'346},
    Row{"n: str = s", 17, 80'255},
    Row{"(n := s)", 16, 80'222},
    Row{"match s:\n  case q: pass", 31, 80'325},
    Row{"{'a': s}.items()", 24, 160'665},
    Row{"list(zip([s], [s]))", 33, 481'076},
    Row{"list(enumerate([s]))", 21, 240'810},
    Row{"class L(K, object): pass", 39, 480},
    Row{"class L(K, size=s): pass", 40, 507},
    Row{"K().unheard_of", 30, 253},
    Row{"k = K()\nk.b = s", 37, 80'589},
    Row{"'x' in open('/proc/self/maps').read()", 5027, 289},
    Row{"if what():\n  ctypes.CDLL('libx.so')", 5160, 16'778},
    Row{"def g():\n  if what(): import b\ng()", 654, 980},
    Row{"def g():\n  if what():\n    import b\n    import c\ng()", 725, 1243},
    Row{"sys.modules.pop('a')", 20, 240},
    Row{"sys.modules['made'] = 5", 21, 440},
    Row{"try: import absent\nexcept ImportError: pass", 94, 715},
    Row{"try: import absent, absent\nexcept ImportError: pass", 97, 789},
    Row{"try: import absent\nexcept (ImportError, KeyError): pass", 163, 791},
    Row{"import torch.part\ntry: import torch.made\nexcept KeyError: pass", 5609, 17'817},
    Row{"import torch.part", 5503, 17'075},
    Row{"def g(): CDLL('liby.so')", 138, 506},
    Row{"ctypes.CDLL(what())", 140, 319},
    Row{"ctypes.CDLL(what())\nctypes.CDLL(what())", 185, 639},
    Row{"exec('n = 1', {})", 32, 782},
    Row{"exec('n = 1', {'k': 1, 'l': 2})", 52, 1260},
    Row{"globals().update(a.__dict__)", 324, 26'292},
    Row{"importlib.metadata.version('near')", 69, 593},
    Row{"importlib.metadata.files('near')", 69, 723},
    Row{"importlib.metadata.entry_points(group='g')", 37, 495},
    Row{"q = importlib.util.spec_from_file_location('q', '/s/a.py')\n"
        "importlib.util.module_from_spec(q)",
        60, 1072},
    Row{"q = importlib.util.spec_from_file_location('q', '/s/a.py')\n"
        "q.loader.exec_module(importlib.util.module_from_spec(q))",
        5706, 78'350},
    Row{"importlib.util.find_spec('absent')", 42, 204},
    Row{"os.environ.update({'N': s})", 27, 240'663},
    Row{"os.environ['N'] = what()", 23, 269},
    Row{"os.environ['N'] = 'a'\ndel os.environ['N']", 49, 514},
    Row{"{'a', 'b'} & {'b'}", 27, 695},
    Row{"{1, 2} <= {1, 2, 3}", 52, 604},
    Row{"{1, 2} == {2, 1}", 51, 532},
    Row{"h = 'ab' * 9000\nh + h", 873, 24'440},
    Row{"global p, q", 79, 97},
    Row{"n = 0\nwhile n < 3: n += 1", 101, 473},
    Row{"for i in [1, 2, 3]: pass", 75, 660},
    Row{"del x[-1]", 18, 151},
    Row{"'{0}{0}'.format('a', 'b')", 1049, 185},
    Row{"'a b c'.split()", 17, 343},
    Row{"s.endswith('a')", 955, 139},
    Row{"s.lower()", 953, 99},
    Row{"s.find('b')", 954, 131},
    Row{"len(s)", 952, 94},
    Row{"glob.glob('/many/f1')", 218, 255},
    Row{"glob.glob('/many/f1*')", 5618, 59'197},
    Row{"os.path.exists('/many')", 120, 182},
    Row{"os.path.isdir('/many/f1')", 121, 186},
    Row{"a.rule()", 9118, 17'499},
    Row{"json.loads('{\"k\": [1, null, true, \"t\"]}')", 30, 860},
    Row{"ctypes.util.find_library('a')", 147, 194},
    Row{"import b as c, spec as d", 5075, 17'785},
    Row{"from spec import value", 50, 961},
    Row{"from torch import part", 5523, 17'211},
    Row{"next(iter(x))", 18, 720'226},
    Row{"max(y)", 2015, 40'094},
    Row{"any(y)", 15, 40'094},
    Row{"zip(y, y)", 17, 264'190},
    Row{"reversed(y)", 15, 80'168},
    Row{"[i for i in y[:300]]", 3875, 36'582},
    Row{"{i for i in y[:300]}", 4475, 36'582},
    Row{"{i: 1 for i in y[:300]}", 4629, 48'634},
    Row{"x[5] = s", 18, 80'215},
    Row{"x.remove(0)", 18'017, 131},
    Row{"d.pop('5')", 935, 129},
    Row{"d.clear()", 16, 99},
    Row{"d == d.copy()", 21, 24'243},
    Row{"s in x", 12'014, 120},
    Row{"'aa' in d", 914, 126},
    Row{"None in x", 18'014, 122},
    Row{"x.extend(y)", 17, 80'131},
    Row{"(lambda a, b=1, *c, **e: a)(1, 2, 3, f=4)", 76, 1169},
    Row{"def g(a, b): return a\ng(*[1], **{'b': 2})", 76, 1339},
    Row{"def g():\n  x = 1\n  def h():\n    nonlocal x\n    x = 2\n  h()\ng()", 150, 1495},
    Row{"def g(): yield\nfor i in g(): pass", 62, 956},
    Row{"with open('/s/long.txt') as f: f.read()", 976, 342},
    Row{"match 5:\n  case 4 | 5: pass", 45, 286},
    Row{"match [1, 2]:\n  case [1, *r]: pass", 47, 782},
    Row{"match d:\n  case {'absent': r}: pass", 1832, 24'301},
    Row{"try: raise KeyError('t')\nexcept KeyError as e: str(e)", 82, 545},
    Row{"assert s, t", 15, 97},
    Row{"f(*x)", 6025, 480'215},
    Row{"f(*[s])", 28, 240'501},
    Row{"[*[s]]", 17, 240'439},
    Row{"{**{'k': s}}", 23, 160'504},
    Row{"(i for i in y)", 19, 40'253},
    Row{"import nodes", 11'633, 216'984},
    Row{"import torch.tab\nimport torch.made", 101, 1468},
    Row{"from torch.ns import q", 56, 496},
    Row{"import torch.ns", 36, 460},
    Row{"{'a': 1} | {'b': 2}", 35, 579},
    Row{"'a' in 'abc' * 100", 25, 225},
    Row{"os.path.join('a', 'b', 'c')", 25, 242},
    Row{"sys.path.append('/z')\nimport absent", 47, 721},
    Row{"x.sort(reverse=True)", 202'476, 240'172},
    Row{"d.setdefault('5', s)", 38, 175},
    Row{"d.update(n=1)\nd.update({'n': 2})", 1853, 764},
    Row{"K.a", 18, 61},
    Row{"class L(K): pass\nclass M(L): pass\nM().a", 125, 1113},
    Row{"setattr(what(), what(), 1)\nimport nowhere", 38, 749},
    Row{"def g():\n  if what():\n    import b\ng()\ng()", 702, 1130},
    Row{"exec('import b')", 5048, 17'290},
    Row{"str(s)", 15, 94},
    Row{"int('5')", 15, 98},
    Row{"compile(s, 'f', 'exec')", 20, 180},
};

}  // namespace

TEST_CASE("what code makes cudald look at, or keep, is charged") {
  const auto before = cost_of("");
  for (const auto& [code, steps, kept] : rows) {
    CAPTURE(code);
    const auto cost = cost_of(code);
    CHECK(cost.steps - before.steps == steps);
    CHECK(cost.kept - before.kept == kept);
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
