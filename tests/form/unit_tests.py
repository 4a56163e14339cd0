#!/usr/bin/env python3
"""A unit test is found by the name of what it tests: src/check/libraries/luck.cc by
tests/unit/check/libraries/luck_test.cc, lib/pyimport/run/match.cc by lib/pyimport/tests/run/match_test.cc.

Each test is called like a source or header of its room, with an aspect behind it where there are several
(process_search_test.cc); and every source of the stages below has one.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPLETE = ("audit", "check", "package", "scan", "session", "store", "machine/survey")
# Reads the tables of data/, which several stages use.
OF_NO_SOURCE = {"knowledge/tables"}
FOLDERS = (("src", "tests/unit"), ("lib/pyimport", "lib/pyimport/tests"))


def names(folder, pattern, but_for="/nowhere/"):
    """Each file of that pattern below the folder, without the ending."""
    return {path.relative_to(ROOT / folder).as_posix().removesuffix(pattern[1:])
            for path in (ROOT / folder).rglob(pattern) if but_for not in path.as_posix()}


def is_for(test, source):
    return test == source or test.startswith(source + "_")


def faults_of(folder, tests_folder):
    faults = []
    tests = names(tests_folder, "*_test.cc")
    compiled = names(folder, "*.cc", "/tests/")
    sources = compiled | names(folder, "*.h", "/tests/")
    for test in sorted(tests - OF_NO_SOURCE):
        if not any(is_for(test, source) for source in sources):
            room = test.rpartition("/")[0]
            faults.append(f"{tests_folder}/{test}_test.cc is called like no source of {folder}/{room}/")
    for source in sorted(compiled):
        if f"{source}/".startswith(tuple(f"{name}/" for name in COMPLETE)):
            if not any(is_for(test, source) for test in tests):
                faults.append(f"{folder}/{source}.cc has no {tests_folder}/{source}_test.cc")
    return faults, len(tests)


def main():
    told = [faults_of(*folders) for folders in FOLDERS]
    faults, tests = [fault for each, _ in told for fault in each], sum(count for _, count in told)
    print("\n".join(faults) or f"{tests} tests stand where their sources stand")
    return 1 if faults or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
