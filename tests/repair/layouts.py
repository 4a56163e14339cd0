#!/usr/bin/env python3
"""Repairs wheels whose libraries need one another in the layouts that auditwheel tests (its tests/integration:
testrpath, testpartialresolution, multiple_top_level, internal_rpath, nonpy_rpath, testpackage), with a library of CUDA
at the end of each chain: after `cudald repair` pip installs the wheel next to NVIDIA's package, and what it computes is
right.

    layouts.py CUDALD

auditwheel copies libraries into a wheel, which cudald does not do: what auditwheel takes from the system lies in the
wheel here, and a need that only a copy can meet has to be refused. Output is TAP.
"""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from recipe import LIBRARY, PLACE, build, repair  # noqa: E402
from tap import Tap  # noqa: E402
from wheel_writer import write_wheel  # noqa: E402
from wheels import faults_of_record  # noqa: E402

PYTHON = ("import ctypes, os\n"
          "ANSWER = ctypes.CDLL(os.path.join(os.path.dirname(__file__), '{library}')).{function}()\n")
CUDA = "int cudaMalloc(void) { return 1; }"
# The end of each chain: it needs CUDA, and no search path of it leads there.
FUNCTION_B = "int cudaMalloc(void); int b(void) { return 9 + cudaMalloc(); }"
FUNCTION_A = "int b(void); int a(void) { return b() + 1; }"


