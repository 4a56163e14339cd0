#!/usr/bin/env python3
"""Installs old releases of packages with the dependencies of today, imports them, and runs what cudald offers.

    old_releases.py CUDALD [--seed N] [--draws N] [--python 3.X] [--online] [NAME==RELEASE...]

Each draw takes a package of old-releases.txt, one of its releases since 2019 and one of the Pythons that are here, by
the seed, installs that as pip would do it now, and imports the package, for real and by cudald. Where the import fails,
the first command that cudald offers is run, if it is one of pip or uv, and the import is tried again. An import that
works must not be FAILS, and of those that fail most must be. Output is TAP: a comment for each draw, and three points.
Installing needs uv. Frameworks of gigabytes are not installed unless they are named.
"""

import argparse
import csv
import glob
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(os.path.abspath(__file__)).parent
sys.path.insert(0, str(HERE.parent / "common"))
sys.path.insert(0, str(HERE))

from popular_imports import TIME_LIMIT, find_python, run_quietly  # noqa: E402
from tap import Tap, first  # noqa: E402

PYTHONS = ("3.8", "3.9", "3.10", "3.11", "3.12")
SINCE = "2019"
TRIES = 4  # for each draw: many releases have no wheel for the Python
FORETOLD = 0.8  # of the imports that fail; on 2026-12-01 it was 34 of 39
HUGE = re.compile(r"^ \+ (torch|tensorflow|nvidia-\S+|jax-cuda\S+)==", re.MULTILINE)


def load_tool(name):
    from importlib.machinery import SourceFileLoader
    from importlib.util import module_from_spec, spec_from_loader
    loader = SourceFileLoader(name.replace("-", "_"), str(HERE.parent.parent / "tools" / name))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def normal_name(name):
    return re.sub(r"[-_.]+", "-", name).lower()


class Index:
    """What releases the package index has."""

    def __init__(self):
        self.tool = load_tool("fetch-pypi")
        self.url = self.tool.index_url()

    def releases(self, name):
        """The final ones with wheels, uploaded since 2019."""
        with self.tool.open_url(f"{self.url}/{normal_name(name)}/", "application/vnd.pypi.simple.v1+json") as answer:
            files = json.load(answer)["files"]
        found = set()
        for one in files:
            if one["filename"].endswith(".whl") and not one.get("yanked") and one.get("upload-time", "") >= SINCE:
                version = one["filename"].split("-")[1]
                if not re.search(r"[a-z]", version.replace("post", "")):
                    found.add(version)
        return sorted(found)


class Environment:
    """A virtual environment that is made for one draw."""

    def __init__(self, folder, python):
        self.prefix = Path(folder) / "venv"
        self.python = str(self.prefix / "bin" / "python")
        run_quietly("uv", "venv", "-q", "--python", python, str(self.prefix))

    def is_huge(self, requirement):
        words = ["uv", "pip", "install", "--dry-run", "--only-binary", ":all:", "--python", self.python, requirement]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise OSError((done.stderr.strip().splitlines() or ["no answer"])[-1])
        return HUGE.search(done.stderr) is not None

    def install(self, *words):
        run_quietly("uv", "pip", "install", "-q", "--only-binary", ":all:", "--python", self.python, *words)

    def module_of(self, name):
        """The module that the package is imported as: the one that is called like it, else that with the most files."""
        site = Path(glob.glob(str(self.prefix / "lib" / "python3*" / "site-packages"))[0])
        counts = {}
        for record in site.glob("*.dist-info/RECORD"):
            if normal_name(record.parent.stem.rsplit("-", 1)[0]) != normal_name(name):
                continue
            for row in csv.reader(record.open(encoding="utf-8", errors="replace")):
                top, *rest = row[0].split("/")
                top = top if rest else top.split(".")[0]
                if top.isidentifier() and row[0].endswith((".py", ".so")) and top not in ("tests", "test", "docs"):
                    counts[top] = counts.get(top, 0) + 1
        called = normal_name(name)
        return min(counts, key=lambda one: (normal_name(one) not in (called, called.removeprefix("python-")),
                                            -counts[one]), default=None)

    def error_of(self, module):
        """The last line of a real import; None where it works."""
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run([self.python, "-c", f"import {module}"], cwd=empty, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", timeout=TIME_LIMIT, check=False)
        return None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["a signal"])[-1]


