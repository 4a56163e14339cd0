#!/usr/bin/env python3
"""A real CPython for Windows imports real wheels under wine: cudald and cudald.exe must have said the same.

    real_imports.py CUDALD [CUDALD_EXE] [--only GLOB] [--every N]

Python 3.11.9 is WinPython's, from the package index; the packages are 65 that were drawn by a seed, with all that they
require (tools/pins-windows-python.txt). Each module at the top of site-packages is imported by that python.exe, and
asked of cudald with --prefix; of one that fails the exception must be the same. Then the packages alone, without what
they require. Last, by cudald.exe and on wine as it is, which lacks a DLL that Rust's modules import. --every takes each
Nth module. Output is TAP.
"""

import argparse
import fnmatch
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "common"))

import windows_python  # noqa: E402
from pinned import PROJECT  # noqa: E402
from run import Builder  # noqa: E402
from tap import Tap  # noqa: E402

WORKS = ("loads", "risk")
# What a compiled module says of an import that fails is in its machine code, which cudald reads of Linux alone: of
# Windows it names the module that is missing.
SPOKEN = {"ImportError: numpy._core.multiarray failed to import": "ModuleNotFoundError: No module named 'numpy'"}
RUST = 8  # modules that are asked of wine without bcryptprimitives.dll


def drawn():
    """The projects that were drawn, as the pins name them."""
    with open(os.path.join(PROJECT, "tools", windows_python.PINS), encoding="utf-8") as lines:
        words = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return {word[1] for word in words if word[3:] == ["#", "drawn"]}


def predicted(program, words):
    """The verdict, and all that the answer says."""
    done = subprocess.run([*program, "explain", "-f", "json", *words], stdin=subprocess.DEVNULL, capture_output=True,
                          check=False, timeout=300)
    try:
        return json.loads(done.stdout)["verdict"], done.stdout.decode()
    except ValueError:
        return f"no answer: {done.stderr.decode(errors='replace')[:200]}", ""


class Comparison:
    def __init__(self, tap, cudald, exe, wine, scratch, options):
        self.tap, self.cudald, self.exe, self.wine = tap, cudald, exe, wine
        self.scratch, self.options = scratch, options

    def native(self):
        return ["env", *(f"{name}={self.wine.environment[name]}" for name in
                         ("WINEPREFIX", "WINEDEBUG", "WINEDLLOVERRIDES", "DISPLAY")), self.wine.program, self.exe]

    def ask(self, folder, modules, title, by_exe):
        cwd = os.path.join(self.scratch, "cwd")
        os.makedirs(cwd, exist_ok=True)

        def one(module):
            words = ["--prefix", folder, "py:" + module]
            return (module, windows_python.real_import(self.wine, folder, module, cwd),
                    None if by_exe else predicted([self.cudald], words),
                    predicted(self.native(), words) if self.exe else None)

        works = fails = 0
        with ThreadPoolExecutor(2) as pool:
            for module, real, linux, native in pool.map(one, modules):
                if real is None:
                    self.tap.skip(f"{title}: import {module}", "it calls a function that wine lacks, or does not end")
                    continue
                works, fails = works + (not real), fails + bool(real)
                for name, answer in (("cudald", linux), ("cudald.exe", native)):
                    if answer is not None:
                        self.judge(f"{title}: import {module}, {name}", real, *answer)
        self.tap.comment(f"{title}: {works} imports work, {fails} fail")

    def judge(self, name, real, verdict, said):
        right = verdict in (("fails",) if real else WORKS)
        # The words for a missing DLL are wine's own. Of a chain of exceptions the first counts.
        told = not real or any("DLL load failed" in each or json.dumps(SPOKEN.get(each, each))[1:-1] in said
                               for each in real)
        self.tap.ok(right and told, name, [f"Python says: {real or 'it works'}", f"verdict {verdict}"])

    def chosen(self, modules):
        return [module for module in modules if fnmatch.fnmatch(module, self.options.only)][::self.options.every]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cudald")
    parser.add_argument("exe", nargs="?")
    parser.add_argument("--only", default="*")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    tap = Tap()
    exe = os.path.abspath(options.exe) if options.exe and os.path.exists(options.exe) else None
    if not exe:
        tap.skip("cudald.exe", "it is not built: tools/build windows")

    def test(wine, scratch):
        build = Builder(scratch)
        windows_python.as_windows_10(wine)
        whole, alone = os.path.join(scratch, "whole"), os.path.join(scratch, "alone")
        own = drawn()
        windows_python.make_python(whole)
        shutil.copytree(whole, alone)
        for wheel in windows_python.wheels():
            windows_python.install(whole, wheel)
            if wheel in own:
                windows_python.install(alone, wheel)
        asked = Comparison(tap, os.path.abspath(options.cudald), exe, wine, scratch, options)
        if exe:
            rust = [module for module in windows_python.modules(whole) if of_rust(whole, module)]
            asked.ask(whole, asked.chosen(rust)[:RUST], "without bcryptprimitives.dll", True)
        windows_python.add_primitives(wine, build)
        asked.ask(whole, asked.chosen(windows_python.modules(whole)), "with all", False)
        asked.ask(alone, asked.chosen(windows_python.modules(alone)), "without requirements", False)

    return windows_python.with_wine(tap, "real imports on Windows", ["x86_64-w64-mingw32-gcc"], test,
                                    windows_python.fetch)


def of_rust(folder, module):
    """Whether a file of it imports bcryptprimitives.dll."""
    place = os.path.join(folder, "Lib/site-packages", module)
    for name in os.listdir(place) if os.path.isdir(place) else []:
        if name.endswith(".pyd"):
            with open(os.path.join(place, name), "rb") as file:
                return b"bcryptprimitives.dll" in file.read()
    return False


if __name__ == "__main__":
    sys.exit(main())
