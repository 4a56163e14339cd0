#!/usr/bin/env python3
"""Builds the fixtures, asks the real loader and cudald about each, and compares. Writes TAP.

run.py CUDALD [--libc glibc|musl] [PATTERN...]    PATTERN: a shell pattern for the fixture's name
run.py CUDALD --machine MACHINE [PATTERN...]      the loader of another machine, by a cross compiler and QEMU; of musl
                                                  AArch64 alone
run.py --oracle-only [PATTERN...]                 the real loader and the fixtures' own expectations alone
"""
import argparse
import fnmatch
import os
import shutil
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import agreement
import expectations
import fixture
import real_glibc
import real_musl
import simulated
from answer import in_existing_folders
from machines import MACHINES
from reachable import reachable

LOADERS = {"glibc": real_glibc, "musl": real_musl}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="CUDALD PATTERN", help="the program to test, then patterns")
    parser.add_argument("--libc", choices=LOADERS, default="glibc")
    parser.add_argument("--machine", choices=MACHINES, default="x86_64", help="for which fixtures are built")
    parser.add_argument("--oracle-only", action="store_true", help="do not ask cudald; the first word is a pattern too")
    parser.add_argument("--keep", action="store_true", help="keep the scratch folders and say where they are")
    parser.add_argument("--show", action="store_true", help="write the real loader's answer below each fixture")
    parser.add_argument("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1))
    chosen = parser.parse_args()
    chosen.cudald = None if chosen.oracle_only else chosen.words.pop(0) if chosen.words else None
    if chosen.cudald is None and not chosen.oracle_only:
        parser.error("CUDALD is missing")
    if chosen.cudald:
        chosen.cudald = os.path.abspath(chosen.cudald)
        if not os.access(chosen.cudald, os.X_OK):
            parser.error(f"{chosen.cudald} cannot be run")
    return chosen


def title(source):
    return f"{source.parent.name}: {source.stem.replace('-', ' ')}"


def try_fixture(source, chosen, work):
    """Returns (TAP result without its number, diagnostic lines)."""
    libc = LOADERS[chosen.libc]
    try:
        plan = fixture.build(source, libc, work / source.stem, work / "stubs")
        real = libc.ask(plan)
        shown = show(plan, real) if chosen.show else []
        unmet = list(expectations.unmet(plan, real))
        if unmet or chosen.cudald is None:
            return ("not ok", "", unmet + show(plan, real)) if unmet else ("ok", "", shown)
        bound = expectations.bound(plan)
        said, document, command = simulated.ask(plan, libc, chosen.cudald, bound)
        wrong = list(agreement.differences(plan, real, said, bound))
        if wrong:
            return "not ok", "", wrong + ["asked: " + " ".join(command)] + findings(document) + shown
        return "ok", "", shown
    except fixture.Skipped as why:
        return "ok", f" # SKIP {why}", []
    except (fixture.Broken, simulated.Failed) as wrong:
        return "not ok", "", str(wrong).splitlines()
    except Exception:  # one fixture's surprise must not end the run
        return "not ok", "", traceback.format_exc().splitlines()


def findings(document):
    return [f"finding: {one['code']} {one['name']}: {one['message']}" for one in document["findings"]]


def show(plan, real):
    """The real loader's answer, as lines."""
    lines = [f"{name}: {value}" for name, value in vars(real).items()
             if name not in ("searches", "mapped") and not isinstance(value, bool) and value]
    for one in real.searches:
        tried = in_existing_folders(one.tried, one.name, plan)
        lines += [f"search: {one.name} for {one.requester} -> {one.found}, tried: {' '.join(tried)}"]
    return [line.replace(plan.scratch + "/", "") for line in lines]


def main():
    chosen = arguments()
    libc = LOADERS[chosen.libc]
    if chosen.machine != "x86_64":
        libc.choose(MACHINES[chosen.machine])
    if libc.lacking():
        print(f"1..0 # SKIP {libc.lacking()} is not installed")
        return 0
    sources = sorted((fixture.FIXTURES / chosen.libc).glob("*.sh"))
    if chosen.words:
        sources = [source for source in sources if any(fnmatch.fnmatch(source.stem, word) for word in chosen.words)]
    if not sources:
        print("1..0\nBail out! no fixture has such a name")
        return 2

    print("TAP version 13")
    print(f"1..{len(sources)}", flush=True)
    work = Path(tempfile.mkdtemp(prefix="cudald-scenario-")).resolve()
    work.chmod(0o755)  # some starts belong to another user
    (work / "stubs").mkdir()
    if chosen.cudald:
        (work / "program").mkdir()
        chosen.cudald = reachable(chosen.cudald, work / "program")
    try:
        failed = report(sources, chosen, work)
    finally:
        if chosen.keep:
            print(f"# kept: {work}")
        else:
            remove(work)
    return 1 if failed else 0


def report(sources, chosen, work):
    """Tries all, writes a TAP line for each; returns how many failed."""
    failed = 0
    with ThreadPoolExecutor(chosen.jobs) as pool:
        results = pool.map(lambda source: try_fixture(source, chosen, work), sources)
        for number, (source, (result, note, lines)) in enumerate(zip(sources, results), 1):
            failed += result != "ok"
            print(f"{result} {number} - {title(source)}{note}")
            for line in "\n".join(lines).splitlines():
                print(f"# {line}")
            sys.stdout.flush()
    return failed


def remove(work):
    for folder, names, _ in os.walk(work):
        for name in names:
            if not os.path.islink(os.path.join(folder, name)):
                os.chmod(os.path.join(folder, name), 0o700)  # a fixture may have closed it
    shutil.rmtree(work)


if __name__ == "__main__":
    sys.exit(main())
