#!/usr/bin/env python3
"""Asks cudald and auditwheel which platform tag real wheels fit, and why.

    run.py CUDALD [--full] [--only GLOB] [--offline]

The wheels are pinned in tools/pins.txt and fetched into the cache; so is auditwheel, of one version. Both are asked
for the tag, the tag by symbol versions alone, the libraries that have to come from outside, and the versions of
symbols in external libraries. Where they differ an entry of differences.json must say why, and must be needed; one
with a `folder` counts only on machines that have that folder, whose libraries get into auditwheel's answer.
--full also takes the large CUDA wheels. Without cache and network it is a skip. Output is TAP.
"""

import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from pinned import WHEELS, fetch_wheels, pinned_names  # noqa: E402
from pinned_auditwheel import VERSION, auditwheel_folder  # noqa: E402
from script_arguments import script_arguments  # noqa: E402
from tap import Tap  # noqa: E402

SAMPLE = [
    "MarkupSafe-1.1.1-*",
    "MarkupSafe-2.1.5-*",
    "regex-2021.4.4-*",
    "PyYAML-6.0.1-*",
    "lxml-4.9.1-*",
    "psycopg2_binary-2.9.*",
    "cryptography-4*",
    "pillow-10.4.0-*",
    "pydantic_core-2.20.1-*",
    "ninja-1.11.1.1-*",
    "nvidia_cuda_runtime_cu12-12.8.90-*",
    "nvidia_nvtx_cu12-12.8.90-*",
    "nvidia_cufile_cu12-1.13.1.3-*",
]
LARGE = ["numpy-1.26.4-*", "bitsandbytes-*", "ctranslate2-*", "cupy_cuda12x-*", "torch-2.9.1-*", "nvidia_cudnn_cu12-*"]
# No index has wheels with this tag: a copy under that name claims nothing.
UNCLAIMED = (
    "MarkupSafe-2.1.5-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    "MarkupSafe-2.1.5-cp311-cp311-linux_x86_64.whl",
)


def main():
    options = script_arguments(__doc__, "--full", "also the large wheels: 1.9 GB", "only wheels whose names match")

    tap = Tap()
    if not os.access(options.cudald, os.X_OK):
        tap.bail_out(f"{options.cudald} is not a program")
    globs = SAMPLE + (LARGE if options.full else [])
    site_packages, fault = auditwheel_folder(options.offline)
    if fault is None:
        fault = fetch_wheels(globs, options.offline)
    if fault is not None:
        tap.skip("agreement with auditwheel", fault)
        return tap.finish()

    table = subprocess.run(
        [sys.executable, os.path.join(PROJECT, "tools", "make-manylinux"), "--check", site_packages], check=False
    )
    tap.ok(table.returncode == 0, f"data/manylinux.json states the facts of auditwheel {VERSION}")
    explained = explanations()
    with tempfile.TemporaryDirectory() as folder:
        wheels = [os.path.join(WHEELS, name) for name in pinned_names(globs)]
        wheels.append(shutil.copy(os.path.join(WHEELS, UNCLAIMED[0]), os.path.join(folder, UNCLAIMED[1])))
        for wheel in wheels:
            if fnmatch.fnmatch(os.path.basename(wheel), options.only):
                compare(tap, options, site_packages, wheel, explained)
    return tap.finish()


def explanations():
    with open(os.path.join(HERE, "differences.json"), encoding="utf-8") as file:
        return json.load(file)


def compare(tap, options, site_packages, wheel, explained):
    name = os.path.basename(wheel)
    try:
        theirs, ours = ask_auditwheel(site_packages, wheel), ask_cudald(options.cudald, wheel)
    except (ValueError, KeyError, TypeError) as error:
        tap.ok(False, name, [repr(error)])
        return
    entries = [entry for entry in explained if fnmatch.fnmatchcase(name, entry["wheel"])]
    faults = []
    for subject in ours:
        if ours[subject] == theirs[subject]:
            difference = None
        elif isinstance(ours[subject], str):
            difference = {"auditwheel": theirs[subject], "cudald": ours[subject]}
        else:
            difference = {
                "auditwheel": sorted(theirs[subject] - ours[subject]),
                "cudald": sorted(ours[subject] - theirs[subject]),
            }
        known = [entry for entry in entries if entry["subject"] == subject]
        if difference is None:
            stale = [entry for entry in known if "folder" not in entry]
            faults += [f"{subject}: no longer differs; its explanation is stale" for _ in stale]
        elif not any(explains(entry, difference) for entry in known):
            faults.append(f"{subject}: {json.dumps(difference)}")
    tap.ok(not faults, f"{name}: {ours['tag']}" + (", differences explained" if entries else ""), faults)


def explains(entry, difference):
    if "folder" not in entry:
        return all(entry[key] == difference[key] for key in ("auditwheel", "cudald"))
    leaked = difference["auditwheel"]
    return not difference["cudald"] and all(os.path.exists(os.path.join(entry["folder"], name)) for name in leaked)


def ask_auditwheel(site_packages, wheel):
    environment = {**os.environ, "PYTHONPATH": site_packages}
    done = subprocess.run(
        # Without --ldpaths it follows external libraries into this machine, and blames the wheel for what those need.
        [sys.executable, "-m", "auditwheel", "show", "--json", "--ldpaths", "", wheel],
        check=False, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/",
    )
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise ValueError(f"auditwheel: {done.stderr.strip()[-500:]}") from None
    if "no ELF executable or shared library" in answer.get("error", ""):
        return {"tag": "any"}
    # It also lists what is asked of libraries that the wheel itself holds.
    with zipfile.ZipFile(wheel) as archive:
        inside = {os.path.basename(member) for member in archive.namelist()}
    return {
        "tag": answer["overall_tag"],
        "tag by versions": answer["sym_tag"],
        "libraries": set(answer["external_libs"]),
        "versions": {
            f"{library}: {version}"
            for library, versions in answer["versioned_symbols"].items()
            if library not in inside
            for version in versions
        },
    }


def ask_cudald(cudald, wheel):
    done = subprocess.run(
        [cudald, "show", "-f", "json", wheel], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    if done.returncode != 0:
        raise ValueError(f"cudald: exit status {done.returncode}: {done.stderr.strip()[-500:]}")
    answer = json.loads(done.stdout)
    policy = answer["policy"]
    if policy is None:
        return {"tag": answer["fitting_tag"]}
    linux = f"linux_{answer['machine']}"
    return {
        "tag": answer["fitting_tag"],
        "tag by versions": policy["fits_but_for_libraries"] or linux,
        "libraries": {
            obstacle["library"]
            for obstacle in policy["obstacles"]
            if obstacle["kind"] == "library" and obstacle["allowed_from"] is None
        },
        # auditwheel never looks at what is asked of the loader itself.
        "versions": {
            f"{library['name']}: {version['name']}"
            for library in answer["external"]
            if not library["loader"]
            for version in library["versions"]
        },
    }


if __name__ == "__main__":
    sys.exit(main())
