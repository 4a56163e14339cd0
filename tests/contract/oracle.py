#!/usr/bin/env python3
"""Finds which wheels that were drawn by lot really lack something: it installs each alone, and imports it.

    oracle.py PINS... [--only GLOB] [--cache DIR] > TABLE

Of each manylinux wheel for this machine in PINS (x86_64, or aarch64 in a root of that under QEMU): a fresh virtual
environment of this Python, 3.11; `pip install WHEEL` with its requirements, wheels only; then each top-level module
that the wheel brings is imported by a process of its own. A row of the table, tab separated, is the file name,
whether it could be installed, whether all could be imported, and what was imported or the last lines of the errors.
Where an import fails for want of libcuda.so.1 alone, nothing is told about the wheel: this machine has no driver, and
the row says so.

A wheel that requires one of LARGE is skipped, in words. An environment is deleted at once; what pip fetched is kept
until the end of the run, so that nothing is fetched twice. What really fails belongs into really-lack.txt.
"""

import argparse
import fnmatch
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from sample import class_of, file_names  # noqa: E402

sys.path.insert(0, os.path.join(HERE, "..", "common"))

from pinned import WHEELS, fetch_wheels  # noqa: E402
from top_modules import modules_of  # noqa: E402

# Projects of which one, with what it requires itself, is more than 600 MB.
LARGE = ("jaxlib", "nvidia-cublas*", "nvidia-cudnn*", "nvidia-cusparse*", "pyspark", "tensorflow*", "torch")
SECONDS = 300
INSTALL_SECONDS = 1800


class CannotInstall(Exception):
    pass


def members(wheel):
    """The files that an installer would put into site-packages."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    for name in names:
        head, _, rest = name.partition("/")
        if head.endswith(".data"):
            scheme, _, rest = rest.partition("/")
            if scheme in ("purelib", "platlib"):
                yield rest
        elif not head.endswith(".dist-info"):
            yield name


def pip(python, *words, cache):
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--only-binary", ":all:", *words],
        check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment, timeout=INSTALL_SECONDS,
    )
    if done.returncode != 0:
        raise CannotInstall(last_line(done.stderr))
    return done.stdout


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("[notice]")]
    return " ".join(lines[-1].split()) if lines else "(no message)"


def large_requirements(python, wheel, cache):
    report = json.loads(pip(python, "--dry-run", "--report", "-", wheel, cache=cache))
    # The wheel itself is on this machine already.
    names = [entry["metadata"]["name"] for entry in report["install"] if not entry["requested"]]
    names = [re.sub("[-_.]+", "-", name).lower() for name in names]
    return sorted(name for name in names if any(fnmatch.fnmatchcase(name, glob) for glob in LARGE))


def import_error(python, module, folder):
    """The last line of what it says; None if it can be imported."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    try:
        done = subprocess.run(
            [python, "-I", "-c", f"import {module}"], check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, errors="replace", cwd=folder, env=environment, timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"not ready after {SECONDS} s"
    return None if done.returncode == 0 else f"{last_line(done.stderr)} (exit status {done.returncode})"


def imported(python, modules, folder):
    """The last two columns."""
    if not modules:
        return "-", "brings no module"
    faults = [(module, error) for module in modules if (error := import_error(python, module, folder))]
    if not faults:
        return "yes", "import " + ", ".join(modules)
    telling = [fault for fault in faults if "libcuda.so.1: cannot open" not in fault[1]]
    if not telling:
        return "-", f"no driver on this machine: {faults[0][0]}: {faults[0][1]}"
    return "no", "; ".join(f"import {module}: {error}" for module, error in telling)


def row(wheel, cache):
    """The columns after the file name."""
    with tempfile.TemporaryDirectory(prefix="cudald-oracle-") as folder:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", os.path.join(folder, "venv")], check=True)
        python = os.path.join(folder, "venv", "bin", "python")
        try:
            large = large_requirements(python, wheel, cache)
            if large:
                return "-", "-", f"skipped: it requires {', '.join(large)}, more than 600 MB"
            pip(python, wheel, cache=cache)
        except (CannotInstall, subprocess.TimeoutExpired) as error:
            return "no", "-", str(error)
        return ("yes", *imported(python, modules_of(members(wheel)), folder))


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("pins", nargs="+", metavar="PINS")
    words.add_argument("--only", default="*", metavar="GLOB", help="only wheels whose names match")
    words.add_argument("--cache", default=WHEELS, metavar="DIR", help="the folder of the wheels")
    options = words.parse_args()
    if sys.version_info[:2] != (3, 11):
        sys.exit("oracle.py: the wheels are for CPython 3.11; run it with that")
    wanted = {"x86_64": "linux", "aarch64": "aarch64"}.get(platform.machine())
    wheels = [name for name in file_names(options.pins) if class_of(name) == wanted]
    wheels = [name for name in wheels if fnmatch.fnmatchcase(name, options.only)]
    for pins in options.pins:
        fetch_wheels(wheels, pins=os.path.abspath(pins), into=options.cache)
    print("filename", "installed", "imported", "message", sep="\t")
    with tempfile.TemporaryDirectory(prefix="cudald-oracle-pip-") as cache:
        for name in wheels:
            wheel = os.path.join(os.path.abspath(options.cache), name)
            columns = row(wheel, cache) if os.path.exists(wheel) else ("no", "-", "it could not be fetched")
            print(name, *columns, sep="\t", flush=True)


if __name__ == "__main__":
    main()
