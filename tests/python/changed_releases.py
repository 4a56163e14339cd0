#!/usr/bin/env python3
"""Gives an environment of popular packages an older release of one dependency, and imports what depends on it.

    changed_releases.py CUDALD [--seed N] [--draws N] [NAME...]

The environments are those of popular_imports.py, in directories of their own, as this changes them. Each draw takes a
package that others require and one of its older releases, by the seed, installs that without asking what fits, imports
the modules of packages that require it, and puts the package back. Only modules count that can be imported before. An
import that works must not be FAILS; of those that fail, most must be FAILS (the others are misses, which
docs/accuracy.md counts). Output is TAP: a test point for each environment and one for all, a comment for each draw.
"""

import argparse
import glob
import os
import random
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distributions
from pathlib import Path

HERE = Path(os.path.abspath(__file__)).parent
sys.path.insert(0, str(HERE.parent / "common"))
sys.path.insert(0, str(HERE))

from popular_imports import Environment, ask, find_python, run_quietly  # noqa: E402
from tap import Tap, first  # noqa: E402

MOST_MODULES = 12  # of one draw
MOST_TRIES = 5  # for a draw whose release cannot be installed
FORETOLD = 0.5  # of the imports that fail; on 2026-11-28 it was three of four


def normal_name(name):
    return re.sub(r"[-_.]+", "-", name).lower()


class ChangedEnvironment(Environment):
    """One of the environments, and what its packages require of one another."""

    def __init__(self, path):
        super().__init__(path)
        self.prefix = self.prefix.parent.parent / "changed" / self.prefix.name
        self.imports = {}  # what a real import of a module ends in before any change

    def read(self):
        site = glob.glob(str(self.prefix / "lib" / "python3*" / "site-packages"))
        known = set(self.modules())
        self.versions, self.dependents = {}, {}
        for one in distributions(path=site):
            self.versions[normal_name(one.metadata["Name"])] = one.version
        for one in distributions(path=site):
            tops = {Path(str(file)).parts[0].split(".")[0] for file in one.files or ()} & known
            for line in one.requires or ():
                name = normal_name(re.match(r"[\w.-]+", line)[0])
                if name in self.versions and tops and not re.search(r";.*\bextra\b", line):
                    self.dependents.setdefault(name, set()).update(tops)

    def put(self, name, version):
        own = str(self.prefix / "bin" / "python")
        uv = shutil.which("uv")
        words = [uv, "pip", "install", "--python", own] if uv else [own, "-m", "pip", "install"]
        run_quietly(*words, "-q", "--no-deps", "--only-binary", ":all:", f"{name}=={version}")

    def older_releases(self, pip, name):
        """Those that pip finds wheels of, from the newest on; without those that are as good as the installed one."""
        done = subprocess.run([pip, "-m", "pip", "index", "versions", "--only-binary", ":all:", "--python-version",
                               self.python, name], capture_output=True, text=True, check=False)
        listed = re.search(r"^Available versions: (.*)$", done.stdout, re.MULTILINE)
        releases = listed[1].split(", ") if listed else []
        own = self.versions[name]
        return releases[releases.index(own) + 1:] if own in releases else releases[1:]

    def works(self, cudald, module):
        if module not in self.imports:
            self.imports[module] = ask(cudald, self, module)[1]
        return self.imports[module] is None


class Score:
    def __init__(self):
        self.works, self.foretold, self.missed, self.false_failures = 0, 0, [], []

    def add(self, release, module, error, said):
        fails = said.startswith("FAILS")
        if error is None and fails:
            self.false_failures.append(f"{release}: {module} can be imported, predicted {said}")
        elif error is None:
            self.works += 1
        elif fails:
            self.foretold += 1
        else:
            self.missed.append(f"{release}: {module}: really {error}, predicted {said}")


def draw(tap, cudald, environment, pip, chance, score):
    names = sorted(environment.dependents)
    for _ in range(MOST_TRIES):
        name = chance.choice(names)
        releases = environment.older_releases(pip, name)
        if not releases:
            continue
        release = chance.choice(releases)
        modules = sorted(environment.dependents[name])
        chance.shuffle(modules)
        modules = [one for one in modules[:MOST_MODULES] if environment.works(cudald, one)]
        try:
            environment.put(name, release)
        except OSError:
            continue
        try:
            with ThreadPoolExecutor(2) as workers:
                answers = list(workers.map(lambda module: ask(cudald, environment, module), modules))
        finally:
            environment.put(name, environment.versions[name])
        for module, error, said in answers:
            if error != "no answer in time":
                score.add(f"{name} {release}", module, error, said)
        failed = sum(error is not None for _, error, _ in answers)
        tap.comment(f"{environment.name}: {name} {release}: {len(answers)} modules, {failed} fail")
        return


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=10, help="for each environment")
    options = parser.parse_args()
    cudald = os.path.abspath(options.cudald)
    names = options.names or sorted(path.stem for path in (HERE / "popular").glob("*.txt"))
    tap = Tap()
    all_failed = all_foretold = 0
    for name in names:
        environment = ChangedEnvironment(Path(name) if name.endswith(".txt") else HERE / "popular" / f"{name}.txt")
        python = find_python(environment.python)
        if python is None:
            tap.skip(environment.name, f"no Python {environment.python} here: uv python install {environment.python}")
            continue
        try:
            environment.install(python)
        except OSError as error:
            tap.skip(environment.name, f"not installed: {error}")
            continue
        environment.read()
        chance, score = random.Random(f"{options.seed} {environment.name}"), Score()
        for _ in range(options.draws):
            draw(tap, cudald, environment, python, chance, score)
        failed = score.foretold + len(score.missed)
        all_failed, all_foretold = all_failed + failed, all_foretold + score.foretold
        tap.ok(not score.false_failures,
               f"{environment.name}, seed {options.seed}: {score.works + failed + len(score.false_failures)} imports, "
               f"{failed} fail, {score.foretold} of them foretold, {len(score.false_failures)} false FAILS")
        for line in first(score.false_failures + score.missed, 100):
            tap.comment(line)
    if all_failed:
        tap.ok(all_foretold >= FORETOLD * all_failed, f"of {all_failed} imports that fail {all_foretold} are foretold")
    sys.exit(tap.finish())


if __name__ == "__main__":
    main()
