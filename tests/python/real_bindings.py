#!/usr/bin/env python3
"""Compares, for two CUDA runtimes in one Python process, which copy each reference is predicted to reach with where the
real loader binds it.

    real_bindings.py CUDALD

A PyTorch for CUDA 11 and a CuPy for CUDA 12 (bindings/torch-cupy.txt) are imported into one process with
LD_DEBUG=bindings. Every reference to a function of a CUDA runtime, and every mapped library of CUDA, is held against
what `cudald --bindings` predicts. A libcuda.so.1 that fails every call stands in for the driver. Output is TAP.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from real_import import Environment  # noqa: E402
from real_loads import CannotAsk, plain_environment  # noqa: E402
from tap import Tap, first  # noqa: E402

BINDING = re.compile(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: \w+ symbol `([^']+)'")
INITIALISED = re.compile(r"^\s*\d+:\s+calling init: (\S+)$")


def is_runtime_function(name):
    return name.startswith(("cuda", "__cuda"))


def is_of_cuda(path):
    return os.path.basename(path).startswith(("libcu", "libnv"))


def make_driver(environment, folder):
    """A libcuda.so.1 with the functions that CuPy's modules ask for."""
    modules = [str(path) for path in environment.folder.glob("lib/python3*/site-packages/cupy*/**/*.so")]
    names = subprocess.run(["nm", "-D", "--undefined-only", *modules], check=True, stdout=subprocess.PIPE,
                           text=True).stdout
    functions = sorted(set(re.findall(r"\bU (cu[A-Z]\w*)", names)))
    if not functions:
        raise CannotAsk("no module of CuPy asks for a function of the driver")
    code = "".join(f"int {name}(void) {{ return 100; }}\n" for name in functions)
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", os.path.join(folder, "libcuda.so.1"),
                    "-Wl,-soname,libcuda.so.1"],
                   input=code.encode(), check=True)


def really(python, variables, folder):
    log = os.path.join(folder, "log")
    process = subprocess.Popen([python, "-c", "import torch, cupy"], cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE,
                               env=dict(variables, LD_DEBUG="bindings,files", LD_DEBUG_OUTPUT=log))
    error = process.communicate()[1].decode(errors="replace")
    if process.returncode != 0:
        raise CannotAsk(f"the real import fails: {error.strip()[-300:]}")
    bindings, mapped, real = {}, set(), {}
    with open(f"{log}.{process.pid}", encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            if (match := BINDING.search(line)) and is_runtime_function(match[3]):
                user, definer = (real.setdefault(path, os.path.realpath(path)) for path in (match[1], match[2]))
                if "libcudart" in definer and user != definer:
                    bindings[user, match[3]] = definer
            elif (match := INITIALISED.match(line)) and is_of_cuda(match[1]):
                mapped.add(os.path.realpath(match[1]))
    return bindings, mapped


def predicted(cudald, environment, variables, folder):
    done = subprocess.run([cudald, "explain", "-f", "json", "--bindings", "--prefix", str(environment.folder), "torch",
                           "cupy"],
                          env=variables, cwd=folder, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        raise CannotAsk(f"cudald ends with status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
    report = json.loads(done.stdout)
    paths = {thing["id"]: thing["path"] for thing in report["objects"]}
    bindings = {(paths[each["object"]], each["name"]): paths[each["definer"]] for each in report["symbols"]["bindings"]
                if is_runtime_function(each["name"]) and "libcudart" in paths[each["definer"]]
                and each["object"] != each["definer"]}
    mapped = {thing["path"] for thing in report["objects"] if thing.get("mapped", True) and is_of_cuda(thing["path"])}
    return bindings, mapped, report


def main():
    tap = Tap()
    environment = Environment(Path(__file__).parent / "bindings" / "torch-cupy.txt")
    try:
        environment.install()
        with tempfile.TemporaryDirectory(prefix="cudald-bindings-") as folder:
            make_driver(environment, folder)
            site = next(environment.folder.glob("lib/python3*/site-packages"))
            libraries = [str(path) for path in sorted(site.glob("nvidia/*/lib")) if "cudnn" not in str(path)
                         and "nccl" not in str(path)]
            variables = dict(plain_environment(), LD_LIBRARY_PATH=":".join([folder, *libraries]), LD_BIND_NOW="1")
            bindings, mapped = really(str(environment.folder / "bin" / "python"), variables, folder)
            guess, guessed, report = predicted(sys.argv[1], environment, variables, folder)
    except CannotAsk as reason:
        tap.bail_out(str(reason))
    wrong = [f"{name} of {user}: really {bindings.get((user, name))}, predicted {guess.get((user, name))}"
             for user, name in sorted(set(bindings) | set(guess))
             if bindings.get((user, name)) != guess.get((user, name))]
    tap.ok(bindings and not wrong,
           f"{len(bindings)} references to two CUDA runtimes end where they are predicted to end", first(wrong))
    tap.ok(len(set(bindings.values())) == 2, "both runtimes are used", sorted(set(bindings.values())))
    tap.ok(mapped == guessed, f"{len(mapped)} libraries of CUDA are mapped, as predicted",
           [f"missing {path}" for path in sorted(mapped - guessed)] + [f"extra {path}"
                                                                       for path in sorted(guessed - mapped)])
    tap.ok(any(each["code"] == "CUD303" for each in report["findings"]), "the report says that there are two")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
