#!/usr/bin/env python3
"""Asks cudald what libraries out of NVIDIA's wheels are, when nothing but their bytes can tell.

    identify_wheels.py CUDALD [--full] [--only GLOB] [--offline]

The members of wheels are pinned in tools/pins-cuda.txt and fetched into the cache, without the rest of the wheel. Each
is shown under a name that says nothing. The truth is the version of its wheel: nvidia_cuda_runtime_cu12-12.8.90 is the
runtime of CUDA 12.8, nvidia_cudnn_cu11-8.9.6.50 is cuDNN 8.9.6. The front library of cuDNN for Linux only hands calls
on and is the same file in several releases of cuDNN 8: there the major number must be right, and no more may be
claimed. --full takes every release that the index carries, the sample a few of each kind. Without cache and network it
is a skip. Output is TAP.
"""

import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools")
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from pinned import CACHE  # noqa: E402
from script_arguments import script_arguments  # noqa: E402
from tap import Tap  # noqa: E402

MEMBERS = os.path.join(CACHE, "members")
SAMPLE = [
    "nvidia_cuda_runtime_cu11-*",
    "nvidia_cuda_runtime_cu12-12.[0369].*",
    "nvidia_cuda_runtime-13.[05].*",
    "nvidia_cudnn_cu1[12]-8.9.6.*libcudnn.so.8",
    "nvidia_cudnn_cu12-8.9.7.*cudnn64_8.dll",
    "nvidia_cudnn_cu12-9.10.2.*",
    "nvidia_cudnn_cu13-9.12.0.*",
]
TIME_LIMIT = 20


def pins():
    with open(os.path.join(TOOLS, "pins-cuda.txt"), encoding="utf-8") as lines:
        rows = [line.partition("#")[0].split() for line in lines]
    return [tuple(row) for row in rows if row]


def is_wanted(pin, globs):
    return any(fnmatch.fnmatchcase(f"{pin[1]}!{pin[2]}", glob) for glob in globs)


def path_of(pin):
    return os.path.join(MEMBERS, f"{pin[1]}!{pin[2]}".replace("/", "!"))


def fetch(wanted, offline):
    """Why the members are not there; None if they are."""
    missing = [pin for pin in wanted if not os.path.exists(path_of(pin))]
    if not missing:
        return None
    if offline:
        return f"{len(missing)} libraries are not in the cache"
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as list_file:
        list_file.writelines(" ".join(pin) + "\n" for pin in missing)
        list_file.flush()
        command = [sys.executable, os.path.join(TOOLS, "fetch-member"), "--pins", list_file.name, "--into", MEMBERS]
        done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return None if done.returncode == 0 else f"libraries could not be fetched: {done.stderr.strip()[-200:]}"


def expectation(pin):
    """kind, part, and the version that must be told."""
    _, wheel, member, _ = pin
    version = re.match(r"\w+-([0-9.]+)", wheel).group(1).strip(".").split(".")
    name = os.path.basename(member)
    if "runtime" in wheel:
        return "cudart", None, ".".join(version[:2])
    part = re.match(r"(?:lib)?cudnn_?(.*?)(?:64_\d+\.dll|\.so\.\d+)$", name).group(1)
    # On Linux the front library answers only by its parts.
    told = 1 if name.startswith("libcudnn.so") else 3
    return "cudnn", part or None, ".".join(version[:told])


def main():
    options = script_arguments(__doc__, "--full", "every pinned library: 8.6 GB in the cache",
                               "only wheels whose names match")
    program = options.cudald

    tap = Tap()
    globs = ["*"] if options.full else SAMPLE
    wanted = [pin for pin in pins() if is_wanted(pin, globs) and fnmatch.fnmatchcase(pin[1], options.only)]
    fault = fetch(wanted, options.offline)
    if fault is not None:
        tap.skip("libraries of CUDA are what they are", fault)
        return tap.finish()
    with tempfile.TemporaryDirectory() as folder:
        nameless = os.path.join(folder, "file")
        for pin in wanted:
            if os.path.lexists(nameless):
                os.remove(nameless)
            os.symlink(path_of(pin), nameless)
            done = subprocess.run([program, "show", "-f", "json", "./file"], check=False, cwd=folder,
                                  timeout=TIME_LIMIT,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            found = json.loads(done.stdout)["cuda"] if done.returncode == 0 else None
            told = found and (found["kind"], found["part"], found["version"])
            tap.ok(told == expectation(pin), f"{pin[1]}: {os.path.basename(pin[2])}",
                   [f"found {told}, not {expectation(pin)}", done.stderr, *(found or {}).get("evidence", [])])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
