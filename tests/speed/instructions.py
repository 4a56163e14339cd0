#!/usr/bin/env python3
"""Counts the instructions that seven fixed questions take, by valgrind, which tells the same on a busy machine as on an
idle one, and holds them against what they took when they were last looked at.

    instructions.py CUDALD --optimization LEVEL [--update]

More than 1.5 times as many is a failure. With --update the counts are written to instructions.json instead. Programs
that are not optimized are not asked. Output is TAP.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, HERE)

import made  # noqa: E402
from tap import Tap  # noqa: E402

KNOWN = os.path.join(HERE, "instructions.json")
MOST = 1.5


def questions(folder):
    """Name -> the words for cudald."""
    venv = os.path.join(folder, "venv")
    site = os.path.join(venv, "lib", "python3.11", "site-packages")
    program = made.libraries(os.path.join(folder, "hundred"), 100)
    imported = ["explain", "--sysroot", folder, "--prefix", "/venv", "--python", "3.11",
                f"py:{made.package(site, 100)}"]
    return {
        "--version": ["--version"],
        "100 libraries, found": ["explain", "-q", "--symbols", "none", program],
        "3,000 symbols, bound": ["explain", made.symbols(os.path.join(folder, "symbols"), 3000)],
        "an import of 100 modules": imported,
        "the same import again": imported,
        "an import of a framework of 200 modules": ["explain", "--sysroot", folder, "--prefix", "/venv", "--python",
                                                    "3.11", f"py:{made.framework(site, 200)}"],
        "a wheel of 10 libraries and 500 texts": ["explain", made.wheel(os.path.join(folder, "wheel"), 1, 10, 500)],
    }


def counted(cudald, words, folder):
    """(instructions, exit status); None where valgrind says nothing."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", cudald, *words]
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": folder, "XDG_CACHE_HOME": folder}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    return (int(found[1].replace(",", "")), done.returncode) if found else (None, done.stderr[-500:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--optimization", default="2")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    tap = Tap()
    if options.optimization not in ("2", "3"):
        tap.skip("instructions", f"not run: the program is compiled with -O{options.optimization}")
        return tap.finish()
    with open(KNOWN, encoding="utf-8") as file:
        known = json.load(file)["instructions"]
    counts = {}
    with tempfile.TemporaryDirectory(prefix="cudald-speed-") as folder:
        for name, words in questions(folder).items():
            count, status = counted(os.path.abspath(options.cudald), words, folder)
            counts[name] = count
            if not tap.ok(count is not None and status in (0, 1), f"{name}: answered", [status]):
                continue
            if not options.update:
                limit = int(MOST * known.get(name, 0))
                tap.ok(count <= limit, f"{name}: {count / 1e6:.1f} million instructions, {limit / 1e6:.1f} allowed",
                       [f"it took {known.get(name)} when instructions.json was written"])
    if options.update:
        with open(KNOWN, "w", encoding="utf-8") as file:
            json.dump({"about": "made by instructions.py --update: GCC 12, -O2, Debian 12, x86-64",
                       "instructions": counts}, file, indent=2)
            file.write("\n")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
