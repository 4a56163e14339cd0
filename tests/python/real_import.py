#!/usr/bin/env python3
"""Compares what `import NAME` is predicted to load with what a real Python loads.

    real_import.py CUDALD ENVIRONMENT...

Each ENVIRONMENT is `system`, the Python of the system, or a file of environments/, or `all` of them: requirements with
their hashes, and in its first lines the modules to import, those whose import `fails`, and files of which it is
`unsure` whether they are loaded, since compiled code decides it by what it finds at run time. It is installed once,
below ${XDG_CACHE_HOME:-~/.cache}/cudald/environments. Each module is imported by its Python with LD_DEBUG=files; every
file that is then initialised is held against the objects that `cudald --prefix` predicts, in both directions. Then the
same is asked of the wheels alone, never installed: their members must be those that the real import takes from
site-packages; and of `cudald probe`, which imports for real. Output is TAP.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from real_loads import (  # noqa: E402
    CannotAsk, differences, import_once, plain_environment, predict, really_loaded, without_loader,
)
from tap import Tap, first  # noqa: E402

SYSTEM_MODULES = ["ssl", "sqlite3", "lzma", "curses", "hashlib", "decimal", "uuid", "readline", "asyncio", "ctypes",
                  "multiprocessing", "xml.etree.ElementTree", "urllib.request", "zoneinfo", "yaml", "apt", "dbus"]


def what_symbols_do(fails):
    """It matters where the import is to fail by one."""
    return [] if fails else ["--symbols", "none"]


def sure(paths, unsure):
    return {path for path in paths if not os.path.basename(path).startswith(tuple(word + "." for word in unsure))}


def compare(tap, cudald, python, prefix, module, folder, fails=False, unsure=()):
    """Returns what is really loaded. Of an import that fails a real exception must be what is predicted."""
    real, exceptions = really_loaded(python, module, folder)
    words = [*what_symbols_do(fails), "--prefix", str(prefix), "py:" + module]
    report, predicted = predict(cudald, words, folder)
    real = without_loader(real)
    faults = differences(sure(real, unsure), sure(without_loader(predicted), unsure))
    told = report["targets"][0]["error"]
    if told not in (exceptions or [None]):
        faults.append(f"really {' and '.join(exceptions) or 'imported'}, predicted {told or 'imported'}")
    if bool(exceptions) != fails:
        faults.append(f"really {' and '.join(exceptions) or 'imported'}, which this test does not expect")
    own = [path for path in real if "-packages/" in path]
    said = "fails, " if fails else ""
    tap.ok(not faults, f"import {module}: {said}{len(real)} files, {len(own)} of them of packages", first(faults, 200))
    return real


def compare_probe(tap, cudald, prefix, module, folder, fails=False, unsure=()):
    """Asks cudald itself to import it for real: the same files; in which order compiled code imports is left open."""
    done = subprocess.run(
        [cudald, "probe", "-f", "json", *what_symbols_do(fails), "--timeout", "5min", "--prefix", str(prefix),
         "py:" + module],
        env=plain_environment(), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
    )
    report = json.loads(done.stdout or b"{}")
    runs = report.get("probe", {}).get("runs", [])
    faults = [difference for run in runs if not run["only_order"] for difference in run["differences"]
              if not any(f"/{word}." in difference for word in unsure)]
    faults += [finding["message"] for finding in report.get("findings", []) if finding["code"] in ("CUD603", "CUD604")]
    tap.ok(bool(runs) and not faults, f"probe {module}: {len(runs)} processes",
           faults or [done.stderr.decode(errors="replace")[:300]])


def compare_wheels(tap, cudald, environment, module, real, folder):
    """The wheels alone, of a Python that is stated: nothing of it is at hand."""
    beside = [word for wheel in environment.beside() for word in ("--with", wheel)]
    words = [*what_symbols_do(module in environment.fails), "--python", "3.11", "--with", str(environment.wheels)]
    words += [*beside, "py:" + module]
    _, from_wheels = predict(cudald, words, folder)
    members = {path.split("!/", 1)[1] for path in from_wheels if "!/" in path}
    installed = {path.split("/site-packages/", 1)[1] for path in real if "/site-packages/" in path}
    faults = differences(sure(installed, environment.unsure), sure(members, environment.unsure))
    tap.ok(not faults, f"import {module} from wheels: {len(installed)} files", first(faults, 200))


def words_of(name, text):
    """What a line `# NAME: WORDS` of an environment says."""
    line = re.search(rf"^# {name}: (.+)$", text, re.MULTILINE)
    return line[1].split() if line else []


class Environment:
    """A virtual environment and the wheels that it was made of."""

    has_pip = True

    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        self.requirements = path
        self.imports = words_of("import", text)
        self.fails = words_of("fails", text)
        self._beside = words_of("beside", text)
        self.unsure = words_of("unsure", text)
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        required = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        digest = hashlib.sha256(required.encode()).hexdigest()[:12]
        self.folder = cache / "cudald" / "environments" / f"{path.stem}-{digest}"
        self.wheels = self.folder / "wheels"

    def beside(self):
        """Wheels that nothing requires, and that the environment has all the same."""
        return sorted(str(wheel) for wheel in self.wheels.iterdir()
                      if wheel.name.startswith(tuple(self._beside or ["/"])))

    def install(self):
        done = self.folder / "installed"
        if done.exists():
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        # With the pip that is there already: to install one takes longer than what it is for.
        run_quietly(sys.executable, "-m", "venv", *([] if self.has_pip else ["--without-pip"]), str(self.folder))
        pip = [sys.executable, "-m", "pip", "--python", str(self.folder / "bin" / "python"),
               "--disable-pip-version-check", "-q"]
        run_quietly(
            *pip, "download", "--no-deps", "--require-hashes", "--only-binary", ":all:",
            "-d", str(self.wheels), "-r", str(self.requirements),
        )
        wheels = sorted(str(wheel) for wheel in self.wheels.iterdir())
        run_quietly(*pip, "install", "--no-deps", "--no-index", "--no-compile", *wheels)
        for module in self.imports:
            import_once(str(self.folder / "bin" / "python"), module, self.folder)
        done.touch()


def run_quietly(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        last = done.stdout.decode(errors="replace").strip().splitlines()[-1:]
        raise CannotAsk(f"{' '.join(command[:4])} ... ends with status {done.returncode}: {' '.join(last)}")


def compare_system(tap, cudald):
    python = "/usr/bin/python3"
    for module in SYSTEM_MODULES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                if not really_loaded(python, module, folder)[1]:
                    compare(tap, cudald, python, "/usr", module, folder)
                    compare_probe(tap, cudald, "/usr", module, folder)
                else:
                    tap.skip(f"import {module}", "not run: the system's Python does not have it")
            except (CannotAsk, OSError) as fault:
                tap.ok(False, f"import {module}", [str(fault)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("environments", nargs="+", metavar="ENVIRONMENT")
    options = parser.parse_args()
    cudald = os.path.abspath(options.cudald)
    known = {path.stem: path for path in sorted((Path(__file__).parent / "environments").glob("*.txt"))}
    tap = Tap()
    for name in known if options.environments == ["all"] else options.environments:
        if name == "system":
            compare_system(tap, cudald)
            continue
        if sys.version_info[:2] != (3, 11) or platform.machine() != "x86_64":
            tap.skip(f"imports in {name}", "not run: its wheels are for CPython 3.11 on x86-64")
            continue
        environment = Environment(known[name])
        try:
            environment.install()
        except CannotAsk as fault:
            tap.ok(False, f"install {name}", [str(fault)])
            continue
        for module in environment.imports + environment.fails:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    python = str(environment.folder / "bin" / "python")
                    real = compare(tap, cudald, python, environment.folder, module, folder,
                                   module in environment.fails, environment.unsure)
                    compare_wheels(tap, cudald, environment, module, real, folder)
                    compare_probe(tap, cudald, environment.folder, module, folder, module in environment.fails,
                                  environment.unsure)
                except (CannotAsk, OSError) as fault:
                    tap.ok(False, f"import {module}", [str(fault)])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
