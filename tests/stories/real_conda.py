#!/usr/bin/env python3
"""Story 1, told from real wheels: libcudart.so.11.0 in an environment of conda.

    real_conda.py CUDALD

TensorFlow 2.6.0 opens the library by itself, CuPy 9.6.0 for CUDA 11.1 has it in its DT_NEEDED; both in an environment
whose Python finds libraries by DT_RPATH $ORIGIN/../lib, as conda's does. The library is not there, of another CUDA, in
two toolkits, for another machine, a link that leads nowhere, or cut short. Output is TAP.
"""

import os
import sys

from staging import (CUDA_11, PIP, Stage, edge, findings, first_lines, never_links_another_abi, python_packages,
                     scratch_folder,
                     wheels_or_bail_out, words)
from tap import Tap  # found by way of staging

TENSORFLOW = "tensorflow-2.6.0-cp39-cp39-manylinux2010_x86_64.whl"
CUPY = "cupy_cuda111-9.6.0-cp39-cp39-manylinux1_x86_64.whl"
RUNTIME_11 = PIP["nvidia-cuda-runtime-cu11"]
RUNTIME_ARM = "nvidia_cuda_runtime_cu11-11.8.89-py3-none-manylinux2014_aarch64.whl"
RUNTIME_12 = "nvidia_cuda_runtime_cu12-12.9.79-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl"
RUNTIME_13 = "nvidia_cuda_runtime-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl"
NAME = "libcudart.so.11.0"


class Environment:
    """The environment, and what is asked in it."""

    def __init__(self, stage):
        self.stage = stage
        self.prefix = stage.conda()
        stage.install(*(name for name in python_packages() if not name.startswith(("spacy-", "thinc-"))))
        self.tensorflow = ["--prefix", self.prefix, "py:tensorflow", "--with", stage.wheel(TENSORFLOW)]
        self.cupy = ["--prefix", self.prefix, stage.wheel(CUPY), "--driver", "470.82.01"]
        stage.teach_python(*self.tensorflow)
        stage.teach_python(*self.cupy)

    def both(self, *folders):
        """TensorFlow's answer and CuPy's."""
        path = ["--env", "LD_LIBRARY_PATH=" + ":".join(folders)] if folders else []
        return self.stage.ask(*self.tensorflow, *path), self.stage.ask(*self.cupy, *path)


def of_name(answer):
    """The finding about the library, and its words."""
    found = findings(answer, subject=NAME)
    return (found[0] if found else {"code": "", "level": "", "message": "", "fixes": [],
                                    "does_not_help": []}), words(found)


def says_whose_it_is(tap, what, answer, hard):
    asked = edge(answer, NAME)
    finding, told = of_name(answer)
    verdict, level = ("fails", "error") if hard else ("cpu-only", "warning")
    tap.ok(answer["verdict"] == verdict and finding["level"] == level and asked["hard"] == hard
           and asked["kind"] == ("needed" if hard else "dlopen"),
           f"{what}: {'hard' if hard else 'soft'}, and who asks", [answer["verdict"], told])
    tap.ok("450.80.02" in told and "CUDA 11.0 to 11.8" in told, f"{what}: the driver, and all that the name stands for",
           [told])
    tap.ok(never_links_another_abi(answer), f"{what}: no fix links another file to the name", [told])


def nothing_there(tap, world):
    """Nothing of the name anywhere."""
    for what, answer, hard in zip(("TensorFlow", "CuPy"), world.both(), (False, True)):
        says_whose_it_is(tap, what, answer, hard)
        finding, told = of_name(answer)
        tried = [each["path"] for each in edge(answer, NAME)["tried"]]
        rpath = f"{world.prefix}/bin/../lib/{NAME}"
        tap.ok(rpath in tried and f"/usr/lib/x86_64-linux-gnu/{NAME}" in tried
               and tried.index(rpath) < tried.index(f"/lib/x86_64-linux-gnu/{NAME}"),
               f"{what}: every folder in order, the environment's own by DT_RPATH first", tried)
        conda = f"conda install -p {world.prefix} -c conda-forge cudatoolkit=11.8"
        commands = [fix["command"] for fix in finding["fixes"]]
        tap.ok(any(command.startswith(conda) for command in commands[:2])
               and f"{world.prefix}/lib, which the loader searches" in told,
               f"{what}: conda's package, and that the loader looks where it lands", commands)
        tap.ok(any("pip install nvidia-cuda-runtime-cu11" in command and "LD_LIBRARY_PATH" in command
                   for command in commands)
               and "site-packages/nvidia/cuda_runtime/lib, which is not on the search path" in told,
               f"{what}: pip's, and that the loader will not look there", commands)
    answer = world.both()[0]
    world.stage.apply(next(fix for fix in of_name(answer)[0]["fixes"] if fix["command"].startswith("conda")))
    after, _ = world.both()
    lost = [each["subject"] for each in after["findings"] if each["level"] == "warning"]
    tap.ok(after["verdict"] == "loads" and not lost, "TensorFlow: after the first fix it has all eight, and its GPU",
           [after["verdict"], *lost])


