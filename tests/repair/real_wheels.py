#!/usr/bin/env python3
"""Real wheels without their search paths and their requirements of NVIDIA: after repair pip installs them with what
they require, and the real import works.

    real_wheels.py CUDALD

4 GB are fetched. patchelf takes the search paths out. The loader does not see a toolkit of this machine. Output is TAP.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from pinned import WHEELS, fetch_wheels, pinned_names  # noqa: E402
from tap import Tap  # noqa: E402
from wheel_writer import record_of  # noqa: E402

# The wheel, and what is run: without a GPU it has to work as well.
CASES = {
    "torch-2.9.1-*": "import torch, functorch; assert torch.ones(2, 2).sum() == 4",
    # Its CUDA provider asks the driver as soon as it is loaded.
    "onnxruntime_gpu-1.18.1-*": "import onnxruntime, subprocess;"
                                "provider = onnxruntime.__path__[0] + '/capi/libonnxruntime_providers_cuda.so';"
                                "assert b'not found' not in subprocess.check_output(['ldd', provider])",
}


def without_search_path(data):
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        subprocess.run(["patchelf", "--remove-rpath", file.name], check=True)
        with open(file.name, "rb") as changed:
            return changed.read()


def write_bare(source, folder):
    """The wheel as a build gives it that knows nothing of other packages; its path."""
    name = re.sub(r"manylinux[0-9_]*_x86_64(\.manylinux[0-9_]*_x86_64)*", "linux_x86_64", os.path.basename(source))
    path = os.path.join(folder, name)
    rows = []
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename.endswith(".dist-info/RECORD"):
                record = info
                continue
            if data.startswith(b"\x7fELF"):
                data = without_search_path(data)
            elif info.filename.endswith(".dist-info/METADATA"):
                data = re.sub(rb"(?m)^Requires-Dist: nvidia-.*\n", b"", data)
            new.writestr(info, data)
            if not info.is_dir():
                rows.append(record_of(info.filename, data))
        new.writestr(record, "".join(rows) + record.filename + ",,\n")
    return path


def imports(python, code):
    """Whether the code runs, and Python's last line; without ld.so.cache, where a toolkit would be."""
    done = subprocess.run(["/lib64/ld-linux-x86-64.so.2", "--inhibit-cache", python, "-c", code],
                          env={**os.environ, "LD_LIBRARY_PATH": ""}, capture_output=True, text=True, check=False)
    return done.returncode == 0, (done.stdout + done.stderr).strip().splitlines()[-1:]


def environment(folder, wheel, *options):
    """The Python of an environment with a wheel, and what pip has to say."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    done = subprocess.run([os.path.join(folder, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check",
                           *options, wheel], capture_output=True, text=True, check=False)
    return os.path.join(folder, "bin", "python"), done


def judge(tap, cudald, name, code, folder):
    project = name.split("-")[0]
    problem = fetch_wheels([name])
    if problem:
        tap.skip(f"{project}, repaired", problem)
        return
    bare = write_bare(os.path.join(WHEELS, pinned_names([name])[0]), folder)
    repaired = subprocess.run([cudald, "repair", bare, "-w", os.path.join(folder, "new")], capture_output=True,
                              text=True, check=False)
    if not tap.ok(repaired.returncode == 0, f"{project}: it is repaired", repaired.stdout.splitlines()):
        return
    new = os.path.join(folder, "new", os.listdir(os.path.join(folder, "new"))[0])
    python, done = environment(os.path.join(folder, "env"), new)
    tap.ok(done.returncode == 0, f"{project}: pip installs it with what it requires", done.stderr.splitlines())
    works, line = imports(python, code)
    tap.ok(works, f"{project}: its import works", line)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall",
                    "--disable-pip-version-check", bare], check=False)
    works, line = imports(python, code)
    tap.ok(not works, f"{project}: it does not without the repair", line)


def main():
    tap = Tap()
    if not shutil.which("patchelf"):
        tap.skip("real wheels, repaired", "patchelf is not installed: apt install patchelf")
        return tap.finish()
    for name, code in CASES.items():
        with tempfile.TemporaryDirectory(prefix="cudald-real-wheels-") as folder:
            judge(tap, os.path.abspath(sys.argv[1]), name, code, folder)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
