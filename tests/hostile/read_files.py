#!/usr/bin/env python3
"""Gives the hostile files of the other scripts to a program with sanitizers, which only reads them.

    read_files.py READER [--every N] [--mutate N] [--seed S] [--time-limit S]

It is the part of tools/sanitize that is small enough for CI: no verdict is looked at, only that each file is read to
its end without a report of a sanitizer. --every takes each Nth file of the large families; --mutate makes N random
edits each of a library, a DLL and a wheel. Output is TAP.
"""

import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Behind this folder: there is a run.py in archive as well.
sys.path[1:1] = [os.path.join(HERE, "..", "common"), os.path.join(HERE, "..", "archive")]

import make_malformed  # noqa: E402
import mutation  # noqa: E402
import pe_files  # noqa: E402
import pe_writer  # noqa: E402
from cases import all_cases  # noqa: E402
from samples import Samples  # noqa: E402
from tap import Tap, first  # noqa: E402

BATCH = 40  # files for one run of the reader
LARGEST_FILE = 64 << 20  # bytes; larger ones are holes, and take the time of reading zeros


class Reader:
    def __init__(self, program, seconds):
        self.program, self.seconds = program, seconds
        self.files = 0

    def faults(self, paths):
        """What is wrong with the reading of each file that is not read to the end."""
        self.files += len(paths)
        return [fault for at in range(0, len(paths), BATCH) for fault in self._of_batch(paths[at : at + BATCH])]

    def _of_batch(self, paths):
        fault = self._read(paths)
        if not fault or len(paths) == 1:
            return [f"{paths[0]}: {fault}"] if fault else []
        return [fault for path in paths for fault in self._of_batch([path])]

    def _read(self, paths):
        env = {"PATH": "/usr/bin:/bin", "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1"}
        try:
            ended = subprocess.run([self.program, *paths], stdin=subprocess.DEVNULL, capture_output=True,
                                   timeout=self.seconds * len(paths), env=env, check=False)
        except subprocess.TimeoutExpired:
            return f"no end after {self.seconds * len(paths):.0f} s"
        if ended.returncode == 0 and ended.stdout == b"read to the end\n":
            return None
        return f"exit status {ended.returncode}: {ended.stderr[:1500].decode(errors='replace')}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reader")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--mutate", type=int, default=1000, metavar="N")
    parser.add_argument("--seed", default="1", metavar="S")
    parser.add_argument("--time-limit", type=float, default=20, metavar="S", help="for each file, by the clock")
    options = parser.parse_args()
    tap = Tap()
    reader = Reader(os.path.abspath(options.reader), options.time_limit)
    with tempfile.TemporaryDirectory() as root:
        samples = Samples(root)
        healthy = [samples.library, samples.program]
        found = reader.faults(healthy)
        tap.ok(not found, "healthy files are read to the end", found)
        tap.ok(reader.faults([os.path.join(root, "absent"), reader.program]) == [], "an absent file is no fault")
        families = {
            "ELF files": lambda folder: elf_files(samples, folder, options.every),
            "PE files": portable_files,
            "wheels": wheels,
            "edited files": lambda folder: edited_files(samples, folder, options.mutate, options.seed),
        }
        for name, make in families.items():
            folder = os.path.join(root, name.replace(" ", "-"))
            os.mkdir(folder)
            paths = make(folder)
            found = reader.faults(paths)
            tap.ok(bool(paths) and not found, f"{len(paths)} {name}", first(found, 5))
    return tap.finish()


def elf_files(samples, folder, every):
    paths = []
    for number, case in enumerate(all_cases(samples)):
        if number % every != 0:
            continue
        own = os.path.join(folder, str(number))
        os.mkdir(own)
        case.build(own)
        for below, _, names in os.walk(own):
            places = [os.path.join(below, name) for name in names]
            paths += [place for place in places if os.path.isfile(place) and os.path.getsize(place) <= LARGEST_FILE]
    return sorted(paths)


def portable_files(folder):
    return [written(folder, f"{number}.dll", build()) for number, (build, _) in enumerate(pe_files.CASES.values())]


def wheels(folder):
    paths = []
    for number, case in enumerate(make_malformed.CASES):
        name, data = make_malformed.archive(case)
        if len(data) <= LARGEST_FILE:
            os.mkdir(os.path.join(folder, str(number)))
            paths.append(written(os.path.join(folder, str(number)), name, data))
    return paths


def edited_files(samples, folder, count, seed):
    places = mutation.interesting_places(samples.library)
    dll = pe_writer.sample()
    healthy = [make_malformed.archive(case) for case in make_malformed.CASES if case.code is None]
    healthy = [(name, data) for name, data in healthy if len(data) < 1 << 14]
    paths = []
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        own = os.path.join(folder, str(number))
        os.mkdir(own)
        paths.append(written(own, "libbad.so", mutation.mutated(rng, samples.library_bytes, places)[0]))
        paths.append(written(own, "bad.dll", edited(rng, dll)))
        name, data = rng.choice(healthy)
        paths.append(written(own, name, edited(rng, data)))
    return paths


def edited(rng, data):
    data = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        value = rng.choice([0, 1, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF, rng.randrange(1 << 32), rng.randrange(0x2000)])
        size = rng.choice([1, 2, 4])
        at = rng.randrange(len(data) - 4)
        data[at : at + size] = struct.pack("<I", value)[:size]
    return bytes(data)


def written(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


if __name__ == "__main__":
    sys.exit(main())
