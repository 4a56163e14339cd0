#!/usr/bin/env python3
"""Gives cudald Python sources and environments of few bytes that ask for very much work, memory or depth.

    cheap_python.py CUDALD [--only GLOB] [--keep DIR] [--time-limit S] [--memory-limit MB]

Each module imports a small extension module first: that it is loaded must be told whatever comes after it. See
cheap.py. Output is TAP.
"""

import os
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from cheap import Asked, CheapCase, findings_of, run  # noqa: E402
from elf_writer import write_elf  # noqa: E402

CASES = []
KIB, MIB = 1 << 10, 1 << 20
LIMIT = ("CUD902",)
TOO_DEEP = "nested too deeply"
TEXT = f"s = {'x' * 60_000!r}\n"
LONG_LIST = f"l = [{'0, ' * 300}]\n"  # as long as a loop is followed


def stands(document):
    """The extension module that was imported before is in the report, and what is wrong is no more than a limit."""
    if not any(o["path"] == "before.so" or o["path"].endswith("/before.so") for o in document["objects"]):
        return "the extension module that was imported before"
    if findings_of(document, "CUD114"):
        return f"an import that works is told to fail: {findings_of(document, 'CUD114')[0]['message'][:200]}"
    return None


def notes_of(document):
    return [note for t in document["targets"] for i in t.get("imports", []) for note in i["notes"]]


def noted(*words):
    """Everything stands, and one note of the import has these words."""

    def check(document):
        notes = notes_of(document)
        if not all(any(word in note for note in notes) for word in words):
            return f"a note with {words}: {[note[:200] for note in notes[:5]]}"
        return stands(document)

    return check