class Place:
    """A directory in which a wheel's files are built, and one in which it is installed next to CUDA."""

    def __init__(self, folder, cudald):
        self.folder, self.cudald = folder, os.path.abspath(cudald)
        self.site, self.tree = os.path.join(folder, "site"), os.path.join(folder, "tree")
        build(self.site, f"{PLACE}/{LIBRARY}", CUDA, f"-Wl,-soname,{LIBRARY}")
        self.cuda = os.path.join(self.site, PLACE, LIBRARY)

    def build(self, name, source, *options):
        build(self.tree, name, source, "-Wl,-soname," + os.path.basename(name), *options)

    def python(self, name, library, function):
        path = os.path.join(self.tree, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(PYTHON.format(library=library, function=function))

    def wheel(self, tag="linux_x86_64"):
        members = {}
        for folder, _, names in os.walk(self.tree):
            for name in sorted(names):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    members[os.path.relpath(path, self.tree)] = file.read()
        return write_wheel(self.folder, f"pkg-1.0-py3-none-{tag}.whl", members)

    def repair(self, wheel):
        """The answer, and the new wheel if one was written."""
        made = os.path.join(self.folder, "wheelhouse")
        done = repair(self.cudald, self.folder, wheel, "-w", made)
        names = os.listdir(made) if os.path.isdir(made) else []
        return done, os.path.join(made, names[0]) if names else None

    def install(self, wheel):
        words = ["install", "--quiet", "--no-deps", "--no-index", "--upgrade", "--disable-pip-version-check"]
        done = subprocess.run([sys.executable, "-m", "pip", *words, "--target", self.site, wheel], capture_output=True,
                              text=True, check=False)
        return done.stderr if done.returncode != 0 else ""

    def computes(self, module, expected):
        """Whether the installed module has the right answer; else what Python says."""
        done = subprocess.run([sys.executable, "-S", "-c", f"import {module} as m; print(m.ANSWER)"],
                              env={"PYTHONPATH": self.site}, capture_output=True, text=True, check=False)
        return done.stdout.strip() == str(expected) or (done.stdout + done.stderr).strip().splitlines()[-1]


def chain_by(flag):
    """An extension needs a library in a directory beside it, which names that of its own need by DT_RPATH, DT_RUNPATH
    or not at all (then all lie together)."""
    def made(place):
        a, b = ("pkg/a/liba.so", "pkg/b/libb.so") if flag else ("pkg/liba.so", "pkg/libb.so")
        path = [f"-Wl,{flag}", "-Wl,-rpath,$ORIGIN/../b"] if flag else ["-Wl,-rpath,$ORIGIN"]
        place.build(b, FUNCTION_B, *(path if flag else ()), place.cuda)
        place.build(a, FUNCTION_A, *path, b)
        place.build("pkg/_ext.so", "int a(void); int answer(void) { return a(); }",
                    "-Wl,-rpath,$ORIGIN/a" if flag else "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined", a)
        place.python("pkg/__init__.py", "_ext.so", "answer")
        return {"pkg": 11}
    return made


def partial_resolution(place):
    """The extension's DT_RPATH finds what its library needs, too; the library has no search path of its own."""
    place.build("pkg/libb.so", FUNCTION_B, place.cuda)
    place.build("pkg/liba.so", FUNCTION_A, "pkg/libb.so")
    place.build("pkg/_ext.so", "int a(void); int answer(void) { return a(); }", "-Wl,--disable-new-dtags",
                "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined", "pkg/liba.so")
    place.python("pkg/__init__.py", "_ext.so", "answer")
    return {"pkg": 11}


def multiple_top_level(place):
    """Two modules at the top of site-packages, which share a directory of libraries."""
    place.build("pkg.libs/libb.so", FUNCTION_B, place.cuda)
    place.build("pkg.libs/liba.so", FUNCTION_A, "-Wl,-rpath,$ORIGIN", "pkg.libs/libb.so")
    for name, body in (("example_a", "a()"), ("example_b", "a() * 10")):
        place.build(f"_{name}.so", f"int a(void); int {name}(void) {{ return {body}; }}", "-Wl,-rpath,$ORIGIN/pkg.libs",
                    "-Wl,--allow-shlib-undefined", "pkg.libs/liba.so")
        place.python(f"{name}.py", f"_{name}.so", name)
    return {"example_a": 11, "example_b": 110}


def internal_rpath(place):
    """One extension finds a library beside it, which needs CUDA; the other needs CUDA itself and has no path."""
    place.build("pkg/liba.so", "int cudaMalloc(void); int a(void) { return 10 + cudaMalloc(); }", place.cuda)
    place.build("pkg/_a.so", "int a(void); int example_a(void) { return a(); }", "-Wl,-rpath,$ORIGIN",
                "-Wl,--allow-shlib-undefined", "pkg/liba.so")
    place.build("pkg/_b.so", FUNCTION_B.replace("b(void)", "example_b(void)"), place.cuda)
    for name in ("a", "b"):
        place.python(f"pkg/example_{name}.py", f"_{name}.so", f"example_{name}")
    place.python("pkg/__init__.py", "_a.so", "example_a")
    return {"pkg.example_a": 11, "pkg.example_b": 10}


def library_that_is_no_module(place):
    """A library with the name of an extension module that is none, needed by the extension beside it."""
    name = "pkg/lib_example.cpython-311-x86_64-linux-gnu.so"
    place.build(name, FUNCTION_B, "-Wl,-rpath,$ORIGIN", place.cuda)
    place.build("pkg/_ext.so", "int b(void); int answer(void) { return b(); }", "-Wl,-rpath,$ORIGIN",
                "-Wl,--allow-shlib-undefined", name)
    place.python("pkg/__init__.py", "_ext.so", "answer")
    return {"pkg": 10}


def test_layout(tap, place, name, make):
    modules = make(place)
    wheel = place.wheel()
    faults = place.install(wheel)
    before = {module: place.computes(module, answer) for module, answer in modules.items()}
    tap.ok(not faults and all(LIBRARY in str(said) for said in before.values()), f"{name}: fails as it is",
           [faults, before])
    done, new = place.repair(wheel)
    if not tap.ok(done.returncode == 0 and new, f"{name}: repaired", [done.stdout, done.stderr]):
        return
    faults = faults_of_record(new) or place.install(new)
    tap.ok(not faults, f"{name}: pip installs it", [faults])
    for module, answer in modules.items():
        said = place.computes(module, answer)
        tap.ok(said is True, f"{name}: {module} computes", [said, done.stdout])


def test_copies(tap, place):
    """A library that only a copy in the wheel can bring (testrpath's liba of the system, nonpy_rpath's libcrypt)."""
    build(place.folder, "libown.so.1", "int own(void) { return 1; }", "-Wl,-soname,libown.so.1")
    place.build("pkg/_ext.so", "int own(void); int answer(void) { return own(); }",
                os.path.join(place.folder, "libown.so.1"))
    place.python("pkg/__init__.py", "_ext.so", "answer")
    done, new = place.repair(place.wheel())
    tap.ok(done.returncode == 1 and not new and "libown.so.1" in done.stdout + done.stderr
           and "auditwheel" in done.stdout + done.stderr, "a library that has to be copied is left to auditwheel",
           [done.stdout, done.stderr])


def test_program(tap, place):
    """A program among the scripts of a wheel lies in bin/ when it is installed: no search path leads from there to
    site-packages for every Python, so nothing is written that would not start."""
    os.makedirs(os.path.join(place.tree, "pkg-1.0.data/scripts"))
    subprocess.run(["gcc", "-w", "-x", "c", "-", "-x", "none", "-o", "pkg-1.0.data/scripts/tool", place.cuda],
                   cwd=place.tree, input="int cudaMalloc(void); int main(void) { return cudaMalloc() - 1; }", text=True,
                   check=True)
    place.python("pkg/__init__.py", "none", "none")
    done, new = place.repair(place.wheel())
    tap.ok(done.returncode == 1 and not new and "tool" in done.stdout,
           "a program in scripts/ is not written unrepaired", [done.returncode, done.stdout, done.stderr])


LAYOUTS = {
    "testrpath, no search path": chain_by(None),
    "testrpath, DT_RPATH": chain_by("--disable-new-dtags"),
    "testrpath, DT_RUNPATH": chain_by("--enable-new-dtags"),
    "testpartialresolution": partial_resolution,
    "multiple_top_level": multiple_top_level,
    "internal_rpath": internal_rpath,
    "nonpy_rpath": library_that_is_no_module,
}


def main():
    tap = Tap()
    if not shutil.which("gcc"):
        tap.skip("repaired layouts", "gcc is not installed")
        return tap.finish()
    for name, make in LAYOUTS.items():
        with tempfile.TemporaryDirectory() as folder:
            test_layout(tap, Place(folder, sys.argv[1]), name, make)
    for test in (test_copies, test_program):
        with tempfile.TemporaryDirectory() as folder:
            test(tap, Place(folder, sys.argv[1]))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
