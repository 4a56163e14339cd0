#!/usr/bin/env python3
"""Scans of 400 and more wheels of both platforms, divided, launched and killed in all ways. Writes TAP.

large.py CUDALD

The wheels are those in the cache, which other tests have fetched, some of hundreds of megabytes, and made ones, some of
a few hundred bytes. Whatever divides the work, the merge is the same to the byte. Where the cache has too few, this is
a skip.
"""

import glob
import os
import random
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

import engines  # noqa: E402
import run  # noqa: E402
from corpus import make_corpus  # noqa: E402
from pinned import CACHE  # noqa: E402
from scanning import Scans, records  # noqa: E402
from tap import Tap  # noqa: E402

FEWEST_REAL = 200
MADE = 120
LONGEST = 6  # seconds until a worker is killed; all of it takes some ten times as long


def make_list(folder):
    """Writes the list of targets; gives back the real ones."""
    real = sorted(path for name in ("wheels", "wheels-tags") for path in glob.glob(os.path.join(CACHE, name, "*.whl")))
    make_corpus(os.path.join(folder, "made"), MADE, seed=400)
    with open(os.path.join(folder, "list.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join([*real, "made"]) + "\n")
    return real


def timed(tap, name, test, *arguments):
    begun = time.monotonic()
    answer = test(*arguments)
    tap.comment(f"{name}: {time.monotonic() - begun:.0f} s")
    return answer


def say_what(tap, whole):
    all_records = records(whole)
    sizes = sorted(record["bytes"] for record in all_records)
    windows = sum("win_amd64" in record["target"] for record in all_records)
    linux = sum("linux" in record["target"] for record in all_records)
    tap.comment(f"{len(sizes)} wheels, {linux} for Linux, {windows} for Windows, {sum(sizes) / 1e6:.0f} MB, "
                f"of {sizes[0]} bytes to {sizes[-1] / 1e6:.0f} MB")
    tap.ok(len(sizes) >= 400 and windows >= 50 and sizes[-1] > 300_000_000 and sizes[0] < 10_000,
           "400 wheels of both platforms and all sizes", [len(sizes), windows, sizes[0], sizes[-1]])


def main():
    tap = Tap()
    if len(sys.argv) != 2:
        tap.bail_out("usage: large.py CUDALD")
    draw = random.Random()
    with tempfile.TemporaryDirectory(prefix="cudald-large-") as name:
        real = make_list(name)
        if len(real) < FEWEST_REAL:
            tap.skip("scans of 400 wheels", f"the cache has {len(real)} wheels; the other tests fetch them")
            return tap.finish()
        scans = Scans(os.path.abspath(sys.argv[1]), name, "list.txt")
        whole = timed(tap, "1, 2 and 7 shards", run.test_shards, tap, scans)
        say_what(tap, whole)
        timed(tap, "Kubernetes and AWS", run.test_launchers, tap, scans, whole)
        timed(tap, "killed and resumed", run.test_kills, tap, scans, whole, draw)
        timed(tap, "dynamic", run.test_dynamic, tap, scans, whole, draw)
        timed(tap, "GNU parallel", engines.test_parallel, tap, scans, whole)
        timed(tap, "GNU parallel after kills", engines.test_parallel_killed, tap, scans, whole, draw, LONGEST)
        timed(tap, "Slurm", engines.test_slurm, tap, scans, whole)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
