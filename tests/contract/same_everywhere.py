#!/usr/bin/env python3
"""Asks about wheels here and in other root file systems: of a package alone the answer is the same, byte for byte.

    same_everywhere.py CUDALD --wheels PINS [--count N] ROOT...

ROOT is the root of another system, a release of Debian without CUDA, compiler or Python for example. The program is
taken along with the libraries that it needs itself, into a folder of the root that is removed again; the wheels lie
under the same path in each. N wheels of PINS are drawn by a seed from those in the cache. Needs chroot, so root.
Output is TAP.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, HERE)

from pinned import WHEELS  # noqa: E402
from sample import file_names  # noqa: E402
from tap import Tap  # noqa: E402

PLACE = "/cudald-same-everywhere"
SEED = 14


def libraries_of(program):
    """The dynamic loader and the libraries that the program is loaded with here."""
    printed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return re.findall(r"(/\S+) \(0x", printed)


class Root:
    """A copy of the program in one root, and the wheels beside it."""

    def __init__(self, root, program, wheels):
        self.folder = os.path.join(root, PLACE.strip("/"))
        self.root = root
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(os.path.join(self.folder, "lib"))
        os.mkdir(os.path.join(self.folder, "wheels"))
        shutil.copy(program, os.path.join(self.folder, "cudald"))
        for library in libraries_of(program):
            shutil.copy(library, os.path.join(self.folder, "lib"))
        for wheel in wheels:
            os.link(wheel, os.path.join(self.folder, "wheels", os.path.basename(wheel)))

    def ask(self, wheel):
        loader = next(name for name in os.listdir(os.path.join(self.folder, "lib")) if name.startswith("ld-linux"))
        program = f"{PLACE}/lib/{loader} --library-path {PLACE}/lib {PLACE}/cudald"
        command = f"cd {PLACE}/wheels && exec {program} -f json {wheel}"
        done = subprocess.run(["chroot", self.root, "/bin/sh", "-c", command], check=False, capture_output=True,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        return done.stdout + done.stderr

    def remove(self):
        shutil.rmtree(self.folder)


def main():
    words = argparse.ArgumentParser(usage="same_everywhere.py CUDALD --wheels PINS [--count N] ROOT...")
    words.add_argument("cudald")
    words.add_argument("--wheels", required=True, metavar="PINS")
    words.add_argument("--count", type=int, default=40)
    words.add_argument("roots", nargs="+")
    options = words.parse_args()
    tap = Tap()
    there = [name for name in file_names([options.wheels]) if os.path.exists(os.path.join(WHEELS, name))]
    drawn = sorted(random.Random(SEED).sample(sorted(there), min(options.count, len(there))))
    paths = [os.path.join(WHEELS, name) for name in drawn]
    roots = [Root(root, os.path.abspath(options.cudald), paths) for root in ["/", *map(os.path.abspath, options.roots)]]
    try:
        for name in drawn:
            answers = [root.ask(name) for root in roots]
            verdict = re.search(rb'"verdict": "([a-z-]+)"', answers[0])
            others = [root.root for root, answer in zip(roots, answers) if answer != answers[0]]
            tap.ok(verdict and not others, f"{name}: {verdict.group(1).decode() if verdict else 'no answer'}", others)
    finally:
        for root in roots:
            root.remove()
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
