#!/usr/bin/env python3
"""200 questions to cudald and, under wine, to cudald.exe: the same JSON, but for the drive in front of a path.

    same_answers.py CUDALD CUDALD_EXE [--every N]

The cases of run.py and the reports of tests/field/windows as drives that --sysroot names, 60 drawn wheels, and modules
of a whole CPython for Windows on such a drive. --every asks each Nth. Then, how long cudald.exe takes to start, beside
a program that does nothing. Output is TAP.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "common"))

import windows_python  # noqa: E402
from native import Programs, compare  # noqa: E402
from pinned import WHEELS, fetch_wheels, pinned_names  # noqa: E402
from run import CASES, Builder  # noqa: E402
from tap import Tap  # noqa: E402

FIELD = os.path.join(HERE, "..", "field", "windows")
DRAWN = "pins-windows-drawn.txt"
MODULES = 90
SLOWEST = 0.05  # s that a start may take longer than that of a program that does nothing


def of_fixtures(build, scratch):
    """Each case as drive C:, asked about as its loader asks."""
    for machine in ("x86_64", "i686"):
        build.program(os.path.join(scratch, f"loader-{machine}.exe"), machine)
    for case in CASES:
        drive = os.path.join(scratch, "fixtures", case.name)
        for name in ("app", "cwd"):
            os.makedirs(os.path.join(drive, name))
        shutil.copy(os.path.join(scratch, f"loader-{case.machine}.exe"), os.path.join(drive, "app/loader.exe"))
        case.files(build, drive)
        words = ["--sysroot", drive, "--cwd", "/cwd"]
        for place in case.path:
            words += ["--dll-path", "C:\\" + place.replace("/", "\\")]
        for call in case.calls:
            if not call.startswith(("?", "d:", "s:")):
                words += ["--dlopen", call.replace("@", "C:").replace("/", "\\")]
        yield f"fixture {case.name}", [*words, "/app/loader.exe"]


def of_reports(scratch):
    """The questions of staged reports that state the machine: without, each program asks about its own."""
    for name in sorted(os.listdir(FIELD)):
        place = os.path.join(FIELD, name)
        if not os.path.exists(os.path.join(place, "case.json")):
            continue
        with open(os.path.join(place, "case.json"), encoding="utf-8") as file:
            case = json.load(file)
        work = os.path.join(scratch, "reports", name)
        os.makedirs(work)
        made = subprocess.run(["bash", os.path.join(place, "make.sh"), work], check=False, capture_output=True)
        for number, ask in enumerate(case["asks"] if made.returncode == 0 else []):
            words = [word.replace("{w}", work) for word in ask["run"][1:]]
            words = [os.path.join(work, word) if os.path.exists(os.path.join(work, word)) else word for word in words]
            stated = {"--sysroot", "--host", "--error"} & set(words) or any(word.endswith(".whl") for word in words)
            if stated and not ask.get("env"):
                yield f"report {name} {number}", words


def of_modules(scratch):
    """Modules of a CPython on a drive, with a third of the pinned packages."""
    drive = os.path.join(scratch, "drive")
    python = os.path.join(drive, "Python311")
    windows_python.make_python(python)
    for wheel in windows_python.wheels()[::3]:
        windows_python.install(python, wheel)
    modules = windows_python.modules(python) + ["ssl", "ctypes", "sqlite3", "tkinter", "asyncio", "decimal"]
    for module in modules[-MODULES:]:
        yield f"import {module}", ["--sysroot", drive, "--prefix", "/Python311", "py:" + module]


def questions(build, scratch):
    yield from of_fixtures(build, scratch)
    yield from of_reports(scratch)
    yield from of_modules(scratch)
    for name in pinned_names(["*"], DRAWN):
        yield f"wheel {name}", [os.path.join(WHEELS, name)]


def seconds(programs, words):
    start = time.monotonic()
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                   env=programs.wine.environment)
    return time.monotonic() - start


def compare_start(tap, programs, build, exe, scratch):
    nothing = os.path.join(scratch, "nothing.exe")
    build.run(build.tool("gcc"), "-o", nothing, build.file(".c", "int main(void) { return 0; }\n"))
    wine = programs.wine.program
    taken = {name: statistics.median(seconds(programs, [wine, *words]) for _ in range(11))
             for name, words in (("nothing", [nothing]), ("cudald", [exe, "--version"]))}
    tap.ok(taken["cudald"] - taken["nothing"] < SLOWEST, "cudald.exe starts in less than 50 ms",
           [f"{1000 * taken['cudald']:.0f} ms, of which wine takes {1000 * taken['nothing']:.0f} ms"])
    tap.comment(f"a start takes {1000 * taken['cudald']:.0f} ms, one that does nothing "
                f"{1000 * taken['nothing']:.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cudald")
    parser.add_argument("exe")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    tap = Tap()

    def missing():
        if not os.path.exists(options.exe):
            return "it is not built: tools/build windows"
        return windows_python.fetch() or fetch_wheels(["*"], pins=DRAWN)

    def test(wine, scratch):
        build = Builder(scratch)
        exe = os.path.abspath(options.exe)
        programs = Programs(os.path.abspath(options.cudald), exe, wine, scratch)
        asked = list(questions(build, scratch))[::options.every]
        for name, words in asked:
            compare(tap, programs, name, "explain", "-f", "json", *words)
            if words[0].endswith(".whl"):
                compare(tap, programs, name + ", shown", "show", "-f", "json", *words)
        tap.comment(f"{len(asked) + sum(words[0].endswith('.whl') for _, words in asked)} questions")
        compare_start(tap, programs, build, exe, scratch)

    return windows_python.with_wine(tap, "200 answers of cudald.exe",
                                    ["x86_64-w64-mingw32-gcc", "i686-w64-mingw32-gcc"], test, missing)


if __name__ == "__main__":
    sys.exit(main())
