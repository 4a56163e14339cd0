#!/usr/bin/env python3
"""Takes rows out of the tables that are compiled into the unit tests, one at a time: some case must fail each time.

    deleted_rows.py TEST_CUDA [--seed N] [--count N] [--all]

What the guards of tests/unit/knowledge/knowledge_guards_test.cc cover: drivers, names of libraries, versions of shared
names, the parts of cuDNN among what libraries open, and packages. Of packages COUNT rows are drawn by SEED, or --all.
Nothing is compiled: in a copy of the program, or of the library that it is linked with, the table's bytes are replaced
by those of the table without the row, as long as before by blanks at the end of its explanation. Output is TAP.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, os.path.join(PROJECT, "tools"))
sys.dont_write_bytecode = True

import embed  # noqa: E402
from tap import Tap  # noqa: E402


class Patched:
    """A copy of the program, in which tables can be changed."""

    def __init__(self, program, folder, tables):
        self.program, self.environment = program, dict(os.environ)
        linked = re.search(r"libcudald\.so\S* => (\S+)", subprocess.run(
            ["ldd", program], capture_output=True, text=True, check=True).stdout)
        original = linked[1] if linked else program
        self.path = os.path.join(folder, os.path.basename(original))
        shutil.copy(original, self.path)
        if linked:
            self.environment["LD_PRELOAD"] = self.path
        else:
            self.program = self.path
        with open(original, "rb") as file:
            data = file.read()
        self.places = {}
        for name, table in tables.items():
            packed = embed.packed(table)
            self.places[name] = (data.find(packed), packed)

    def fails(self):
        return subprocess.run([self.program], capture_output=True, env=self.environment, check=False).returncode != 0

    def fails_with(self, name, table):
        """Whether a case fails while a table is like this."""
        place, usual = self.places[name]
        with open(self.path, "r+b") as file:
            file.seek(place)
            file.write(filled(table, len(usual)))
        failed = self.fails()
        with open(self.path, "r+b") as file:
            file.seek(place)
            file.write(usual)
        return failed


def filled(table, size):
    """The table's bytes, made as long as they were."""
    said = table["how_to_read"]
    lacking = size - len(embed.packed(table))
    for blanks in range(lacking, lacking - 6, -1):  # a longer text may have a longer head
        packed = embed.packed({**table, "how_to_read": said + " " * blanks})
        if len(packed) == size:
            return packed
    raise ValueError("no number of blanks makes up for the row")


def covered(tables, draw):
    """(table, what the row is, the list it is in, its place)"""
    for section in ("driver", "driver_floor", "shared_names", "libraries"):
        rows = tables["cuda"][section]["rows"]
        for place, row in enumerate(rows):
            if row.get("proof", "") is not None:
                yield "cuda", f"{section}: {json.dumps(row)[:90]}", rows, place
    for row in tables["known-dlopens"]["rows"]:
        for place, ask in enumerate(row["asks"]):
            if ask["name"].startswith("libcudnn_") and len(row["asks"]) > 1:
                yield "known-dlopens", f"{row['libraries'][0]} opens {ask['name']}", row["asks"], place
    providers = tables["providers"]["providers"]
    for place in draw(range(len(providers))):
        yield "providers", f"packages: {providers[place]['name']}", providers, place
    runs = [(row, place) for row in providers for place in range(len(row["pip"])) if len(row["pip"]) > 1]
    for row, place in draw(runs):
        yield "providers", f"packages: {row['name']} in {json.dumps(row['pip'][place])[:90]}", row["pip"], place


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program", metavar="TEST_CUDA")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    by_lot = random.Random(options.seed)

    def draw(rows):
        return rows if options.all else by_lot.sample(list(rows), options.count)

    tables = {}
    for name in ("cuda", "known-dlopens", "providers"):
        with open(os.path.join(PROJECT, "data", name + ".json"), encoding="utf-8") as text:
            tables[name] = json.load(text)
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        patched = Patched(os.path.abspath(options.program), folder, tables)
        there = all(place >= 0 for place, _ in patched.places.values())
        if not tap.ok(there and not patched.fails(), "the tables as they are stand in the program, and no case fails"):
            return tap.finish()
        for name, what, rows, place in covered(tables, draw):
            row = rows.pop(place)
            tap.ok(patched.fails_with(name, tables[name]), f"a case misses {what}")
            rows.insert(place, row)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
