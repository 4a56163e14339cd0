#!/usr/bin/env python3
"""Whether answers from the cache are those without it: cold, warm, of damaged entries, of many runs at once, of runs
that are killed. Writes TAP.

kept_answers.py CUDALD
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from asker import TICK, Asker  # noqa: E402
from make_malformed import CASES, archive  # noqa: E402
from tap import Tap  # noqa: E402

def is_same(tap, asker, name, *words):
    """Without the cache, with an empty one, and with what that has left."""
    asker.clear()
    without = asker.ask(*words, "--no-cache")
    untouched = not asker.entries()
    cold, warm = asker.ask(*words), asker.ask(*words)
    tap.ok(without == cold == warm and untouched, f"{name}: the same without the cache, cold and warm",
           [repr(answer)[:2000] for answer in (without, cold, warm)])


def make_library(folder):
    """A library with symbols of its own, large enough to be read in many pieces."""
    lines = "".join(f"int function_{i}(void) {{ return {i}; }}\n" for i in range(4000))
    path = folder / "libmany.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O0", "-x", "c", "-", "-o", path, "-Wl,-soname,libmany.so"],
                   input=lines.encode(), check=True)
    return path.read_bytes()


def make_wheel(folder, name="pkg", method=zipfile.ZIP_DEFLATED, library=b"", text="import ctypes\n"):
    path = folder / f"{name}-1.0-py3-none-manylinux_2_17_x86_64.whl"
    with zipfile.ZipFile(path, "w", method) as wheel:
        wheel.writestr(f"{name}/__init__.py", text)
        wheel.writestr(f"{name}/libmany.so", library)
        wheel.writestr(f"{name}/data.bin", bytes(2_000_000))
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-manylinux_2_17_x86_64\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")
    return path


def test_malformed_wheels(tap, asker):
    folder = asker.folder / "malformed"
    folder.mkdir()
    paths = []
    for case in CASES:
        name, data = archive(case)
        place = folder / case.name
        place.mkdir()
        (place / name).write_bytes(data)
        paths.append((case.name, place / name))
    time.sleep(TICK)
    for name, path in paths:
        is_same(tap, asker, name, "explain", "-f", "json", path)


def test_healthy_wheels(tap, asker, library):
    for kind, method in [("deflated", zipfile.ZIP_DEFLATED), ("stored", zipfile.ZIP_STORED)]:
        path = make_wheel(asker.folder, kind, method, library)
        time.sleep(TICK)
        for words in (["explain", "-f", "json"], ["explain", "-v"], ["show", "-f", "json"], ["tree"],
                      ["check", "--gpu", "sm_90"], ["explain", "--symbols", "all", "-f", "json"]):
            is_same(tap, asker, f"{kind}, {' '.join(words)}", *words, path)
        before = asker.ask("explain", "-f", "json", path)
        kept = sum(entry.stat().st_size for entry in asker.archives())
        tap.ok(0 < kept < 2_000_000, "what nobody read is not kept", [kept])
        # What another question needs besides comes from the wheel.
        after = asker.ask("explain", "--symbols", "all", "-f", "json", path)
        tap.ok(after == asker.ask("explain", "--symbols", "all", "-f", "json", "--no-cache", path)
               and before == asker.ask("explain", "-f", "json", path), f"{kind}: one entry serves two questions")


def test_damaged_entries(tap, asker, library):
    path = make_wheel(asker.folder, "damaged", library=library)
    other = make_wheel(asker.folder, "other", library=library[:5000], text="import nothing_at_all\n")
    time.sleep(TICK)
    words = ["explain", "-f", "json", path]
    asker.clear()
    asker.ask("explain", "-f", "json", other)
    foreign = asker.archives()[0].read_bytes()
    asker.clear()
    right = asker.ask(*words)
    entry = asker.archives()[0]
    good = entry.read_bytes()
    lot = random.Random(1)
    wrong = []
    for number in range(150):
        bad = bytearray(good)
        kind = number % 5
        if kind < 3:
            for _ in range(kind * 4 + 1):
                bad[lot.randrange(len(bad) if number % 2 else 4000)] ^= 1 << lot.randrange(8)
        elif kind == 3:
            del bad[lot.randrange(len(bad)):]
        else:
            at = lot.randrange(len(bad))
            bad[at:at] = bytes(lot.randrange(1, 100))
        entry.write_bytes(bad)
        if asker.ask(*words) != right or asker.ask(*words) != right:
            wrong.append((number, kind))
    tap.ok(not wrong, "150 damaged entries: the same answer", wrong)
    for name, content in [("the entry of another wheel", foreign), ("an empty entry", b""), ("no entry", b"text\n")]:
        entry.write_bytes(content)
        tap.ok(asker.ask(*words) == right, f"{name}: the same answer")
        tap.ok(entry.stat().st_size > 1000, f"{name}: is replaced")
    entry.unlink()
    entry.mkdir()
    tap.ok(asker.ask(*words)[:2] == right[:2], "a folder where the entry should be: the same answer")


def test_wheel_replaced(tap, asker, library):
    path = make_wheel(asker.folder, "replaced", library=library)
    time.sleep(TICK)
    asker.clear()
    asker.ask("explain", path)
    stat = path.stat()
    make_wheel(asker.folder, "replaced", library=library[:-1000] + bytes(1000))
    with open(path, "ab") as file:
        file.write(bytes(max(0, stat.st_size - path.stat().st_size)))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    time.sleep(TICK)
    answer = asker.ask("explain", "-f", "json", path)
    tap.ok(answer == asker.ask("explain", "-f", "json", "--no-cache", path),
           "a wheel that was replaced, with the size and time of the other")
    with open(path, "r+b") as file:
        file.seek(path.stat().st_size // 3)
        file.write(b"damage")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    time.sleep(TICK)
    answer = asker.ask("explain", "-f", "json", path)
    tap.ok(answer == asker.ask("explain", "-f", "json", "--no-cache", path), "a wheel that was damaged since")


def test_many_at_once(tap, asker, library):
    path = make_wheel(asker.folder, "crowd", library=library)
    time.sleep(TICK)
    asker.clear()
    words = asker.words("explain", "-f", "json", path)
    right = asker.ask("explain", "-f", "json", "--no-cache", path)
    running = [subprocess.Popen(words, cwd=asker.folder, env=asker.environment(), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE) for _ in range(12)]
    answers = []
    for process in running:
        out, err = process.communicate(timeout=60)
        answers.append((process.returncode, out, err))
    tap.ok(all(answer == right for answer in answers), "twelve runs at once: the same answers")
    tap.ok(len(asker.archives()) == 1, "and one entry", asker.entries())
    tap.ok(asker.ask("explain", "-f", "json", path) == right, "which gives the same answer")


def test_killed(tap, asker, library):
    path = make_wheel(asker.folder, "killed", library=library)
    time.sleep(TICK)
    right = asker.ask("explain", "-f", "json", "--no-cache", path)
    began = time.monotonic()
    asker.clear()
    asker.ask("explain", path)
    took = time.monotonic() - began
    wrong = []
    for number in range(20):
        asker.clear()
        process = subprocess.Popen(asker.words("explain", path), cwd=asker.folder, env=asker.environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(took * (0.5 + number / 40))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if asker.ask("explain", "-f", "json", path) != right or asker.ask("explain", "-f", "json", path) != right:
            wrong.append(number)
    tap.ok(not wrong, "killed at twenty moments: the next runs give the same answer", wrong)
    asker.clear()
    asker.ask("explain", path)
    left = asker.archives()[0].with_name("0" * 64 + ".abc123")
    left.write_bytes(b"what a killed run left")
    os.utime(left, (0, 0))
    os.utime(left.with_name(".trimmed"), (0, 0))
    other = make_wheel(asker.folder, "later", library=library)
    time.sleep(TICK)
    asker.ask("explain", other)
    tap.ok(not left.exists(), "what a killed run left is taken away after a day")


def test_places(tap, asker, library):
    path = make_wheel(asker.folder, "places", library=library)
    time.sleep(TICK)
    right = asker.ask("explain", "-f", "json", "--no-cache", path)
    blocked = asker.folder / "file"
    blocked.write_text("no folder\n")
    tap.ok(asker.ask("explain", "-f", "json", path, cache=blocked) == right,
           "where nothing can be kept: the same answer, and no complaint")
    asker.clear()
    asker.ask("explain", path)
    status, shown, _ = asker.ask("cache", "show")
    tap.ok(status == 0 and b": 2 files, " in shown and len(asker.archives()) == 1,
           "cache show: what was read of the wheel, and its import", [shown])
    status, shown, _ = asker.ask("cache", "clear")
    tap.ok(status == 0 and b": 0 files, " in shown and not asker.entries(), "cache clear", [shown])


def main():
    tap = Tap()
    if len(sys.argv) != 2:
        tap.bail_out("usage: kept_answers.py CUDALD")
    if shutil.which("cc") is None:
        tap.bail_out("cc is needed to make the library of the wheels")
    with tempfile.TemporaryDirectory(prefix="cudald-kept-") as name:
        asker = Asker(os.path.abspath(sys.argv[1]), Path(name))
        library = make_library(asker.folder)
        test_healthy_wheels(tap, asker, library)
        test_damaged_entries(tap, asker, library)
        test_wheel_replaced(tap, asker, library)
        test_many_at_once(tap, asker, library)
        test_killed(tap, asker, library)
        test_places(tap, asker, library)
        test_malformed_wheels(tap, asker)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
