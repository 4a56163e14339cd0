#!/usr/bin/env python3
"""Imports every module of environments of popular packages, and asks what is predicted for it.

    popular_imports.py CUDALD [NAME...]

Each file of popular/ is an environment: `# python: 3.12`, then one pinned requirement a line, as `pip freeze` prints
them. `# unsure: MODULE (why)` is a module whose import fails for a reason that no file tells, such as a display that is
not there. It is installed once, below ${XDG_CACHE_HOME:-~/.cache}/cudald/popular, by uv if it is there, else by pip;
without that Python it is skipped. An import that works must not be FAILS, and UNKNOWN in at most one of a hundred; one
that fails must be FAILS. Output is TAP: a test point for each environment, and a comment for each module that differs.
"""

import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(os.path.abspath(__file__)).parent
sys.path.insert(0, str(HERE.parent / "common"))

from tap import Tap, first  # noqa: E402

TIME_LIMIT = 300  # seconds for one import, real or predicted


def find_python(version):
    """An interpreter of that version that starts, by PATH or among those of pyenv."""
    for place in [shutil.which(f"python{version}"),
                  *glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python{version}"))]:
        if place and subprocess.run([place, "-c", ""], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return place
    return None


class Environment:
    """A list of pinned requirements, and the virtual environment that is made of them."""

    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        self.name = path.stem
        self.python = re.search(r"^# python: (\S+)$", text, re.MULTILINE)[1]
        self.unsure = set(re.findall(r"^# unsure: (\S+)", text, re.MULTILINE))
        self.requirements = [line for line in text.splitlines() if line and not line.startswith("#")]
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        digest = hashlib.sha256("\n".join(self.requirements).encode()).hexdigest()[:12]
        self.prefix = cache / "cudald" / "popular" / f"{self.name}-{digest}"

    def install(self, python):
        done = self.prefix / "installed"
        if done.exists():
            return
        shutil.rmtree(self.prefix, ignore_errors=True)
        run_quietly(python, "-m", "venv", str(self.prefix))
        own = str(self.prefix / "bin" / "python")
        uv = shutil.which("uv")
        words = [uv, "pip", "install", "--python", own] if uv else [own, "-m", "pip", "install"]
        run_quietly(*words, "-q", "--no-deps", "--only-binary", ":all:", *self.requirements)
        done.touch()

    def modules(self):
        """The names at the top of site-packages that can be imported and are no package's internals."""
        site = Path(glob.glob(str(self.prefix / "lib" / "python3*" / "site-packages"))[0])
        names = set()
        for entry in site.iterdir():
            name = entry.name.split(".")[0]
            package = entry.is_dir() and (entry / "__init__.py").exists()
            if (package or entry.suffix in (".py", ".so")) and name.isidentifier() and not name.startswith("_"):
                names.add(name)
        return sorted(names)


def run_quietly(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"{' '.join(command[:4])} ...: {done.stdout.strip()[-500:]}")


def ask(cudald, environment, module):
    """(module, last line of a real import or None where it works, what cudald says)."""
    folder = environment.prefix / "empty"
    folder.mkdir(exist_ok=True)
    try:
        real = subprocess.run([str(environment.prefix / "bin" / "python"), "-c", f"import {module}"], cwd=folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=TIME_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return module, "no answer in time", ""
    error = None if real.returncode == 0 else (real.stderr.strip().splitlines() or ["a signal"])[-1]
    try:
        said = subprocess.run([cudald, "--no-cache", "--prefix", str(environment.prefix), "py:" + module], cwd=folder,
                              capture_output=True, text=True, errors="replace", timeout=TIME_LIMIT, check=False).stdout
    except subprocess.TimeoutExpired:
        said = "no answer in time"
    return module, error, (said.splitlines() or ["nothing"])[0]


def compare(tap, cudald, environment):
    wrong, unknown = [], []
    with ThreadPoolExecutor(2) as workers:
        answers = list(workers.map(lambda module: ask(cudald, environment, module), environment.modules()))
    for module, error, said in answers:
        if module in environment.unsure or error == "no answer in time":
            tap.comment(f"not compared: {module}: {error}")
            continue
        verdict = said.split(" ")[0]
        if verdict not in ("LOADS", "RISK", "CPU", "FAILS", "UNKNOWN") or (verdict == "FAILS") != (error is not None):
            wrong.append(f"{module}: really {error or 'imported'}, predicted {said}")
        elif verdict == "UNKNOWN":
            unknown.append(f"{module}: {said}")
    failed = sum(error is not None for _, error, _ in answers)
    tap.ok(not wrong and len(unknown) * 100 <= len(answers),
           f"{environment.name}: {len(answers)} modules, {failed} of them fail, {len(unknown)} UNKNOWN",
           first(wrong + unknown, 100))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    cudald = os.path.abspath(sys.argv[1])
    names = sys.argv[2:] or sorted(path.stem for path in (HERE / "popular").glob("*.txt"))
    tap = Tap()
    for environment in [Environment(HERE / "popular" / f"{name}.txt") for name in names]:
        python = find_python(environment.python)
        if python is None:
            tap.skip(environment.name, f"no Python {environment.python} here: uv python install {environment.python}")
            continue
        try:
            environment.install(python)
        except OSError as error:
            tap.skip(environment.name, f"not installed: {error}")
            continue
        compare(tap, cudald, environment)
    sys.exit(tap.finish())


if __name__ == "__main__":
    main()