def write(folder, files):
    for path, content in files.items():
        place = os.path.join(folder, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
    write_elf(os.path.join(folder, "before.so"), soname="before.so")


def ask(folder, module="m", **asked):
    arguments = ["explain", "-f", "json", "--clear-env", "--prefix", folder, "py:" + module]
    return Asked(arguments, **{"stands": stands, **asked})


def source_case(name, text, others=None, **asked):
    """A module that imports the extension module and then runs `text`."""

    def build(folder):
        write(folder, {"m.py": "import before\n" + (text() if callable(text) else text), **(others or {})})
        return [ask(folder, **asked)]

    CASES.append(CheapCase(name, build))


def case(name):
    def enlist(build):
        CASES.append(CheapCase(name, build))
        return build

    return enlist


def deep(name, text, **others):
    """Text that is nested 30,000 deep: what it means is not known, nothing else is."""
    source_case("nested 30,000 deep: " + name, text, told=(), stands=noted(TOO_DEEP), **others)


N = 30_000

# Depth: every way in which code stands within code.
deep("targets of an assignment", "a = 1\n" + "a,(" * N + "b" + ")" * N + " = 1\n")
deep("targets of a loop", "for " + "a,(" * N + "b" + ")" * N + " in [1]:\n  pass\n")
deep("targets in brackets", "[" * N + "a" + "]" * N + " = 1\n")
deep("parentheses", "a = " + "(" * N + "1" + ")" * N + "\n")
deep("lists", "a = " + "[" * N + "]" * N + "\n")
deep("dictionaries", "a = " + "{1: " * N + "1" + "}" * N + "\n")
deep("subscripts", "a = [0]\na = " + "a[" * N + "0" + "]" * N + "\n")
deep("calls", "a = " + "str(" * N + "1" + ")" * N + "\n")
deep("slices", "a = 'x'\na = " + "a[0:" * N + "1" + "]" * N + "\n")
deep("powers", "a = " + "2 ** " * N + "1\n")
deep("lambdas", "a = " + "lambda: " * N + "1\n")
deep("choices", "a = " + "1 if 0 else " * N + "1\n")
deep("named values", "(" * N + "a := 1" + ")" * N + "\n")
deep("comprehensions", "a = " + "[" * 3000 + "1" + " for a in [1]]" * 3000 + "\n")
deep("generators as arguments", "a = " + "list(" * 3000 + "1" + " for a in [1])" * 3000 + "\n")
deep("a chain of choices that are not known", "a = " + "(b if c else " * 3000 + "1" + ")" * 3000 + "\n")
source_case(
    "nested 30,000 deep: attributes, which are no nesting", "a" + ".a" * N + " = 1\nx = a" + ".b" * N + "\n", told=()
)
source_case("nested 30,000 deep: negations, which are counted", "a = " + "not " * N + "1\n", told=())
source_case("nested 30,000 deep: signs, which are counted", "a = " + "- " * N + "1\n", told=())
source_case("nested 30,000 deep: blocks in one line", "if 1: " * N + "pass\n", told=())
source_case(
    "nested 30,000 deep: blocks by indentation",
    lambda: "".join(" " * i + "if 1:\n" for i in range(3000)) + " " * 3000 + "pass\n",
    told=(),
)
source_case("strings within strings", lambda: "x = " + "f'{f\"{" * N + "\n", told=())
source_case("replacement fields that never end", lambda: "x = " + "f'''{" * 400_000 + "\n", told=())
source_case("a name of 30,000 parts", "try:\n  import " + ".".join("a" * N) + "\nexcept: pass\n", told=())
source_case("30,000 dots before a name", "try:\n  from " + "." * N + " import a\nexcept: pass\n", told=())


@case("modules that import one another from deep comprehensions")
def _(folder):
    write(folder, {"m.py": "import before\nimport m0\n"})
    depth = 70
    for i in range(300):
        call = "(" * depth + f"__import__('m{i + 1}')" + ")" * depth
        text = "[" * depth + call + " for a in [1]]" * depth
        write(folder, {f"m{i}.py": f"a = {text}\n"})
    return [ask(folder, told=(), stands=noted(TOO_DEEP))]


@case("modules that import one another, each in its deepest block and function")
def _(folder):
    write(folder, {"m.py": "import before\nimport m0\n"})
    for i in range(300):
        lines = [" " * n + "if 1:" for n in range(90)]
        lines += [f"{' ' * 90}def f0(): import m{i + 1}"]
        lines += [f"{' ' * 90}def f{n}(): f{n - 1}()" for n in range(1, 24)] + [" " * 90 + "f23()"]
        write(folder, {f"m{i}.py": "\n".join(lines) + "\n"})
    return [ask(folder, told=())]


# Memory: what lists, texts and names hold.
source_case("one long text under 150,000 names", lambda: TEXT + "".join(f"n{i} = s\n" for i in range(150_000)))
source_case("one long text as 100,000 attributes", lambda: TEXT + "class C: pass\n" + "".join(
    f"C.n{i} = s\n" for i in range(100_000)))
source_case("one long text as 100,000 keys", lambda: TEXT + "d = {}\n" + "".join(
    f"d[{i}] = s\n" for i in range(100_000)))
source_case("a dictionary of one long text", lambda: TEXT + "d = {" + "".join(
    f"{i}: s, " for i in range(100_000)) + "}\n")
source_case("a list of one long text", lambda: TEXT + "l = [" + "s, " * 500_000 + "]\n")
source_case("one long text appended 100,000 times", lambda: TEXT + "l = []\n" + "l.append(s)\n" * 100_000)
source_case("a list extended by itself", lambda: TEXT + "l = [s]\n" + "l.extend(l)\n" * 40 + "m = [s]\n"
            + "m += m\n" * 40
            + "k = [s]\n" + "k = k + k\n" * 40)
source_case("a list of itself unpacked", lambda: TEXT + "l = [s]\n" + "l = [*l, *l]\n" * 40)
source_case("a dictionary of itself unpacked", lambda: TEXT + "d = {1: s}\n" + "d = {**d, **d}\n" * 40, told=())
source_case("a large dictionary of itself unpacked", lambda: "d = {" + "".join(
    f"{i}: 0, " for i in range(30_000)) + "}\n" + "d = {**d, **d}\n" * 400)
source_case("a large dictionary of texts of itself unpacked", lambda: "d = {" + "".join(
    f"'{i}': 0, " for i in range(30_000)) + "}\n" + "d = {**d, **d}\n" * 400)
source_case("a large dictionary of lists of itself unpacked", lambda: "d = {" + "".join(
    f"({i},): 0, " for i in range(30_000)) + "}\n" + "d = {**d, **d}\n" * 400)
source_case("arguments unpacked", lambda: TEXT + "def f(*a): return a\nl = [s] + [s]\n" + "l = f(*l, *l)\n" * 40)
source_case("texts added and multiplied in loops", lambda: TEXT + LONG_LIST + "r = []\nfor i in l:\n for j in l:\n"
            "  r.append(s + 'x')\n  r.append('x' * 60000)\n  r.append([s] * 1000)\n")
source_case("os.path.join in loops", lambda: TEXT + LONG_LIST + "import os\nr = []\nfor i in l:\n for j in l:\n"
            "  r.append(os.path.join('/', s, 'x'))\n")
source_case("f-strings of long texts", lambda: TEXT + "x = f'" + "{s}" * 100_000 + "'\n", told=())
source_case("f-strings in loops",
            lambda: TEXT + LONG_LIST + "r = []\nfor i in l:\n for j in l:\n  r.append(f'{s}{i}{j}')\n")
source_case("formatting in loops", lambda: TEXT + LONG_LIST + "r = []\nfor i in l:\n for j in l:\n"
            "  r.append('%s' % s)\n  r.append('{}'.format(s))\n  r.append(s.replace('x', 'y'))\n")
source_case("one long text split again and again", lambda: TEXT + LONG_LIST + "r = []\nfor i in l:\n for j in l:\n"
            "  r.append(s.split('x'))\n")
source_case("os.environ grows", lambda: TEXT + "import os\n" + "".join(
    f"os.environ['V{i}'] = s\n" for i in range(100_000)))
source_case("sys.path grows", lambda: "import sys\n" + "".join(
    f"sys.path.append('/x{i}')\n" for i in range(60_000)) + "".join(
    f"try:\n  import a{i}\nexcept ImportError: pass\n" for i in range(2000)), told=())
source_case("results of glob", lambda: "import glob\n" + LONG_LIST + "r = []\nfor i in l:\n for j in l:\n"
            "  r.append(glob.glob('/usr/lib/*/*'))\n")
source_case("a list in a list, 300,000 times", lambda: "x = []\n" + "x = [x]\n" * 300_000, told=())
source_case("a class of a class, 200,000 times", lambda: "class A: pass\n" + "class A(A): pass\n" * 200_000, told=())
source_case("a function around a function, 100,000 times",
            lambda: "def w(f):\n  def g(): return f\n  import os\n  return g\n"
            "g = 1\n" + "g = w(g)\n" * 100_000, told=())
source_case("lists that hold themselves",
            lambda: LONG_LIST + "for i in l:\n for j in l:\n  x = [0]\n  x.append(x)\n", told=())

# Time: few bytes, very much work.
source_case("loops within loops", lambda: LONG_LIST + "for i in l:\n for j in l:\n  for k in l:\n   x = 1\n", others={
    "m.py": "import before\n" + "".join(f"import n{i}\n" for i in range(300)),
    **{f"n{i}.py": LONG_LIST + "for i in l:\n for j in l:\n  for k in l:\n   x = [i, j, k]\n" for i in range(300)}})
source_case("comparisons of lists that share their parts", lambda: "x = [1, 1]\ny = [1, 1]\n"
            + "x = [x, x]\ny = [y, y]\n" * 45
            + "a = x == y\nb = x < y\nc = x in [y]\n")
source_case("comparisons of sets in sets, and of such that share their parts", lambda: "x = {1}\ny = {1}\n"
            + "x = {x}\ny = {y}\n" * 50_000 + "a = x == y\nb = x < y\nc = x in [y]\nx = {1, 2}\ny = {2, 1}\n"
            + "x = {2, x}\ny = {y, 2}\n" * 45 + "a = x == y\nb = x <= y\n", told=())
source_case("classes that share their bases", lambda: "class C0: pass\n" + "".join(
    f"class C{i}(C{i - 1}, C{i - 1}, C{i - 1}, C{i - 1}): pass\n" for i in range(1, 20))
            + "x = C19.a\n" * 10, told=())
source_case("a dictionary with 50,000 keys asked 50,000 times", lambda: "d = {}\n" + "".join(
    f"d[{i}] = 1\n" for i in range(50_000)) + "x = d[49999]\n" * 50_000)
source_case("a dictionary of 50,000 keys in doubt, asked 200,000 times whether it has any", lambda: "d = {" + "".join(
    f"{i}: 1, " for i in range(50_000)) + "}\nif what(): d.clear()\n" + "if d: pass\n" * 200_000, told=())
source_case("a dictionary of 50,000 keys that may be cleared 50,000 times", lambda: "d = {" + "".join(
    f"{i}: 1, " for i in range(50_000)) + "}\n" + "if what(): d.clear()\n" * 50_000)
source_case("comprehensions in comprehensions over what is not known", lambda:
            "import importlib\nx = []\nx.extend(what())\ny = [importlib.import_module(i)" + " for i in x" * 60 + "]\n"
            + "".join(" " * n + "for i in x:\n" for n in range(60))
            + " " * 60 + "importlib.import_module(i)\n", told=())
source_case("comprehensions in comprehensions over lists of one item that may hold more", lambda:
            "import importlib\nx = ['before']\nx.extend(what())\n"
            + "y = [importlib.import_module(i)" + " for i in x" * 40 + "]\n",
            told=(), stands=noted("takes too many steps"))
source_case("loops in loops over a list of one item that may hold more", lambda: "import importlib\nx = ['before']\n"
            "x.extend(what())\n" + "".join(" " * n + "for i in x:\n" for n in range(40)) + " " * 40
            + "importlib.import_module(i)\n", told=(), stands=noted("takes too many steps"))
source_case("one large function called 100,000 times", lambda: "def f():\n  if 0: x = [" + "0, " * 400_000 + "]\n"
            + "f()\n" * 100_000)
source_case("a function of 50,000 parameters", lambda: "def f(" + ", ".join(f"a{i}" for i in range(50_000))
            + "): import os\n"
            "l = [" + "0, " * 50_000 + "]\n" + "f(*l)\n" * 10)
source_case("import * of 50,000 names, 10,000 times", lambda: "from n import *\n" * 10_000, others={
    "n.py": "".join(f"n{i} = 1\n" for i in range(50_000))})
source_case("a handler of 200,000 names in a loop",
            lambda: LONG_LIST + "for i in l:\n for j in l:\n  try: pass\n  except ("
            + "A, " * 200_000 + "): pass\n")
source_case("global with 200,000 names and comprehensions", lambda: LONG_LIST + "def f():\n  global " + ", ".join(
    f"n{i}" for i in range(200_000)) + "\n  import os\n  for i in l: x = [a for a in [1]]\nf()\n" * 3, told=())
source_case("a literal of 4 MiB in a loop", lambda: LONG_LIST + "for i in l:\n for j in l: x = len('"
            + "x" * (4 * MIB) + "')\n")
source_case("sorted, reversed and sets of long lists", lambda: "l = ['x']\n" + "l = l + l\n" * 15 + "k = ["
            + "0, " * 300 + "]\n"
            "for i in k:\n for j in k:\n  sorted(l)\n  set(l) | set(l)\n  list(enumerate(l))\n")
source_case("'x' in a long list", lambda: "l = ['x']\n" + "l = l + l\n" * 15 + "k = [" + "0, " * 300 + "]\n"
            "for i in k:\n for j in k:\n  a = 'y' in l\n")
source_case("patterns of glob that match in many ways",
            "import glob, os\nd = os.path.dirname(__file__)\n" + f"glob.glob(d + '/{'*a' * 120}b')\n" * 20,
            told=(), others={"a" * 250: ""})
source_case("300,000 libraries opened by ctypes", lambda: "import ctypes\n"
            + LONG_LIST + "for i in l:\n for j in l:\n"
            "  for k in l:\n   try: ctypes.CDLL('libabsent.so.1')\n   except OSError: pass\n")
source_case("a library with a name of 4 MiB", lambda: "import ctypes\ntry: ctypes.CDLL('" + "x" * (4 * MIB)
            + "')\nexcept OSError: pass\n", told=())
source_case("200,000 libraries named in functions", lambda: "def f():\n" + "".join(
    f"  CDLL('lib{i}.so')\n" for i in range(200_000)))
source_case("150,000 modules that are absent", lambda: "".join(
    f"try: import a{i}\nexcept ImportError: pass\n" for i in range(150_000)))
source_case("200,000 modules below one without a file", lambda: "".join(f"import o.a{i}\n" for i in range(200_000)),
            others={"o/__init__.py": ""})

# Sources and environments.
source_case("a source of 7 MiB of commas", lambda: "a = (" + "a," * (3_500_000) + ")\n")
source_case("a source of 7 MiB of short lines", lambda: "a\n" * 3_500_000)
source_case("a source of more than 8 MiB", "import n\n", others={"n.py": b"#" * (9 * MIB)}, told=(),
            stands=noted("n.py cannot be read"))
source_case("100 sources of 4 MiB of names", "".join(f"import n{i % 4}, k{i}\n" for i in range(4)), others={
    f"n{i}.py": b"a b " * MIB for i in range(4)})


@case("20,000 modules")
def _(folder):
    write(folder, {"m.py": "import before\n" + "".join(f"import n{i}\n" for i in range(20_500))})
    first = os.path.join(folder, "n0.py")
    write(folder, {"n0.py": "x = 1\n"})
    for i in range(1, 20_500):
        os.link(first, os.path.join(folder, f"n{i}.py"))
    return [ask(folder)]


@case("30,000 extension modules")
def _(folder):
    write(folder, {"m.py": "import before\n" + "".join(f"import n{i}\n" for i in range(30_000))})
    for i in range(30_000):
        os.link(os.path.join(folder, "before.so"), os.path.join(folder, f"n{i}.so"))
    return [ask(folder)]


@case("a Cython module with 300,000 names of modules")
def _(folder):
    write(folder, {"m.py": "import before\nimport c\n", "c.pyx": "x = '''" + "y" * MIB + "'''\n"})
    write_elf(os.path.join(folder, "c.so"), soname="c.so")
    with open(os.path.join(folder, "c.so"), "ab") as file:
        file.write(b"\0cython_runtime\0" + b"".join(b"a%d.b\0" % i for i in range(300_000)))
    return [ask(folder, told=())]


def compiled_module(name, *contents):
    """A Cython module that says of itself how its strings are packed, and holds no such strings."""

    @case(name)
    def _(folder):
        write(folder, {"m.py": "import before\nimport c\n"})
        write_elf(os.path.join(folder, "c.so"), soname="c.so")
        with open(os.path.join(folder, "c.so"), "ab") as file:
            file.write(b"\0cython_runtime\0" + b"".join(contents))
        return [ask(folder, told=())]


LZSS = b"LZSS string data decompression failed\0"
ZLIB = b"Failed to import '%.20s.decompress'\0"
MARKS = b"__main____module____name____test__"
compiled_module("a Cython module with streams of LZSS at every byte", LZSS, b"\x0fabcdefg\0\xff" * (MIB // 5))
compiled_module("a Cython module with an LZSS bomb", LZSS, b"\xff" + b"a b c d " * 8 + b"\x00" * (4 * MIB))
compiled_module("a Cython module with zlib bombs", ZLIB, zlib.compress(b"a" * (64 * MIB)) * 20)
compiled_module("a Cython module with 12 million lengths of 8", MARKS * 10_000,
                b"\0" * 3 + b"\x08\0\0\0" * (12 * MIB))


def environment(folder, files=None):
    """A Python of 3.11 without code of its own, with the module in site-packages."""
    site = "lib/python3.11/site-packages/"
    write(os.path.join(folder, site), {"m.py": "import before\n"})
    write(folder, {"lib/python3.11/os.py": "", **(files or {})})
    return site


@case("an interpreter of 255 MiB of zeros")
def _(folder):
    environment(folder, {"bin/python3.11": b"\x7fELF"})
    os.truncate(os.path.join(folder, "bin/python3.11"), 255 * MIB)
    return [ask(folder, told=())]


@case("a .pth file of 60,000 folders")
def _(folder):
    site = environment(folder)
    lines = []
    for i in range(20_000):
        os.mkdir(os.path.join(folder, f"p{i}"))
        lines.append(os.path.join(folder, f"p{i}") + "\n")
    write(folder, {site + "a.pth": "".join(lines) * 3, site + "m.py": "import before\n" + "".join(
        f"try: import a{i}\nexcept ImportError: pass\n" for i in range(2000))})
    return [ask(folder, told=(), stands=noted("sys.path"))]


@case("a .pth file of 90,000 lines of code")
def _(folder):
    site = environment(folder)
    write(folder, {site + "a.pth": "import x\n" * 90_000})
    return [ask(folder, told=(), stands=noted("too many lines"))]


@case("1,000 .pth files of 1 MiB")
def _(folder):
    site = environment(folder)
    write(folder, {site + "a0.pth": "#\n" * (MIB // 2 - 1)})
    for i in range(1, 1000):
        os.link(os.path.join(folder, site, "a0.pth"), os.path.join(folder, site, f"a{i}.pth"))
    return [ask(folder, told=(), stands=noted(".pth"))]


@case("pyvenv.cfg with 300,000 settings, a version of 100 KB and a home of 500 KB")
def _(folder):
    environment(folder, {"pyvenv.cfg": "version = 3.1" + "1" * (100 * KIB) + "\nhome = " + "/a" * (250 * KIB)
            + "\n" + "".join(
        f"k{i}=\n" for i in range(30_000))})
    return [ask(folder, told=(), status=(0, 1, 2, 3), stands=lambda document: None)]


@case("rules that read JSON of 1 MiB in a loop")
def _(folder):
    site = environment(folder)
    write(folder, {site + "m.py": "import before\nimport triton\n", site + "triton/__init__.py": "",
            site + "triton/x.json": "[" * MIB})
    return [ask(folder, told=())]


if __name__ == "__main__":
    sys.exit(run(__doc__, CASES))