def another_major(tap, world):
    """Only another CUDA, in the environment itself."""
    for wheel, other in ((RUNTIME_12, "libcudart.so.12"), (RUNTIME_13, "libcudart.so.13")):
        world.stage.unpack(wheel, f"*/{other}", f"{world.prefix}/lib")
        for what, answer, hard in zip(("TensorFlow", "CuPy"), world.both(), (False, True)):
            finding, told = of_name(answer)
            says_whose_it_is(tap, f"{what}, {other}", answer, hard)
            only = f"only {other} is installed, which has a different ABI"
            tap.ok(finding["code"] == "CUD102" and only in finding["message"]
                   and f"{world.prefix}/lib/{other}" in told,
                   f"{what}, {other}: it is another ABI, and where it lies", [told])
            tap.ok(f"a symlink {NAME} -> {other}" in words(finding["does_not_help"]),
                   f"{what}, {other}: a symlink does not help", [told])
            if hard:
                tap.ok("by name, and 0 in version libcudart.so.11.0" in told, f"{what}, {other}: function by function",
                       [told])
        os.unlink(world.stage.path(f"{world.prefix}/lib/{other}"))


def two_toolkits(tap, world):
    """CUDA 12's folder before CUDA 11's in LD_LIBRARY_PATH."""
    world.stage.unpack(RUNTIME_12, "*/libcudart.so.12", "/usr/local/cuda-12.9/lib64")
    world.stage.unpack(RUNTIME_11, f"*/{NAME}", "/usr/local/cuda-11.8/lib64")
    for what, answer in zip(("TensorFlow", "CuPy"),
                            world.both("/usr/local/cuda-12.9/lib64", "/usr/local/cuda-11.8/lib64")):
        asked = edge(answer, NAME)
        tap.ok(asked["status"] == "loaded" and asked["tried"][-1]["path"] == f"/usr/local/cuda-11.8/lib64/{NAME}" 
               and all(each["level"] == "note" for each in findings(answer, subject=NAME)),
               f"{what}: the search goes on to the right one", [asked])


def wrong_files(tap, world):
    """A copy for another machine, a link that leads nowhere, and a file that was cut short come first."""
    world.stage.unpack(RUNTIME_ARM, f"*/{NAME}", "/opt/arm")
    os.symlink(f"/nowhere/{NAME}", world.stage.path(f"/opt/link/{NAME}"))
    real = world.stage.path(f"/usr/local/cuda-11.8/lib64/{NAME}")
    with open(real, "rb") as source, open(world.stage.path(f"/opt/cut/{NAME}"), "wb") as out:
        out.write(source.read()[:40])
    stories = (("arm", "CUD103", "for aarch64 (/opt/arm/libcudart.so.11.0)", "/usr/local/cuda-11.8/lib64",
                "for another machine"),
               ("link", "CUD101", "libcudart.so.11.0 is on this machine (/usr/local/cuda-11.8/lib64)",
                "not in a directory the loader searches", "a symbolic link that leads to no file"),
               ("cut", "CUD112", "/opt/cut/libcudart.so.11.0, but that file cannot be loaded: file too short", "",
                "file too short; the loader gives up here"))
    for folder, code, message, more, row in stories:
        # With the right one behind it: what ends the search, and what does not.
        for what, answer in zip(("TensorFlow", "CuPy"), world.both(f"/opt/{folder}", "/usr/local/cuda-11.8/lib64")):
            loaded = edge(answer, NAME)["status"] == "loaded"
            tap.ok(loaded == (folder != "cut"),
                   f"{what}, {folder} before the right one: the search {'goes on' if loaded else 'ends there'}",
                   [edge(answer, NAME)])
        for what, answer, hard in zip(("TensorFlow", "CuPy"), world.both(f"/opt/{folder}"), (False, True)):
            finding, told = of_name(answer)
            says_whose_it_is(tap, f"{what}, {folder}", answer, hard)
            tap.ok(finding["code"] == code and message in finding["message"] and more in finding["message"],
                   f"{what}, {folder}: what was met there, and where a right one is", [told])
        text = world.stage.tell(*world.cupy, "--env", f"LD_LIBRARY_PATH=/opt/{folder}", "-l", NAME)
        tap.ok(row in " ".join(text.split()), f"{folder}: the table of the search says what was in the folder",
               text.split("\n"))
        answer = world.both(f"/opt/{folder}")[1]
        fix = next(fix for fix in of_name(answer)[0]["fixes"] if "/usr/local/cuda-11.8/lib64" in fix["command"]
                   and "conda" not in fix["command"])
        options = world.stage.apply(fix)
        after = world.stage.ask(*world.cupy, options[0], options[1] + f":/opt/{folder}")
        left = [each for each in findings(after, subject=NAME) if each["level"] != "note"]
        tap.ok(not left, f"{folder}: after the fix the finding is gone", [words(left)])
    os.unlink(real)
    with open(world.stage.path(f"/opt/cut/{NAME}"), "wb") as out:
        out.write(b"\x7fELF")
    answer = world.both("/opt/cut")[0]
    finding, told = of_name(answer)
    tap.ok(finding["code"] == "CUD112" and "conda install" in finding["fixes"][0]["command"]
           and finding["fixes"][0]["command"].startswith("mv "),
           "cut, with no other copy: move it away, and install one", [told])
    world.stage.apply(next(fix for fix in finding["fixes"] if "conda" in fix["command"]))
    tap.ok(not findings(world.both("/opt/cut")[0], subject=NAME), "... and then it is found", [])


def main():
    tap = Tap()
    wheels_or_bail_out(tap, [*CUDA_11, *python_packages(), TENSORFLOW, CUPY, RUNTIME_ARM, RUNTIME_12, RUNTIME_13])
    with scratch_folder() as scratch:
        world = Environment(Stage(sys.argv[1], scratch))
        for story in (another_major, two_toolkits, wrong_files):
            tap.comment(story.__doc__)
            story(tap, world)
    with scratch_folder() as scratch:
        world = Environment(Stage(sys.argv[1], scratch))
        tap.comment(nothing_there.__doc__)
        tap.comment(first_lines(world.stage.tell(*world.tensorflow), 1))
        nothing_there(tap, world)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
