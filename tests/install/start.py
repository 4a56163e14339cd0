#!/usr/bin/env python3
"""Which shared libraries cudald loads: few for what is asked every day, and those that decompress only where needed.

    start.py CUDALD

The real loader says what it loads (LD_DEBUG=files), also by dlopen. Output is TAP.
"""

import argparse
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, os.path.join(HERE, "..", "speed"))

import made  # noqa: E402
from tap import Tap  # noqa: E402

# What every program in C++ has, and what reads the command line. Each one more is paid by each start.
FEW = {"libc", "libm", "libstdc++", "libgcc_s", "libpthread", "libdl", "librt",
       "libboost_program_options", "ld-linux-x86-64", "ld-linux-aarch64"}


class Loaded:
    """One run: how it ended, and the names of the libraries that were loaded, without their versions."""

    def __init__(self, cudald, words, folder, **variables):
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": folder, "XDG_CACHE_HOME": folder,
                       "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": os.path.join(folder, "trace"), **variables}
        done = subprocess.run([cudald, *words], capture_output=True, text=True, check=False, env=environment,
                              cwd=folder)
        self.status, self.said = done.returncode, done.stdout + done.stderr
        self.names = set()
        for name in os.listdir(folder):
            if name.startswith("trace."):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8", errors="replace") as file:
                    self.names |= {os.path.basename(found).split(".so")[0]
                                   for found in re.findall(r"calling init: (\S+)", file.read())}
                os.unlink(path)


def make_conda_package(folder):
    path = os.path.join(folder, "made-1-0.tar.bz2")
    index = json.dumps({"name": "made", "version": "1", "build": "0", "depends": []}).encode()
    with tarfile.open(path, "w:bz2") as package:
        member = tarfile.TarInfo("info/index.json")
        member.size = len(index)
        package.addfile(member, io.BytesIO(index))
        package.add("/bin/true", "bin/true")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    cudald = os.path.abspath(parser.parse_args().cudald)
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="cudald-start-") as folder:
        venv = os.path.join(folder, "venv")
        module = made.package(os.path.join(venv, "lib", "python3.11", "site-packages"), 3)
        program = made.libraries(os.path.join(folder, "few"), 3)
        wheel = made.wheel(os.path.join(folder, "wheel"), 1, 2, 2)
        questions = {
            "--version": ["--version"],
            "a program": ["explain", program],
            "what a file says": ["show", program],
            "an import": ["explain", "--prefix", venv, "--python", "3.11", f"py:{module}"],
            "a wheel": ["check", wheel],
            "a machine": ["env"],
        }
        for name, words in questions.items():
            run = Loaded(cudald, words, folder)
            tap.ok(run.status in (0, 1, 2) and "libc" in run.names, f"{name}: answered",
                   [run.status, *run.said.splitlines()[:5]])
            more = sorted(run.names - FEW - ({"libisal"} if words[-1] == wheel else set()))
            tap.ok(not more, f"{name}: no library but those of a start is loaded", more)
        check_isal(tap, cudald, wheel, folder)
        check_libarchive(tap, cudald, make_conda_package(folder), folder)
    return tap.finish()


def absent(folder, name):
    """Where to look for a library so that it is not there: the loader takes the first of that name, and stops at it."""
    place = os.path.join(folder, "absent-" + name)
    os.mkdir(place)
    with open(os.path.join(place, name), "wb"):
        pass
    return {"LD_LIBRARY_PATH": place}


def check_isal(tap, cudald, wheel, folder):
    if "libisal" not in Loaded(cudald, ["check", "--no-cache", wheel], folder).names:
        tap.skip("a wheel where ISA-L is absent", "this cudald has ISA-L in it")
        return
    without = absent(folder, "libisal.so.2")
    run = Loaded(cudald, ["check", "--no-cache", wheel], folder, **without)
    tap.ok(run.status == 2 and "cudald: ISA-L cannot be loaded: " in run.said and len(run.said.splitlines()) == 1,
           "a wheel where ISA-L is absent: one line says so", [run.status, *run.said.splitlines()[:5]])
    run = Loaded(cudald, ["explain", "/bin/true"], folder, **without)
    tap.ok(run.status in (0, 1, 2), "a program where ISA-L is absent: answered", run.said.splitlines()[:5])


def check_libarchive(tap, cudald, package, folder):
    run = Loaded(cudald, ["explain", package], folder)
    tap.ok(run.status == 0, "a conda package: answered", run.said.splitlines()[:5])
    if "libarchive" not in run.names:
        tap.skip("a conda package where libarchive is absent", "this cudald has libarchive in it")
        return
    without = absent(folder, "libarchive.so.13")
    run = Loaded(cudald, ["explain", package], folder, **without)
    tap.ok(run.status == 3 and f"{package}: libarchive cannot be loaded: " in run.said,
           "a conda package where libarchive is absent: told, and not taken for damage of the package",
           [run.status, *run.said.splitlines()[:5]])
    run = Loaded(cudald, ["explain", "/bin/true"], folder, **without)
    tap.ok(run.status in (0, 1, 2), "a program where libarchive is absent: answered", run.said.splitlines()[:5])


if __name__ == "__main__":
    sys.exit(main())
