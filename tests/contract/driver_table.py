#!/usr/bin/env python3
"""The table docs/driver-table.md: which driver runs which release of CUDA, on Linux and Windows.

    driver_table.py CUDALD [--update]

What is expected stands here, by NVIDIA's tables, and not by data/cuda.json: the drivers that toolkits bring along are
those of the CUDA Toolkit release notes (docs.nvidia.com/cuda/cuda-toolkit-release-notes, "CUDA Toolkit and
Corresponding Driver Versions"), minor-version compatibility that of "CUDA Toolkit and Minimum Required Driver Version
for CUDA Minor Version Compatibility" there and of docs.nvidia.com/deploy/cuda-compatibility, "Minor Version
Compatibility": 11.x from 450.80.02 (Windows 452.39), 12.x from 525.60.13 (528.33), 13.x from 580; releases before 11
need the driver that they provide. cudald is asked of programs with a stand-in of each runtime. --update writes the
table.
Output is TAP.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from tap import Tap  # noqa: E402

TABLE = Path(HERE) / ".." / ".." / "docs" / "driver-table.md"
RELEASES = ["10.2", "11.0", "11.4", "11.8", "12.0", "12.2", "12.4", "12.8", "12.9", "13.0"]
WORDS = {"+": "runs", "~": "minor", "-": "too old"}
# A driver, and for each release above: it has all of it (+), runs it by minor-version compatibility (~), or is too
# old (-).
EXPECTED = {
    "Linux": {
        "440.33.01": "+---------",
        "450.51.06": "++--------",
        "450.80.02": "++~~------",
        "470.256.02": "+++~------",
        "510.47.03": "+++~------",
        "520.61.05": "++++------",
        "525.60.13": "+++++~~~~-",
        "535.104.05": "++++++~~~-",
        "550.54.14": "+++++++~~-",
        "570.26": "++++++++~-",
        "580.65.06": "++++++++++",
        "535": "++++++~~~-",  # the branch: its newest driver
    },
    "Windows": {
        "441.22": "+---------",
        "451.82": "++--------",
        "452.39": "++~~------",
        "474.44": "+++~------",
        "511.65": "+++~------",
        "522.06": "++++------",
        "527.41": "+++++-----",  # what CUDA 12.0 brings is older than what 12.x asks for
        "537.13": "++++++~~~-",
        "551.61": "+++++++~~-",
        "572.61": "++++++++~-",
        "581.15": "++++++++++",
        "535": "++++++~~~-",  # R535 has the drivers 536 to 539 on Windows
    },
}
HEAD = """# Which driver runs which CUDA

Made by `tests/contract/driver_table.py --update`, which asks cudald of a program with the runtime of each release, and
holds the answers against NVIDIA's tables. *runs*: the driver has all of that release. *minor*: it runs by
minor-version compatibility; code that is there as PTX of that release alone does not
(`cudald check --driver VERSION --gpu sm_NN PROGRAM` says where that is so). *too old*: the first call of CUDA fails
with "CUDA driver version is insufficient for CUDA runtime version" (35). A number without a dot is a branch, and means
its newest driver. Forward compatibility (the packages cuda-compat) is judged where the package is in the tree.
"""


def soname(release):
    major = release.split(".", maxsplit=1)[0]
    return f"libcudart.so.{release if major == '10' else '11.0' if major == '11' else major}"


def dll(release):
    major, minor = release.split(".")
    return f"cudart64_{major + minor if major == '10' else '110' if major == '11' else major}.dll"


def compile_c(compiler, path, text, *words):
    subprocess.run([compiler, "-O2", "-x", "c", "-", "-o", path, *words], input=text, text=True, check=True)


def make_program(system, folder, release):
    """A program that needs the runtime of a release, which lies beside it."""
    major, minor = release.split(".")
    number = int(major) * 1000 + int(minor) * 10
    runtime = (f"int cudaRuntimeGetVersion(int *v) {{ *v = {number}; return 0; }}\n"
               "int cudaGetDeviceCount(void) { return 0; }\n")
    program = "int cudaGetDeviceCount(void);\nint main(void) { return cudaGetDeviceCount(); }\n"
    os.makedirs(folder)
    if system == "Linux":
        library = os.path.join(folder, soname(release))
        compile_c("gcc", library, runtime, "-shared", "-fPIC", f"-Wl,-soname,{soname(release)}")
        path = os.path.join(folder, "app")
        compile_c("gcc", path, program, "-Wl,-rpath,$ORIGIN", "-xnone", library)
    else:
        library = os.path.join(folder, dll(release))
        compile_c("x86_64-w64-mingw32-gcc", library, runtime, "-shared")
        path = os.path.join(folder, "app.exe")
        compile_c("x86_64-w64-mingw32-gcc", path, program, "-xnone", library)
    return path


def answer(cudald, path, driver):
    done = subprocess.run([cudald, "check", "-f", "json", "--driver", driver, path], capture_output=True, text=True,
                          check=False)
    findings = [each for each in json.loads(done.stdout)["findings"] if each["code"] == "CUD301"]
    if not findings:
        return "+"
    return "~" if findings[0]["level"] == "note" else "-"


def lines_of(system, answers):
    yield f"\n## {system}\n"
    yield "| driver | " + " | ".join(RELEASES) + " |"
    yield "| --- |" + " --- |" * len(RELEASES)
    for driver, row in answers.items():
        yield f"| {driver} | " + " | ".join(WORDS[cell] for cell in row) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    tap = Tap()
    text = HEAD
    with tempfile.TemporaryDirectory() as scratch:
        for system, compiler in (("Linux", "gcc"), ("Windows", "x86_64-w64-mingw32-gcc")):
            if shutil.which(compiler) is None:
                tap.skip(f"drivers for {system}", f"not run: there is no {compiler}")
                text = None
                continue
            programs = [make_program(system, os.path.join(scratch, system, release), release) for release in RELEASES]
            answers = {}
            for driver, expected in EXPECTED[system].items():
                answers[driver] = "".join(answer(options.cudald, path, driver) for path in programs)
                tap.ok(answers[driver] == expected, f"{system}, driver {driver}",
                       [f"expected {expected}", f"told     {answers[driver]}", f"of CUDA  {' '.join(RELEASES)}"])
            text = text and text + "\n".join(lines_of(system, answers)) + "\n"
    if text and options.update:
        TABLE.write_text(text, encoding="utf-8")
    if text:
        tap.ok(TABLE.is_file() and TABLE.read_text(encoding="utf-8") == text, "docs/driver-table.md says so",
               ["driver_table.py CUDALD --update writes it"])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
