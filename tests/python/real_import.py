#!/usr/bin/env python3
"""Compares what `import NAME` is predicted to load with what a real Python loads.

    real_import.py CUDALD ENVIRONMENT NAME... [--wheels FOLDER [--also WHEEL]...]

ENVIRONMENT is a virtual environment. Each NAME is imported by its Python with LD_DEBUG=files; every file that is then
initialised is held against the objects that `cudald --prefix ENVIRONMENT NAME` predicts, in both directions. With
--wheels the same is asked of the wheels in FOLDER, never installed: their files must be those that the environment's
own packages have. Output is TAP.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from tap import Tap, first  # noqa: E402

INITIALISED = re.compile(r"^\s*\d+:\s+calling init: (.+)$")


class CannotAsk(Exception):
    """The real import or cudald gave no answer."""


def plain_environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LD_", "CUDA"))}
    return dict(kept, PYTHONDONTWRITEBYTECODE="1", PYTHONNOUSERSITE="1")


def really_loaded(python, module, folder):
    """Real paths of the files that the import maps and initialises, the program left out."""
    log = os.path.join(folder, "log")
    variables = dict(plain_environment(), LD_DEBUG="files", LD_DEBUG_OUTPUT=log)
    process = subprocess.Popen(
        [python, "-c", f"import {module}"], env=variables, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    error = process.communicate()[1].decode(errors="replace")
    loaded = set()
    with open(f"{log}.{process.pid}", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            match = INITIALISED.match(line)
            if match and match[1].startswith("/"):
                loaded.add(os.path.realpath(match[1]))
    return loaded, None if process.returncode == 0 else (error.strip().splitlines() or ["?"])[-1]


def predict(cudald, arguments, folder):
    done = subprocess.run(
        [cudald, "explain", "-f", "json", "--symbols", "none", *arguments],
        env=plain_environment(), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
    )
    if done.returncode not in (0, 1):
        raise CannotAsk(f"cudald ends with status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
    report = json.loads(done.stdout)
    # The program itself and the dynamic loader are not initialised by the loader.
    objects = [item for item in report["objects"][1:] if item.get("mapped", True)]
    return report, {item["path"] for item in objects}


def differences(real, predicted):
    return [f"missing {path}" for path in sorted(real - predicted)] + [f"extra {path}" for path in sorted(predicted - real)]


def compare(tap, options, module, folder):
    python = os.path.join(options.environment, "bin", "python")
    real, error = really_loaded(python, module, folder)
    report, predicted = predict(options.cudald, ["--prefix", options.environment, module], folder)
    predicted = {path for path in predicted if not os.path.basename(path).startswith("ld-linux")}
    real = {path for path in real if not os.path.basename(path).startswith("ld-linux")}
    faults = differences(real, predicted)
    told = report["targets"][0]["error"]
    if (error is None) != (told is None):
        faults.append(f"really {error or 'imported'}, predicted {told or 'imported'}")
    packages = os.path.join(os.path.realpath(options.environment), "lib")
    own = [path for path in real if path.startswith(packages)]
    tap.ok(not faults, f"import {module}: {len(real)} files, {len(own)} of them of packages", first(faults, 200))

    if options.wheels:
        also = [word for wheel in options.also for word in ("--with", wheel)]
        _, from_wheels = predict(options.cudald, ["--with", options.wheels, *also, "py:" + module], folder)
        members = {path.split("!/", 1)[1] for path in from_wheels if "!/" in path}
        installed = {path.split("/site-packages/", 1)[1] for path in real if "/site-packages/" in path}
        faults = differences(installed, members)
        tap.ok(not faults, f"import {module} from wheels: {len(installed)} files", first(faults, 200))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("environment")
    parser.add_argument("names", nargs="+", metavar="NAME")
    parser.add_argument("--wheels", metavar="FOLDER")
    parser.add_argument("--also", action="append", default=[], metavar="WHEEL", help="installed though not required")
    options = parser.parse_args()
    options.cudald = os.path.abspath(options.cudald)
    options.environment = os.path.abspath(options.environment)
    if options.wheels:
        options.wheels = os.path.abspath(options.wheels)
    tap = Tap()
    for module in options.names:
        with tempfile.TemporaryDirectory() as folder:
            try:
                compare(tap, options, module, folder)
            except (CannotAsk, OSError) as error:
                tap.ok(False, f"import {module}", str(error))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
