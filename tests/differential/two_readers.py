#!/usr/bin/env python3
"""Holds what cudald reads of files against what LIEF, a reader written by others, reads of the same bytes.

    two_readers.py TWO_READERS [--sample N] [--mutate N] [--seed S] [FILE...]

TWO_READERS (second_reader/) reads each file with both. Without FILE: the ELF files of this system, and its PE
files, of Wine and MinGW. What both tell must be the same: headers, load segments, names in the dynamic section,
versions, imported and exported symbols and functions. The differences that are known stand below, each with its
reason. With --mutate, N files with random edits of their headers and tables follow: there the two may refuse what
they like, but where LIEF reads and cudald tells no defect, they must agree; and cudald must never end before its
time. Output is TAP.
"""

import argparse
import collections
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, os.path.join(HERE, "..", "hostile"))

from system_files import DIRECTORIES, regular_files  # noqa: E402
from tap import Tap, first  # noqa: E402

# LIEF takes the whole file into memory, several times over.
LARGEST = 64 << 20  # bytes
# What is not known of these is no failure of the comparison, but of LIEF.
LARGEST_SHARE_NOT_READ = 0.02


VERSIONS = ("version definitions", "version needs")
SYMBOLS = ("exported symbols", "imported symbols")


def known_reason(kind, difference, answer, mutant):
    """Why the two may differ in this, or None."""
    if not mutant:
        return None
    ours, liefs = difference.get("cudald", []), difference.get("lief", [])
    if kind == "version definitions" and liefs and all(text.startswith(" as ") for text in liefs):
        return "LIEF reads as many names of a version as vd_cnt says; loaders read the first, whatever it says"
    if kind in SYMBOLS and any(table in answer["differences"] for table in VERSIONS):
        return "the names of symbols' versions, where the tables of versions differ"
    if kind == "machine":
        return "LIEF takes the byte order from the machine, even against the header"
    if kind in VERSIONS and all(text.startswith(" ") for text in ours):
        return "of a name that begins outside of DT_STRTAB's segment cudald takes nothing"
    if not ours or not liefs:
        return "one reads fewer entries of a damaged table (what loaders do with such files, tests/hostile asks them)"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", metavar="TWO_READERS")
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--sample", type=int, metavar="N", help="only N files, always the same ones")
    parser.add_argument("--mutate", type=int, default=0, metavar="N", help="N files with random edits as well")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)

    tap = Tap()
    paths, left_out = (options.files, {}) if options.files else find_files()
    if options.sample is not None and len(paths) > options.sample:
        left_out["not in the sample"] = len(paths) - options.sample
        paths = sorted(sorted(paths, key=lambda p: hashlib.sha256(os.fsencode(p)).digest())[: options.sample])
    if not paths:
        tap.bail_out("no file to read")
    answers = ask(tap, options.program, paths, "the files of this system")
    compare_whole(tap, answers)
    reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items() if count)
    tap.comment(f"left out: {reasons or 'none'}")
    if options.mutate:
        compare_mutants(tap, options)
    return tap.finish()


def find_files():
    """Every ELF and PE file of this system that has a dynamic section or could have one, each inode once."""
    paths, left_out = [], collections.Counter()
    for path in regular_files(DIRECTORIES, set()):
        try:
            with open(path, "rb") as file:
                start = file.read(20)
                size = os.fstat(file.fileno()).st_size
        except OSError:
            left_out["unreadable"] += 1
            continue
        elf, pe = start.startswith(b"\x7fELF"), start.startswith(b"MZ")
        if not elf and not pe:
            continue
        if "\n" in path:
            left_out["with a newline in the path"] += 1
        elif elf and start[16:18] in (b"\x01\x00", b"\x00\x01"):
            left_out["relocatable"] += 1
        elif size > LARGEST:
            left_out["larger than 64 MiB"] += 1
        else:
            paths.append(path)
    return paths, left_out


def ask(tap, program, paths, what):
    """What TWO_READERS says of each; bails out if it ends before its time."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
        stdin.write(b"".join(os.fsencode(path) + b"\n" for path in paths))
        stdin.seek(0)
        run = subprocess.run([program], check=False, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr)
        stderr.seek(0)
        complaint = stderr.read().decode(errors="replace")
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    whole = run.returncode == 0 and len(answers) == len(paths)
    at = paths[len(answers)] if len(answers) < len(paths) else "the end"
    tap.ok(whole, f"{what}: cudald reads them all", [f"status {run.returncode} at {at}", *complaint.splitlines()[-20:]])
    for answer, path in zip(answers, paths):
        answer["path"] = path
    return answers


def differences_of(answers, mutant=False):
    """Lines for what is not known, and how often each known reason holds."""
    unknown, known = [], collections.Counter()
    for answer in answers:
        for kind, difference in answer["differences"].items():
            reason = known_reason(kind, difference, answer, mutant)
            if reason:
                known[reason] += 1
            else:
                unknown.append(f"{answer['path']}: {kind}: {json.dumps(difference)[:400]}")
    return unknown, known


def compare_whole(tap, answers):
    read = [answer for answer in answers if answer["lief"] == "read" and answer["cudald"] == "read"]
    others = [answer for answer in answers if answer not in read]
    not_read = [f"{answer['path']}: LIEF {answer['lief']}, cudald {answer['cudald']}" for answer in others]
    few = len(others) <= LARGEST_SHARE_NOT_READ * len(answers)
    tap.ok(few and read, f"{len(read)} of {len(answers)} files are read by both", first(not_read))
    ours = [line for answer, line in zip(others, not_read) if answer["cudald"] != "read" and answer["lief"] == "read"]
    tap.ok(not ours, "cudald reads what LIEF reads", first(ours))
    unknown, known = differences_of(read)
    facts = sum(answer["facts"] for answer in read)
    tap.ok(not unknown, f"{facts} facts are the same to both", first(unknown))
    tell_known(tap, known)


def tell_known(tap, known):
    for reason, count in known.most_common():
        tap.comment(f"{count} times, known: {reason}")


def compare_mutants(tap, options):
    import mutation  # of tests/hostile, whose samples are built here
    from samples import Samples

    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "samples"))
        healthy = Samples(os.path.join(folder, "samples")).library
        with open(healthy, "rb") as file:
            data = file.read()
        places = mutation.interesting_places(healthy)
        paths, edits = [], {}
        for number in range(options.mutate):
            mutant, edit = mutation.mutated(rng, data, places)
            path = os.path.join(folder, f"mutant-{number}.so")
            with open(path, "wb") as file:
                file.write(mutant)
            paths.append(path)
            edits[path] = edit
        answers = ask(tap, options.program, paths, f"{options.mutate} mutants, seed {options.seed}")
        ends = collections.Counter(answer["lief"] for answer in answers)
        tap.comment("LIEF: " + ", ".join(f"{count} {how}" for how, count in ends.most_common()))
        agreed = [a for a in answers if a["lief"] == "read" and a["cudald"] == "read" and not a["faults"]]
        unknown, known = differences_of(agreed, mutant=True)
        unknown = [f"{line} ({edits[line.split(':')[0]]})" for line in unknown]
        tap.ok(not unknown and agreed, f"{len(agreed)} mutants without a defect are the same to both", first(unknown))
        tell_known(tap, known)


if __name__ == "__main__":
    sys.exit(main())
