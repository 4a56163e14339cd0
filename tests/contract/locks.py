#!/usr/bin/env python3
"""Locks judged before anything is installed, against the same sets installed and imported for real.

    locks.py CUDALD [--full] [--only GLOB]

The lists of tests/python/environments are locks: every package is pinned with its hash. Each is judged as a lock, with
its wheels in a folder, and held against the environment that pip made of them on this machine: the modules of each
top-level package are imported alone, and all in one process. FAILS must fail there, and what loads or is for the CPU
alone must be imported; a RISK may be either, but what is missing when it fails must have been told. --full asks about
all of them, and about sets that are laid over one of them: two majors of CUDA, RAPIDS' memory manager, and one that no
resolver would make. Output is TAP.
"""

import argparse
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "common"), str(HERE.parent / "python")]

from real_import import CannotAsk, Environment, run_quietly  # noqa: E402
from tap import Tap  # noqa: E402
from top_modules import modules_of  # noqa: E402

SETS = HERE.parent / "python" / "environments"
# Locks as uv writes them, of sets that are no environments of other tests.
LOCKS = HERE.parent / "locks"
LOCKED = ["rapids", "cudnn-replaced"]
SAMPLE = ["small"]
# Sets that have their wheels, and more: the base, what is laid over it, what of the base is asked about, and the code
# that must be among the findings.
OVERLAYS = {
    "two majors of CUDA": ("torch", ["cupy-cuda11x==13.6.0", "fastrlock==0.8.3"], ["torch"], "CUD312"),
    "RAPIDS' memory manager": ("cuda-python", ["rmm-cu12==26.8.0", "librmm-cu12==26.8.0", "rapids-logger==0.2.3"], [],
                               None),
    "scikit-learn for numpy 1 beside numpy 2": ("small", ["scikit-learn==1.3.2", "scipy==1.11.4", "joblib==1.5.3",
                                                          "threadpoolctl==3.6.0"], [], None),
}
IMPORT = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"


def is_imported(python, modules, folders=()):
    """None, or what Python says at the end."""
    done = subprocess.run([python, "-c", IMPORT, *modules], check=False, capture_output=True, text=True, timeout=600,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))})
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["ended by a signal"])[-1]


def modules_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = [name.split(".data/purelib/")[-1].split(".data/platlib/")[-1] for name in archive.namelist()]
    return [name for name in modules_of(name for name in names if ".dist-info/" not in name and ".data/" not in name)
            if not name.startswith(("_", "test"))]


def is_equal(verdict, fault, told):
    """Whether a verdict is what came of it. `told`: all that was said."""
    if fault is None:
        return verdict not in ("fails", "unknown")
    missing = re.search(r"[\w.+-]+\.so[.\d]*(?=: cannot open)", fault)
    return verdict == "fails" or (verdict == "risk" and missing is not None and missing[0] in told)


def judge(tap, cudald, name, lock, folders, python, more=(), code=None):
    words = [word for folder in folders for word in ("--wheels", str(folder))]
    done = subprocess.run([cudald, "check", "--fail-on", "never", "-f", "json", "--host", "here", "--python", "3.11",
                           *words, str(lock)], check=False, capture_output=True, text=True)
    if not tap.ok(done.stdout != "", f"{name}: an answer", [done.stderr]):
        return
    document = json.loads(done.stdout)
    tap.ok(all(package["state"] == "read" for package in document["packages"]), f"{name}: each package is read")
    wheels = {package["name"]: package["archive"] for package in document["packages"]}
    tops = [package["name"] for package in document["packages"] if package["top_level"]]
    verdicts = {each["package"]: each["verdict"] for each in document["alone"]} or \
        {tops[0]: document["verdict"]}
    everything = []
    for package, verdict in verdicts.items():
        modules = modules_in(wheels[package])
        everything += modules
        fault = is_imported(python, modules, more)
        tap.ok(is_equal(verdict, fault, done.stdout), f"{name}: {package} alone: {verdict}, as for real",
               [fault, modules])
    fault = is_imported(python, everything, more)
    tap.ok(is_equal(document["verdict"], fault, done.stdout),
           f"{name}: all in one process: {document['verdict']}, as for real", [fault, document["headline"]])
    if code is not None:
        codes = [finding["code"] for finding in document["together"]["findings"]]
        tap.ok(code in codes, f"{name}: {code} is told", codes)


def pins_of(text, names):
    """The lines of a list that pin these packages; all where none is named."""
    lines = [line for line in text.splitlines() if "==" in line and not line.startswith("#")]
    return [line for line in lines if not names or line.partition("==")[0] in names]


def judge_overlay(tap, cudald, name, folder):
    base, added, _, code = OVERLAYS[name]
    environment = Environment(SETS / f"{base}.txt")
    environment.install()
    python = environment.folder / "bin" / "python"
    wheels, site = folder / "wheels", folder / "site"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "-q"]
    run_quietly(*pip, "download", "--no-deps", "--only-binary", ":all:", "-d", str(wheels), *added)
    run_quietly(*pip, "install", "--no-deps", "--no-index", "--no-compile", "--target", str(site),
                *map(str, sorted(wheels.iterdir())))
    lock = folder / "requirements.txt"
    lines = pins_of((SETS / f"{base}.txt").read_text(encoding="utf-8"), [])
    lock.write_text("\n".join([*(line.split()[0] for line in lines), *added]) + "\n")
    judge(tap, cudald, name, lock, [wheels, environment.wheels], python, [site], code)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald", type=os.path.abspath)
    parser.add_argument("--full", action="store_true", help="all sets")
    parser.add_argument("--only", default="*", metavar="GLOB")
    options = parser.parse_args()
    tap = Tap()
    locks = [SETS / f"{name}.txt" for name in SAMPLE]
    if options.full:
        locks = [*sorted(SETS.glob("*.txt")), *(LOCKS / f"{name}.txt" for name in LOCKED)]
    for lock in locks:
        name = lock.stem
        if not fnmatch.fnmatchcase(name, options.only):
            continue
        try:
            environment = Environment(lock)
            environment.install()
            judge(tap, options.cudald, name, environment.requirements, [environment.wheels],
                  environment.folder / "bin" / "python")
        except CannotAsk as reason:
            tap.skip(name, str(reason))
    for name in OVERLAYS if options.full else []:
        if fnmatch.fnmatchcase(name, options.only):
            with tempfile.TemporaryDirectory(prefix="cudald-locks-") as folder:
                try:
                    judge_overlay(tap, options.cudald, name, Path(folder))
                except CannotAsk as reason:
                    tap.skip(name, str(reason))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
