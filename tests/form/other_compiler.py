#!/usr/bin/env python3
"""Builds the program with Clang, where each warning counts as an error. Each source is compiled alone, which notices an
include that another source of its folder has brought so far.

    other_compiler.py

Output is TAP.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/common"))

from tap import Tap, first  # noqa: E402


def main():
    tap = Tap()
    if not shutil.which("clang++"):
        tap.skip("the program compiles with Clang without a warning", "clang++ is not there")
        return tap.finish()
    env = os.environ | {"CC": "clang", "CXX": "clang++"}
    with tempfile.TemporaryDirectory() as folder:
        options = ["-Dtests=disabled", "-Dwerror=true", "-Doptimization=0", "-Ddebug=false", "-Dunity=off"]
        made = subprocess.run(
            ["meson", "setup", *options, folder], cwd=ROOT, env=env, capture_output=True, text=True, check=False
        )
        if made.returncode == 0:
            made = subprocess.run(
                ["ninja", "-C", folder, "cudald", "cudald-probe-child"], capture_output=True, text=True, check=False
            )
    errors = [line for line in made.stdout.splitlines() if "error:" in line] or made.stdout.splitlines()[-5:]
    tap.ok(made.returncode == 0, "the program compiles with Clang without a warning", first(errors))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
