#!/usr/bin/env python3
"""Asks cudald about wheels that a seed has drawn, and holds the answers against auditwheel and abi3audit.

    drawn.py CUDALD [--full] [--only GLOB] [--offline]

The wheels are those of tools/pins-tags.txt. Of each, auditwheel is asked as tests/policy/run.py asks it. Then abi3audit
is asked which functions break the promise of the stable ABI: of the wheels with the tag abi3 as they are, and as if
they promised Python 3.3; of the others with their modules under names that promise the stable ABI, which most of them
do not keep. --full takes all 40 wheels, else the first ten. Without cache and network it is a skip. Output is TAP.
"""

import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "common")]

from pinned import CACHE, fetch_wheels, pinned_names, tool_folder  # noqa: E402
from pinned_auditwheel import auditwheel_folder  # noqa: E402
from run import compare, explanations  # noqa: E402
from script_arguments import script_arguments  # noqa: E402
from tap import Tap  # noqa: E402

PINS = "pins-tags.txt"
WHEELS = os.path.join(CACHE, "wheels-tags")
ABI3AUDIT = "0.0.26"
SHORT = 10


def main():
    options = script_arguments(__doc__, "--full", "all wheels: 75 MB", "only wheels whose names match")
    tap = Tap()
    names = pinned_names("*", PINS)[: None if options.full else SHORT]
    auditwheel, fault = auditwheel_folder(options.offline)
    if fault is None:
        abi3audit, fault = tool_folder("abi3audit", ABI3AUDIT, "abi3audit", options.offline)
    if fault is None:
        fault = fetch_wheels(names, options.offline, PINS, WHEELS)
    if fault is not None:
        tap.skip("agreement with auditwheel and abi3audit on drawn wheels", fault)
        return tap.finish()
    with tempfile.TemporaryDirectory() as folder:
        for name in fnmatch.filter(names, options.only):
            wheel = os.path.join(WHEELS, name)
            compare(tap, options, auditwheel, wheel, explanations())
            for claimant in promising(wheel, folder):
                compare_abi3(tap, options.cudald, abi3audit, claimant)
    return tap.finish()


def promising(wheel, folder):
    """Wheels of the same modules that promise the stable ABI; the last most likely breaks its promise."""
    name = os.path.basename(wheel)
    if "-abi3-" in name:
        older = os.path.join(folder, re.sub("-cp3[0-9]+-abi3-", "-cp33-abi3-", name))
        os.symlink(wheel, older)
        return [wheel, older]
    renamed = os.path.join(folder, re.sub("-cp311-cp311-", "-cp311-abi3-", name))
    if "-abi3-" not in renamed:
        return []
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(renamed, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            new.writestr(re.sub(r"\.cpython-311-x86_64-linux-gnu\.so$", ".abi3.so", member.filename), old.read(member))
    return [renamed]


def compare_abi3(tap, cudald, abi3audit, wheel):
    name = os.path.basename(wheel)
    try:
        theirs, ours = ask_abi3audit(abi3audit, wheel), ask_cudald(cudald, wheel)
    except ValueError as error:
        tap.ok(False, f"stable ABI: {name}", [str(error)])
        return
    faults = [f"only abi3audit: {one}" for one in sorted(theirs - ours)]
    faults += [f"only cudald: {one}" for one in sorted(ours - theirs)]
    tap.ok(not faults, f"stable ABI: {name}: {len(theirs)} breaches", faults)


def ask_abi3audit(site_packages, wheel):
    """(module, function, release it came with or "never") for each breach."""
    done = subprocess.run(
        [sys.executable, "-m", "abi3audit", "-R", wheel], check=False, env={**os.environ, "PYTHONPATH": site_packages},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/",
    )
    try:
        specs = json.loads(done.stdout)["specs"]
    except ValueError:
        raise ValueError(f"abi3audit: {done.stderr.strip()[-300:]}") from None
    found = set()
    for extension in (one for spec in specs.values() for one in spec["wheel"]):
        module, result = extension["name"], extension["result"]
        found |= {(module, symbol, "never") for symbol in result["non_abi3_symbols"]}
        found |= {(module, symbol, release) for symbol, release in result["future_abi3_objects"].items()}
    return found


def ask_cudald(cudald, wheel):
    done = subprocess.run(
        [cudald, "check", "-f", "json", wheel], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    if done.returncode not in (0, 1):
        raise ValueError(f"cudald: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
    found = set()
    for finding in json.loads(done.stdout)["findings"]:
        for evidence in finding["evidence"] if finding["code"] == "CUD510" else []:
            kind, _, symbols = evidence["text"].partition(": ")
            for symbol in symbols.split(", ") if symbols else []:
                plain, _, release = symbol.partition(" ")
                found.add((os.path.basename(evidence["path"]), plain, release.strip("()") or "never"))
    return found


if __name__ == "__main__":
    sys.exit(main())
