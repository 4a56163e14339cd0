#!/usr/bin/env python3
"""What cudald tells the author of a wheel that needs a library of CUDA: after these changes the real import works next
to NVIDIA's package, and the wheel is judged to load.

    recipe.py CUDALD

The library is a small one with the name of the real one. Output is TAP.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from tap import Tap  # noqa: E402
from wheel_writer import write_wheel  # noqa: E402

LIBRARY = "libcudart.so.12"
PLACE = "nvidia/cuda_runtime/lib"
CODE = "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), '_ext.so'))\n"
WHEEL = "pkg-1.0-py3-none-manylinux_2_17_x86_64.whl"


def build(folder, name, source, *options):
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-x", "c", "-", "-x", "none", "-nostdlib", "-o", name, *options],
                   cwd=folder, input=source, text=True, check=True)


def wheel_of(folder, site, metadata=""):
    with open(os.path.join(site, "pkg/_ext.so"), "rb") as file:
        members = {"pkg/__init__.py": CODE, "pkg/_ext.so": file.read()}
    return write_wheel(folder, WHEEL, members, metadata=metadata)


def ask(cudald, *words):
    done = subprocess.run([cudald, *words], capture_output=True, text=True, check=False,
                          env={"PATH": os.environ["PATH"], "CUDALD_CACHE": "off", "LC_ALL": "C.UTF-8"})
    return done.returncode, done.stdout


def repair(cudald, folder, *words):
    """`cudald repair` in a folder that is its home, too, with an empty environment for what it judges."""
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "CUDALD_CACHE": "off", "LC_ALL": "C.UTF-8"}
    return subprocess.run([cudald, "repair", "--clear-env", *words], cwd=folder, env=environment, capture_output=True,
                          text=True, check=False)


def really_imports(site):
    return subprocess.run([sys.executable, "-S", "-c", "import pkg"], env={"PYTHONPATH": site}, capture_output=True,
                          check=False).returncode == 0


def main():
    tap = Tap()
    missing = [name for name in ("gcc", "patchelf") if not shutil.which(name)]
    if missing:
        tap.skip("the author's changes", f"{' and '.join(missing)} is not installed")
        return tap.finish()
    cudald = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        site = os.path.join(folder, "site")
        build(site, f"{PLACE}/{LIBRARY}", "int cudaMalloc(void) { return 0; }", f"-Wl,-soname,{LIBRARY}")
        build(site, "pkg/_ext.so", "int cudaMalloc(void); int f(void) { return cudaMalloc(); }", f"{PLACE}/{LIBRARY}")
        with open(os.path.join(site, "pkg/__init__.py"), "w", encoding="utf-8") as file:
            file.write(CODE)
        tap.ok(not really_imports(site), "the package does not import beside the library")
        status, said = ask(cudald, "explain", wheel_of(folder, site))
        requirement = re.search(r"^ *Requires-Dist: (nvidia-cuda-runtime-cu12>=12\.[\d.]+,<13)$", said, re.MULTILINE)
        command = re.search(r"^ *(patchelf --add-rpath '\$ORIGIN/\.\./nvidia/cuda_runtime/lib' pkg/_ext\.so)$", said,
                            re.MULTILINE)
        repair = f"cudald repair {os.path.join(folder, WHEEL)} -w wheelhouse/"
        tap.ok(f"maintainer fix, or {repair}:" in said, "and the command that makes both", said.splitlines())
        status, said = ask(cudald, "check", wheel_of(folder, site))
        tap.ok(status == 1 and f"maintainer fix: {repair}" in said, "check names that command", said.splitlines())
        if tap.ok(status == 1 and requirement and command, "the first screen has both changes"):
            subprocess.run(command[1], shell=True, cwd=site, check=True)
            tap.ok(really_imports(site), "the package imports after the command")
            status, said = ask(cudald, "check", wheel_of(folder, site, f"Requires-Dist: {requirement[1]}\n"))
            tap.ok(status == 0, "and the wheel with that requirement has no finding", said.splitlines())
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
