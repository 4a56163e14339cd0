#!/usr/bin/env python3
"""A unit test is found by the name of what it tests: src/check/luck.cc by tests/unit/check/luck_test.cc.

Each test is called like a source or header of its stage, with an aspect behind it where there are several
(process_search_test.cc); and every source of the stages below has one.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPLETE = ("audit", "check", "package", "scan", "session", "store", "survey")
# Reads the tables of data/, which several stages use.
OF_NO_SOURCE = {"cuda/tables"}


def is_for(test, source):
    return test == source or test.startswith(source + "_")


def main():
    faults = []
    tests = {path.relative_to(ROOT / "tests/unit").as_posix()[:-len("_test.cc")]
             for path in ROOT.glob("tests/unit/*/*_test.cc")}
    sources = {path.relative_to(ROOT / "src").with_suffix("").as_posix()
               for end in ("cc", "h") for path in ROOT.glob(f"src/*/*.{end}")}
    for test in sorted(tests - OF_NO_SOURCE):
        if not any(is_for(test, source) for source in sources):
            faults.append(f"tests/unit/{test}_test.cc is called like no source of src/{test.split('/')[0]}/")
    for path in sorted(ROOT.glob("src/*/*.cc")):
        source = path.relative_to(ROOT / "src").with_suffix("").as_posix()
        if path.parent.name in COMPLETE and not any(is_for(test, source) for test in tests):
            faults.append(f"src/{source}.cc has no tests/unit/{source}_test.cc")
    print("\n".join(faults) or f"{len(tests)} tests stand where their sources stand")
    return 1 if faults or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
