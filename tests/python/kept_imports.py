#!/usr/bin/env python3
"""Whether imports from the cache are those that would be followed anew, while their files change. Writes TAP.

kept_imports.py CUDALD [--seed N] [--edits N]

A folder of modules that import one another, look at files, list folders, and ask for variables is imported with and
without the cache. Then, again and again, something is changed that the seed draws: a text, a new module that hides
another one, a link, a folder, a variable, the current folder, or nothing that matters; in a wheel, too. The answers
must be equal to the byte, and where nothing changed that the code looks at, the import must come from the cache.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "common"))

from asker import TICK, Asker  # noqa: E402
from tap import Tap, first  # noqa: E402

MODULES = [f"m{number}" for number in range(12)]
VARIABLES = ["MODE", "LEVEL"]


class Site:
    """A folder of packages, and what is around the process that imports one of them."""

    def __init__(self, folder, lot):
        self.folder = folder
        self.lot = lot
        self.variables = {}
        self.cwd = folder.parent / "here"
        self.cwd.mkdir()
        (folder.parent / "there").mkdir()
        (folder / "data").mkdir(parents=True)
        for name in MODULES:
            self.write(name)

    def write(self, name):
        """Lines that hang on other files, later modules alone, so that no import is circular."""
        lines = ["import os, glob, sys", "here = os.path.dirname(__file__)"]
        later = MODULES[MODULES.index(name) + 1:] if name in MODULES else []
        for other in self.lot.sample(later, min(len(later), 2)):
            lines += [f"try:\n    import {other}\nexcept ImportError:\n    print({other!r})"]
        number = self.lot.randrange(6)
        lines.append(self.lot.choice([
            f"if os.path.exists(os.path.join(here, 'data', 'f{number}')):\n    import absent{number}",
            f"if os.path.isdir(os.path.join(here, 'd{number}')):\n    raise ImportError('folder {number}')",
            f"for one in sorted(os.listdir(os.path.join(here, 'data'))):\n"
            f"    if one == 'f{number}': raise ImportError(one)",
            f"if glob.glob(os.path.join(here, 'data', '*{number}')):\n    import absent{number}",
            f"if os.environ.get('MODE') == '{number}':\n    import absent{number}",
            f"if 'LEVEL' in os.environ:\n    import absent{number}",
            f"if os.path.exists('near{number}'):\n    import absent{number}",
            f"if os.path.realpath(os.path.join(here, 'link')).endswith('f{number}'):\n    import absent{number}",
            f"import ctypes\nctypes.CDLL(os.path.join(here, 'lib{number}.so'))",
        ]))
        (self.folder / f"{name}.py").write_text("\n".join(lines) + "\n")

    def edit(self):
        """Changes something, and says what."""
        kinds = [self.rewrite, self.shadow, self.remove, self.put_data, self.take_data, self.turn_link,
                 self.make_folder, self.set_variable, self.move, self.touch, self.put_beside, self.replace_by_link,
                 self.put_library, self.nothing]
        return self.lot.choice(kinds)()

    def rewrite(self):
        name = self.lot.choice(MODULES)
        self.write(name)
        return f"{name} is rewritten"

    def shadow(self):
        folder = self.folder / self.lot.choice(MODULES)
        if folder.is_dir():
            shutil.rmtree(folder)
            return f"{folder.name} is a module again"
        folder.mkdir()
        (folder / "__init__.py").write_text(self.lot.choice(["", f"import absent_{folder.name}\n"]))
        return f"{folder.name} is hidden by a package"

    def remove(self):
        path = self.folder / f"{self.lot.choice(MODULES[1:])}.py"
        if path.is_symlink() or path.exists():
            path.unlink()
            return f"{path.name} is removed"
        self.write(path.stem)
        return f"{path.name} is back"

    def put_data(self):
        path = self.folder / "data" / f"f{self.lot.randrange(6)}"
        path.write_text("data")
        return f"{path.name} is put"

    def take_data(self):
        path = self.folder / "data" / f"f{self.lot.randrange(6)}"
        path.unlink(missing_ok=True)
        return f"{path.name} is taken"

    def turn_link(self):
        path = self.folder / "link"
        path.unlink(missing_ok=True)
        target = f"data/f{self.lot.randrange(6)}"
        path.symlink_to(target)
        return f"link to {target}"

    def make_folder(self):
        path = self.folder / f"d{self.lot.randrange(6)}"
        if path.is_dir():
            path.rmdir()
        else:
            path.mkdir()
        return f"{path.name} is made or removed"

    def set_variable(self):
        name = self.lot.choice([*VARIABLES, "JOB"])
        value = self.lot.choice([None, *map(str, range(6))])
        self.variables.pop(name, None)
        if value is not None:
            self.variables[name] = value
        return f"{name}={value}"

    def move(self):
        self.cwd = self.folder.parent / self.lot.choice(["here", "there"])
        return f"in {self.cwd.name}"

    def touch(self):
        path = self.folder / f"{self.lot.choice(MODULES)}.py"
        if path.exists():
            os.utime(path)
        return f"{path.name} is touched"

    def put_beside(self):
        path = self.folder.parent / "here" / f"near{self.lot.randrange(6)}"
        if path.exists():
            path.unlink()
        else:
            path.write_text("")
        return f"{path.name} is put or taken"

    def replace_by_link(self):
        path, other = (self.folder / f"{name}.py" for name in self.lot.sample(MODULES[1:], 2))
        path.unlink(missing_ok=True)
        path.symlink_to(other.name)
        return f"{path.name} is a link to {other.name}"

    def put_library(self):
        path = self.folder / f"lib{self.lot.randrange(6)}.so"
        shutil.copyfile("/lib64/ld-linux-x86-64.so.2" if self.lot.randrange(2) else sys.executable, path)
        return f"{path.name} is put"

    def nothing(self):
        return "nothing"


def state_of(asker):
    return {entry.name: entry.stat().st_ino for entry in asker.imports()}


def test_edits(tap, asker, seed, edits):
    site = Site(asker.folder / "site-packages", random.Random(seed))
    wrong, anew, from_cache, answers = [], [], 0, set()
    words = ["explain", "-f", "json", "--prefix", site.folder, "m0"]
    time.sleep(TICK)
    for number in range(edits):
        what = "at first" if number == 0 else site.edit()
        # Now and then it is asked at once, when the clock of the file system has not gone on.
        if site.lot.randrange(4):
            time.sleep(TICK)
        around = {"cwd": site.cwd, "variables": site.variables}
        right = asker.ask(*words, "--no-cache", **around)
        before = state_of(asker)
        given = asker.ask(*words, **around)
        after = state_of(asker)
        answers.add(right[1])
        if given != right:
            wrong.append((number, what))
        time.sleep(TICK)
        asker.ask(*words, **around)
        kept = state_of(asker)
        if asker.ask(*words, **around) != right:
            wrong.append((number, what, "again"))
        if state_of(asker) != kept:
            anew.append((number, what))
        from_cache += before == after
    tap.ok(not wrong, f"{edits} changes: the same answers with and without the cache", first(wrong))
    tap.ok(not anew, "where nothing has changed the import comes from the cache", first(anew))
    tap.ok(from_cache > edits / 10, "what does not matter is not followed again", [from_cache, edits])
    tap.ok(len(answers) > 5, "the changes lead to different answers", [len(answers), edits])


def make_wheel(folder, name, text):
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}/__init__.py", text)
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")
    return path


def test_wheels(tap, asker):
    asker.clear()
    path = make_wheel(asker.folder, "pkg", "import os\n")
    other = make_wheel(asker.folder, "beside", "import pkg\n")
    time.sleep(TICK)
    for words in (["check", path], ["check", path, other], ["explain", path]):
        right = asker.ask(*words, "-f", "json", "--no-cache")
        tap.ok(asker.ask(*words, "-f", "json") == right == asker.ask(*words, "-f", "json"),
               f"{words[0]} {len(words) - 1}: the same cold and warm")
    kept = state_of(asker)
    asker.ask("check", "-f", "json", path)
    tap.ok(kept and state_of(asker) == kept, "the imports of wheels come from the cache", [kept])
    before = asker.ask("check", "-f", "json", path)
    make_wheel(asker.folder, "pkg", "import no\n")
    time.sleep(TICK)
    after = asker.ask("check", "-f", "json", path)
    tap.ok(after == asker.ask("check", "-f", "json", "--no-cache", path) != before, "a wheel that was replaced",
           [after])


def test_described_machine(tap, asker):
    asker.clear()
    path = make_wheel(asker.folder, "hosted", "import glob, os\nfor one in glob.glob('/etc/ld*'): print(one)\n")
    host = asker.folder / "host.json"
    asker.ask("env", "--save", host)
    time.sleep(TICK)
    words = ["check", "-f", "json", "--host", host, path]
    right = asker.ask(*words, "--no-cache")
    tap.ok(asker.ask(*words) == right, "on a described machine: the same with the cache", [right])
    kept = state_of(asker)
    tap.ok(kept and asker.ask(*words) == right and state_of(asker) == kept, "and again", [kept])
    description = json.loads(host.read_text())
    host.write_text(json.dumps({**description, "limits": ["another"]}))
    right = asker.ask(*words, "--no-cache")
    tap.ok(asker.ask(*words) == right and kept.items() < state_of(asker).items(),
           "on another machine the import is followed anew")


def test_places(tap, asker):
    asker.clear()
    site = asker.folder / "plain"
    site.mkdir()
    (site / "plain.py").write_text("import os\n")
    time.sleep(TICK)
    words = ["explain", "--prefix", site, "plain"]
    right = asker.ask(*words, "--no-cache")
    tap.ok(not asker.entries(), "--no-cache keeps nothing")
    blocked = asker.folder / "file"
    blocked.write_text("no folder\n")
    tap.ok(asker.ask(*words, cache=blocked) == right, "where nothing can be kept: the same answer, and no complaint")
    asker.ask(*words)
    entry = asker.imports()[0]
    good = entry.read_bytes()
    lot = random.Random(1)
    wrong = []
    for number in range(60):
        bad = bytearray(good)
        if number % 3:
            bad[lot.randrange(len(bad))] ^= 1 << lot.randrange(8)
        else:
            del bad[lot.randrange(len(bad)):]
        entry.write_bytes(bad)
        if asker.ask(*words) != right or asker.ask(*words) != right:
            wrong.append(number)
    tap.ok(not wrong, "60 damaged entries: the same answer", wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--edits", type=int, default=60)
    options = parser.parse_args()
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="cudald-imports-") as name:
        asker = Asker(options.cudald, Path(name))
        test_edits(tap, asker, options.seed, options.edits)
        test_wheels(tap, asker)
        test_described_machine(tap, asker)
        test_places(tap, asker)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
