#!/usr/bin/env python3
"""Asks of real wheels for Windows, and of modules in them, what a fresh Windows with python.org's Python makes of them.

    verdicts.py CUDALD

What is expected was found without cudald: the DLLs that files import by pefile and delvewheel, who imports the files by
reading the package's code, what a fresh Windows has by Microsoft's list of what the redistributable brings. The wheels
come from the package index, into the cache. Output is TAP.
"""

import fnmatch
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from pinned import WHEELS, fetch_wheels, pinned_names  # noqa: E402
from tap import Tap  # noqa: E402

PINS = "pins-windows-verdicts.txt"
REDISTRIBUTABLE = "winget install Microsoft.VCRedist.2015+.x64"
# The wheel; what it lacks of a fresh Windows; why; and, where code says plainly what is imported, a module and whether
# its import lacks the same.
EXPECTED = [
    ("lightgbm-*", ["MSVCP140.dll", "VCOMP140.DLL"], "lib_lightgbm.dll, which is all that the wheel is for", "", False),
    ("ctranslate2-*", ["MSVCP140.dll"], "ctranslate2.dll; the error of _ext is raised again", "", False),
    ("onnxruntime_directml-*", ["MSVCP140.dll", "MSVCP140_1.dll"], "the error is kept, and raised later",
     "onnxruntime", True),
    ("scikit_learn-*", [], "it contains vcomp140.dll and msvcp140.dll, and loads them first", "sklearn", False),
    ("mysql_connector_python-*", ["MSVCP140.dll"], "libmysql.dll, which is in site-packages as data", "", False),
    ("pyiceberg-*", [], "modules for two other Pythons are in it", "pyiceberg", False),
    ("pymssql-*", [], "", "pymssql", False),
    ("contourpy-*", [], "the runtime is linked into it", "contourpy", False),
    ("psycopg2_binary-*", [], "delvewheel has repaired it", "psycopg2", False),
    ("prek-*", ["VCRUNTIME140.dll"], "a program in Scripts, where Python's own copy is not", "", False),
]


def answer(cudald, *words):
    done = subprocess.run([cudald, *words, "-f", "json"], check=False, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"cudald: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def lacks(report):
    """The DLLs of the redistributable that the verdict is about, as the message has them, and its first command."""
    for finding in report["findings"]:
        if finding["code"] == "CUD115" and finding["level"] == "warning":
            names = [word.strip(",") for word in finding["message"].split() if ".dll" in word.lower()]
            return sorted(names), finding["fixes"][0]["command"]
    return [], ""


def judge(tap, cudald, words, lacking, name):
    report = answer(cudald, "explain", *words)
    names, command = lacks(report)
    right = report["verdict"] == ("risk" if lacking else "loads") and names == lacking
    tap.ok(right and command == (REDISTRIBUTABLE if lacking else ""), name,
           [f"verdict {report['verdict']}: {report.get('summary')}", f"lacks {names}, expected {lacking}", command])


def main():
    cudald, tap = os.path.abspath(sys.argv[1]), Tap()
    problem = fetch_wheels(["*"], pins=PINS)
    if problem:
        tap.skip("verdicts on wheels for Windows", problem)
        return tap.finish()
    for glob, lacking, why, module, same in EXPECTED:
        name = fnmatch.filter(pinned_names(["*"], PINS), glob)[0]
        wheel = os.path.join(WHEELS, name)
        judge(tap, cudald, [wheel], lacking, f"{name}: {why or 'nothing is lacking'}")
        if module:
            judge(tap, cudald, ["--with", wheel, "py:" + module], lacking if same else [], f"{name}: import {module}")
        told = [each["name"] for each in answer(cudald, "show", wheel)["external"]
                if each["standing"] == "redistributable"]
        tap.ok(sorted(told) == lacking, f"{name}: show tells the same", [f"{told}"])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