def ask(cudald, environment, module, online):
    """The verdict, what it says will be raised, and the first command."""
    words = [cudald, "explain", "-f", "json", "--prefix", str(environment.prefix), *online, f"py:{module}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIME_LIMIT, check=False, cwd="/")
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return "no answer", done.stderr.strip()[-200:], ""
    worst = [one for one in report["findings"] if one["level"] == report["findings"][0]["level"]]
    commands = [fix["command"] for finding in worst for fix in finding["fixes"] if fix["command"]]
    return report["verdict"], report["targets"][0]["error"] or "", commands[0] if commands else ""


def helps(environment, module, command):
    """Whether the import works after a command of pip or uv; None if it is another one."""
    for line in command.splitlines():
        words = shlex.split(line)
        if "pip" not in words:
            return None
        action = words[words.index("pip") + 1]
        more = [word for word in words[words.index("pip") + 2:] if word != "-y"]
        more = more[2:] if more[:1] == ["--python"] else more
        try:
            if action == "install":
                environment.install(*more)
            else:
                run_quietly("uv", "pip", action, "-q", "--python", environment.python, *more)
        except OSError:
            return False
    return environment.error_of(module) is None


class Score:
    def __init__(self):
        self.works, self.foretold, self.helped, self.offered = 0, 0, 0, 0
        self.missed, self.false_failures = [], []

    def add(self, tap, what, error, verdict, said, command, helped):
        if error is None:
            self.works += 1
            if verdict == "fails":
                self.false_failures.append(f"{what} can be imported, predicted {said}")
            return
        if verdict != "fails":
            self.missed.append(f"{what}: really {error}, predicted {verdict}")
            tap.comment(f"missed {self.missed[-1][:300]}")
            return
        self.foretold += 1
        self.offered += helped is not None
        self.helped += helped is True
        tap.comment(f"{what}: {said[:160]}")
        how = "no command for pip" if helped is None else "it works after" if helped else "it fails after"
        tap.comment(f"    {how} {command}")


def try_release(tap, options, score, what, named):
    """One draw; False if it cannot be made."""
    name, version, python = what
    with tempfile.TemporaryDirectory(prefix="cudald-old-") as folder:
        try:
            environment = Environment(folder, find_python(python))
            if not named and environment.is_huge(f"{name}=={version}"):
                return False
            environment.install(f"{name}=={version}")
            module = environment.module_of(name)
            error = environment.error_of(module) if module else None
        except (OSError, subprocess.TimeoutExpired) as failure:
            if named:
                tap.comment(f"{name} {version}: {failure}")
            return False
        if module is None:
            return False
        try:
            verdict, said, command = ask(options.cudald, environment, module, ["--online"] if options.online else [])
        except subprocess.TimeoutExpired:
            verdict, said, command = "no answer in time", "", ""
        helped = helps(environment, module, command) if error and verdict == "fails" and command else None
        score.add(tap, f"{name} {version}, Python {python}, import {module}", error, verdict, said, command, helped)
    return True


def draws(options, pythons, index):
    """What to install: the named releases, or enough that are drawn."""
    if options.releases:
        yield from ((*release.split("=="), python) for release in options.releases for python in pythons)
        return
    chance = random.Random(options.seed)
    names = (HERE / "old-releases.txt").read_text(encoding="utf-8").split("\n")
    names = [name for line in names if not line.startswith("#") for name in line.split()]
    for _ in range(TRIES * options.draws):
        name, python = chance.choice(names), chance.choice(pythons)
        try:
            releases = index.releases(name)
        except OSError:
            continue
        if releases:
            yield name, chance.choice(releases), python


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald", type=os.path.abspath)
    parser.add_argument("releases", nargs="*", metavar="NAME==RELEASE")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--python", help="only that one")
    parser.add_argument("--online", action="store_true", help="cudald tries its commands with the index")
    options = parser.parse_intermixed_args()
    tap = Tap()
    pythons = [one for one in ([options.python] if options.python else PYTHONS) if find_python(one)]
    if not pythons or not shutil.which("uv"):
        tap.skip("old releases", "needs uv and a Python")
        sys.exit(tap.finish())
    score, made = Score(), 0
    for what in draws(options, pythons, Index()):
        made += try_release(tap, options, score, what, bool(options.releases))
        if made == options.draws:
            break
    fails = score.foretold + len(score.missed)
    tap.ok(made > 0, f"{made} releases are installed, {fails} cannot be imported")
    tap.ok(not score.false_failures, f"none of {score.works} imports that work is FAILS",
           first(score.false_failures, 20))
    tap.ok(score.foretold >= FORETOLD * fails, f"of {fails} imports that fail {score.foretold} are foretold",
           first(score.missed, 20))
    tap.comment(f"after {score.helped} of {score.offered} first commands for pip the import works")
    sys.exit(tap.finish())


if __name__ == "__main__":
    main()
