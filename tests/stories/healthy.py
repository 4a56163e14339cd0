#!/usr/bin/env python3
"""No false alarm: environments of popular packages that work must be told to work.

    healthy.py CUDALD [--few] [NAME...]

Each file of healthy/ is one environment, in the form of tests/python/environments: requirements with their hashes, and
in its first lines what to import. It is installed into a scratch folder, imported for real, and only then judged: the
verdict must be `loads`, or `cpu-only` where healthy_explained.json says why; a finding of level error, or one of level
warning that the same file does not explain, is a false alarm. The same is asked of the wheels alone, never installed,
for the packages that the first lines name. The environments of tests/python, some with CUDA, are judged as well. --few:
only those that are marked so, 25 MB in all. Output is TAP.
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
from pathlib import Path

HERE = Path(os.path.abspath(__file__)).parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE.parent / "common")]

from real_import import Environment  # noqa: E402
from real_loads import CannotAsk, plain_environment, really_loaded  # noqa: E402
from tap import Tap  # noqa: E402

GPU_ENVIRONMENTS = HERE.parent / "python" / "environments"


class Healthy(Environment):
    """An environment that is installed for this run alone; one with CUDA is several GB, and kept."""

    has_pip = False

    def __init__(self, path, scratch):
        super().__init__(path)
        text = path.read_text(encoding="utf-8")
        self.name = path.stem
        self.few = "\n# few\n" in text
        targets = re.search(r"^# wheels: (.+)$", text, re.MULTILINE)
        self.targets = targets[1].split() if targets else []
        if path.parent != GPU_ENVIRONMENTS:
            self.folder = Path(scratch) / path.stem
            self.wheels = self.folder / "wheels"

    def target_wheels(self):
        return [str(next(self.wheels.glob(f"{target}-*.whl"))) for target in self.targets]


def alarms(report, environment, explained):
    """What is wrong with the answer, in words; and the explanations that it took."""
    faults, used = [], []
    expected = "cpu-only" if environment.name in explained["cpu_only"] else "loads"
    if report["verdict"] != expected:
        faults.append(f"verdict {report['verdict']}, expected {expected}")
    for finding in report["findings"]:
        if finding["level"] == "note":
            continue
        reason = next((row for row in explained["warnings"]
                       if row["environment"] == environment.name and finding["level"] == "warning"
                       and fnmatch.fnmatchcase(finding["code"], row["code"])
                       and fnmatch.fnmatchcase(finding["subject"], row["subject"])), None)
        if reason:
            used.append(reason)
        else:
            faults.append(f"{finding['level']} {finding['code']}: {finding['message']}")
    return faults, used


def judge(tap, cudald, environment, words, name, explained, folder):
    done = subprocess.run([cudald, "explain", "-f", "json", *words], env=plain_environment(), cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1, 3):
        tap.ok(False, name, [f"status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}"])
        return []
    report = json.loads(done.stdout)
    faults, used = alarms(report, environment, explained)
    if done.returncode != 0:
        faults.append(f"exit status {done.returncode}")
    tap.ok(not faults, f"{name}: {report['verdict']}, {len(report['objects'])} objects, {len(report['findings'])} "
                       f"findings", faults)
    return used


def check(tap, cudald, environment, explained, folder):
    """All questions about one environment. Returns the explanations that it took, None if it is no healthy one here."""
    environment.install()
    python = str(environment.folder / "bin" / "python")
    _, exceptions = really_loaded(python, ", ".join(environment.imports), folder)
    name = f"{environment.name} ({', '.join(environment.imports)})"
    if not tap.ok(not exceptions, f"{name}: imports for real", exceptions):
        return None
    modules = ["py:" + module for module in environment.imports]
    used = judge(tap, cudald, environment, ["--prefix", str(environment.folder), *modules], name, explained, folder)
    for wheel in environment.target_wheels():
        used += judge(tap, cudald, environment, ["--with", str(environment.wheels), wheel],
                      f"{os.path.basename(wheel)} alone",
                      explained, folder)
    return used


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    cudald = os.path.abspath(options.cudald)
    explained = json.loads((HERE / "healthy_explained.json").read_text(encoding="utf-8"))
    tap = Tap()
    if sys.version_info[:2] != (3, 11) or platform.machine() != "x86_64":
        tap.skip("healthy environments", "not run: their wheels are for CPython 3.11 on x86-64")
        return tap.finish()
    paths = sorted((HERE / "healthy").glob("*.txt"))
    paths += sorted(path for path in GPU_ENVIRONMENTS.glob("*.txt"))
    for path in paths:
        if options.names and path.stem not in options.names:
            continue
        with tempfile.TemporaryDirectory(prefix="cudald-healthy-") as scratch:
            environment = Healthy(path, scratch)
            if not environment.imports or options.few and not environment.few:
                continue
            try:
                used = check(tap, cudald, environment, explained, scratch)
            except (CannotAsk, OSError) as fault:
                tap.ok(False, environment.name, [str(fault)])
                continue
            for row in explained["warnings"]:
                if used is not None and row["environment"] == environment.name and row not in used:
                    tap.ok(False, f"{environment.name}: {row['code']} {row['subject']} is explained",
                           ["and not found any more"])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
