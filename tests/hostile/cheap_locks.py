#!/usr/bin/env python3
"""Gives cudald locks of few megabytes that ask for very much work, memory or depth.

    cheap_locks.py CUDALD [--only GLOB] [--keep DIR] [--time-limit S] [--memory-limit MB]

A lock beyond all that are known is refused with a word of which limit it was; see cheap.py. Output is TAP.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from cheap import Asked, CheapCase, run  # noqa: E402

PYLOCK = 'lock-version = "1.0"\n'
PACKAGE = "[[packages]]\nname = 'a{}'\nversion = '1'\n"


def lock(name, text, said):
    """A lock of that name, which is refused with these words."""

    def build(folder):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        return [Asked(["check", os.path.join(folder, name)], told=(), said=said, status=(2,))]

    return build


def many_pairs(count):
    needs = "{name = 'a'}," * count
    versions = "".join(f"[[package]]\nname = 'a'\nversion = '{i}'\n" for i in range(count))
    return f"version = 1\n[[package]]\nname = 'app'\nsource = {{virtual = '.'}}\ndependencies = [{needs}]\n{versions}"


REPORT = '{"version": "1", "pip_version": "1", "install": '
CASES = [
    CheapCase("a million lines", lock("requirements.txt", "a==1\n" * 1_000_000, "more lines than any")),
    CheapCase("more packages than any", lock("requirements.txt", "a==1\n" * 100_000, "more packages than any")),
    CheapCase("one line of continuations", lock("requirements.txt", "a==1 \\\n" * 400_000, "line 1: ")),
    CheapCase("a file that reads itself",
              lock("requirements.txt", "-r requirements.txt\n" * 100, "more files than any")),
    CheapCase("packages of pylock.toml", lock("pylock.toml", PYLOCK + PACKAGE * 11_000, "more packages than any")),
    CheapCase("values of TOML", lock("pylock.toml", PYLOCK + f"x = [{'[],' * 400_000}]\n", "more values than any")),
    CheapCase("nested TOML", lock("pylock.toml", PYLOCK + f"x = {'[' * 100_000}\n", "line 2: ")),
    CheapCase("each need leads to each package", lock("uv.lock", many_pairs(8000), "steps would be needed")),
    CheapCase("nested JSON", lock("report.json", REPORT + "[" * 200_000 + "}", "JSON")),
    CheapCase("values of JSON", lock("report.json", REPORT + f"[{'[],' * 3_000_000}[]]}}", "would be kept")),
    CheapCase("dependencies of conda-lock", lock(
        "c.yml", "version: 1\npackage:\n- name: a\n  version: 1\n  dependencies:\n" + "    b: c\n" * 1_000_000,
        "more lines than any")),
]

if __name__ == "__main__":
    sys.exit(run(__doc__, CASES))
