#!/usr/bin/env python3
"""Repairs programs and libraries built here, and starts them with the real loader before and after.

    files.py CUDALD

Output is TAP.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))

from recipe import repair  # noqa: E402
from schema import Schema  # noqa: E402
from tap import Tap  # noqa: E402

PROJECT = os.path.dirname(os.path.dirname(HERE))
VERSIONS = "V1 { global: *; };\n"


class Place:
    """A directory with files that are built here."""

    def __init__(self, folder, cudald):
        self.folder, self.cudald = folder, os.path.abspath(cudald)
        for name in ("bin", "lib", "out"):
            os.mkdir(os.path.join(folder, name))
        with open(os.path.join(folder, "versions"), "w", encoding="ascii") as file:
            file.write(VERSIONS)

    def build(self, name, source, *options):
        subprocess.run(["gcc", "-w", "-x", "c", "-", "-x", "none", "-o", name, *options], cwd=self.folder, input=source,
                       text=True, check=True)

    def start(self, name):
        done = subprocess.run([os.path.join(self.folder, name)], cwd="/", env={}, capture_output=True, text=True,
                              check=False)
        return done.returncode, (done.stdout + done.stderr).strip().split(": ")[-1]

    def repair(self, *words):
        return repair(self.cudald, self.folder, *words)


def take_its_place(place, name):
    shutil.copy2(os.path.join(place.folder, "out", os.path.basename(name)), os.path.join(place.folder, name))


def test_search_path(tap, place):
    place.build("lib/libone.so.1", "int one(void) { return 1; }", "-shared", "-fPIC", "-Wl,-soname,libone.so.1")
    place.build("lib/libtwo.so.1", "int one(void); int two(void) { return 1 + one(); }", "-shared", "-fPIC",
                "-Wl,-soname,libtwo.so.1", "lib/libone.so.1")
    source = "#include <stdio.h>\nint two(void); int main(void) { printf(\"%d\\n\", two()); return 0; }"
    place.build("bin/app", source, "lib/libtwo.so.1", "-Wl,--allow-shlib-undefined",
                "-Wl,-rpath,/home/builder/of/this/lib:")
    status, said = place.start("bin/app")
    tap.ok(status == 127 and "cannot open" in said or "No such file" in said, "the program does not start", [said])
    alone = place.repair("bin/app", "-o", "out/app")
    tap.ok(alone.returncode == 1 and not os.path.exists(os.path.join(place.folder, "out/app")),
           "one file is not enough, so nothing is written", [alone.stdout, alone.stderr])
    tap.ok("elsewhere" in alone.stdout and "lib/libtwo.so.1" in alone.stdout, "the other file is named", [alone.stdout])
    both = place.repair("bin/app", "lib/libtwo.so.1", "-o", "out")
    tap.ok(both.returncode == 0, "both are repaired", [both.stdout, both.stderr])
    for name in ("bin/app", "lib/libtwo.so.1"):
        take_its_place(place, name)
    tap.ok(place.start("bin/app") == (0, "2"), "the program starts", place.start("bin/app"))
    os.rename(os.path.join(place.folder, "lib"), os.path.join(place.folder, "moved"))
    tap.ok(place.start("bin/app")[0] == 127, "it is the search path that made it start")
    os.rename(os.path.join(place.folder, "moved"), os.path.join(place.folder, "lib"))
    again = place.repair("bin/app", "-o", "out/again")
    same = open(os.path.join(place.folder, "out/again"), "rb").read() == open(
        os.path.join(place.folder, "bin/app"), "rb").read()
    tap.ok(again.returncode == 0 and same, "what loads is copied as it is", [again.stdout, again.stderr])


def test_renamed(tap, place):
    """A library under the name that a wheel's repair tool gave it, with versions."""
    options = ("-shared", "-fPIC", "-Wl,-soname,libdep.so.1,--version-script=versions")
    place.build("lib/libdep.so.1", "int dep(void) { return 7; }", *options)
    source = "#include <stdio.h>\nint dep(void); int main(void) { printf(\"%d\\n\", dep()); return 0; }"
    place.build("bin/renamed", source, "lib/libdep.so.1", "-Wl,-rpath,$ORIGIN/../lib")
    os.remove(os.path.join(place.folder, "lib/libdep.so.1"))
    place.build("lib/libdep-1a2b3c4d.so.1", "int dep(void) { return 7; }", "-shared", "-fPIC",
                "-Wl,-soname,libdep-1a2b3c4d.so.1,--version-script=versions")
    done = place.repair("bin/renamed", "-f", "json", "-o", "out")
    tap.ok(done.returncode == 0, "a needed name is replaced", [done.stdout, done.stderr])
    if done.returncode != 0:
        return
    take_its_place(place, "bin/renamed")
    tap.ok(place.start("bin/renamed") == (0, "7"), "the program starts", place.start("bin/renamed"))
    document = json.loads(done.stdout)
    with open(os.path.join(PROJECT, "docs", "schemas", "repair.json"), encoding="utf-8") as file:
        problems = Schema(json.load(file)).problems(document)
    tap.ok(not problems, "the JSON fits its schema", problems)
    change = document["targets"][0]["changes"][0]
    tap.ok(change["what"] == "NEEDED" and change["after"] == "libdep-1a2b3c4d.so.1", "and says what changed", [change])


def main():
    tap = Tap()
    if not shutil.which("gcc"):
        tap.skip("repaired files", "gcc is not installed")
        return tap.finish()
    with tempfile.TemporaryDirectory() as folder:
        place = Place(os.path.realpath(folder), sys.argv[1])
        test_search_path(tap, place)
        test_renamed(tap, place)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
