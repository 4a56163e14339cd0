#!/usr/bin/env python3
"""Gives cudald modules of Python's own standard library with random faults.

    python_sources.py CUDALD [--mutate N] [--seed S] [--full] [--keep DIR] [--time-limit S] [--memory-limit MB]

N modules, or all and each twenty times with --full, get a few edits: pieces that are taken away, doubled, exchanged or
nested, brackets, quotes and indentation that do not match, other bytes. Many of them are asked about in one run.
cudald must end by itself, within the limits, with a documented exit status and valid JSON, and the extension module
that each module imports first must be loaded. --keep leaves the files of what failed in DIR. Output is TAP.
"""

import argparse
import json
import os
import random
import shutil
import sys
import sysconfig
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from elf_writer import write_elf  # noqa: E402
from measured import measured  # noqa: E402
from tap import Tap, first  # noqa: E402

AT_ONCE = 20  # modules of one run
EDITS_MOST = 6
LARGEST = 200_000  # bytes of a module that is taken
WORDS = [b"(", b")", b"[", b"]", b"{", b"}", b"'", b'"', b'"""', b"f'{", b"\\", b"\n", b"\t", b" ", b":", b",",
         b"=", b"lambda ", b" if ", b" else ", b" for x in ", b"*", b"**", b"not ", b"-", b"@", b"import ",
         b"from . import *",
         b"try:", b"except:", b"class A(A):", b"def f(f=f):", b"global x", b"yield", b"\0", b"\xff",
         b"\xf0\x9f\x90\x8d"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--mutate", type=int, default=300, metavar="N")
    parser.add_argument("--seed", default="1", metavar="S")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--time-limit", type=float, default=2, metavar="S", help="of processor time, for each module")
    parser.add_argument("--memory-limit", type=int, default=256, metavar="MB")
    options = parser.parse_args()
    options.cudald = os.path.abspath(options.cudald)

    tap = Tap()
    if not os.access(options.cudald, os.X_OK):
        tap.bail_out(f"{options.cudald} is not a program")
    modules = standard_modules()
    if not modules:
        tap.bail_out("this Python has no standard library as source text")
    chosen = modules * 20 if options.full else modules
    chance = random.Random(options.seed)
    chance.shuffle(chosen)
    if not options.full:
        chosen = chosen[: options.mutate]
    for begin in range(0, len(chosen), AT_ONCE):
        some = chosen[begin : begin + AT_ONCE]
        faults = run_some(options, some, begin)
        tap.ok(not faults, f"modules {begin} to {begin + len(some) - 1} with faults", first(faults))
    return tap.finish()


def standard_modules():
    """Sources of the standard library, those of its packages as well, smallest first."""
    root, found = sysconfig.get_paths()["stdlib"], []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in ("site-packages", "dist-packages", "__pycache__", "test")]
        found += [os.path.join(folder, name) for name in names if name.endswith(".py")]
    sized = sorted((os.path.getsize(path), path) for path in found)
    return [path for size, path in sized if 0 < size <= LARGEST]


def run_some(options, paths, begin):
    with tempfile.TemporaryDirectory() as folder:
        write_elf(os.path.join(folder, "before.so"), soname="before.so")
        lines = ["import before"]
        for i, path in enumerate(paths):
            # By its number as well, so that one failure can be made again with the same seed.
            chance = random.Random(f"{options.seed} {begin + i}")
            with open(path, "rb") as file:
                text = edited(file.read(), chance)
            with open(os.path.join(folder, f"m{i}.py"), "wb") as file:
                file.write(text)
            lines += ["try:", f"  import m{i}", "except BaseException: pass"]
        with open(os.path.join(folder, "m.py"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        faults = list(faults_of(options, folder, len(paths)))
        if faults and options.keep:
            shutil.copytree(folder, os.path.join(options.keep, f"{begin:05}"), dirs_exist_ok=True)
        return [*faults, *(f"m{i}.py was {path}" for i, path in enumerate(paths))] if faults else []


def faults_of(options, folder, count):
    command = [options.cudald, "explain", "-f", "json", "--clear-env", "--prefix", folder, "py:m"]
    ending = measured(command, 8 * options.time_limit * count, 64 << 20)
    last = ending.stderr[-1500:].decode(errors="replace")
    if ending.timed_out:
        yield f"no end after {8 * options.time_limit * count:.0f} s"
    elif ending.status not in (0, 1, 3):
        yield f"exit status {ending.status}: {last}"
    if b"Sanitizer" in ending.stderr or b"runtime error:" in ending.stderr:
        yield f"sanitizer: {last}"
    if ending.seconds > options.time_limit * count:
        yield f"took {ending.seconds:.1f} s of processor time"
    if ending.megabytes > options.memory_limit:
        yield f"took {ending.megabytes:.0f} MB"
    try:
        document = json.loads(ending.stdout.decode("utf-8"))
    except ValueError as error:
        yield f"no valid JSON: {error!r}"
        return
    if not any(o["path"].endswith("/before.so") for o in document["objects"]):
        yield "the extension module that was imported first is not in the report"


def edited(text, chance):
    for _ in range(chance.randint(1, EDITS_MOST)):
        text = chance.choice(EDITS)(text, chance)
    return text


def piece(text, chance, longest=400):
    begin = chance.randrange(len(text) + 1)
    return begin, min(len(text), begin + chance.randint(1, longest))


def remove(text, chance):
    begin, end = piece(text, chance)
    return text[:begin] + text[end:]


def double(text, chance):
    begin, end = piece(text, chance, 60)
    return text[:begin] + text[begin:end] * chance.choice([2, 3, 50]) + text[end:]


def move(text, chance):
    begin, end = piece(text, chance)
    rest = text[:begin] + text[end:]
    to = chance.randrange(len(rest) + 1)
    return rest[:to] + text[begin:end] + rest[to:]


def insert(text, chance):
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(WORDS) * chance.choice([1, 1, 1, 2, 40]) + text[at:]


def cut(text, chance):
    return text[: chance.randrange(len(text) + 1)]


def nest(text, chance):
    """A line stands within many brackets, or far to the right."""
    lines = text.split(b"\n")
    i = chance.randrange(len(lines))
    depth = chance.choice([3, 30, 300])
    brackets = [(b"(", b")"), (b"[", b"]"), (b"{1: ", b"}"), (b"f(", b")"), (b" ", b""), (b"if 1: ", b"")]
    opens, closes = chance.choice(brackets)
    lines[i] = opens * depth + lines[i] + closes * chance.choice([depth, 0])
    return b"\n".join(lines)


def other_byte(text, chance):
    if not text:
        return text
    at = chance.randrange(len(text))
    return text[:at] + bytes([chance.randrange(256)]) + text[at + 1 :]


EDITS = [remove, double, move, insert, insert, cut, nest, other_byte]


if __name__ == "__main__":
    sys.exit(main())
