#!/usr/bin/env python3
"""Compares the GPU code that cudald finds in files with what NVIDIA's cuobjdump lists.

    fatbins.py CUDALD [--real] [--only GLOB] [--offline]

By default, small files that the nvcc of this machine compiles for many architectures, and entry for entry. --real
takes libraries of the wheels that are pinned in tools/pins.txt, 4 GB to fetch: for each architecture the number of
entries. cuobjdump is the toolkit's, or fetched into the cache. Output is TAP.
"""

import collections
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from pinned import WHEELS, fetch_wheels, pinned_names, tool_folder  # noqa: E402
from script_arguments import script_arguments  # noqa: E402
from tap import Tap, first  # noqa: E402

CUOBJDUMP = ("nvidia-cuda-cuobjdump", "13.5.37")

KERNEL = """
__global__ void kernel(float *x) { x[threadIdx.x] += 1; }
void run(float *x) { kernel<<<1, 32>>>(x); }
"""
SAMPLES = {
    "SASS of several GPUs": ["-c", *[f"-gencode=arch=compute_{n},code=sm_{n}" for n in (80, 86, 90, 120)]],
    "SASS and PTX": ["-c", "-gencode=arch=compute_80,code=[sm_80,compute_80]",
                     "-gencode=arch=compute_90,code=compute_90"],
    "architectures with an a": ["-c", *[f"-gencode=arch=compute_{n}a,code=[sm_{n}a,compute_{n}a]" for n in (90, 100)]],
    "families, with an f": ["-c", *[f"-gencode=arch=compute_{n}f,code=[sm_{n}f,compute_{n}f]" for n in (100, 120)]],
    "code not compressed": ["-c", "-gencode=arch=compute_80,code=[sm_80,compute_80]", "--no-compress"],
    "code for debugging": ["-c", "-G", "-gencode=arch=compute_80,code=[sm_80,compute_80]"],
    "relocatable code": ["-dc", "-gencode=arch=compute_80,code=[sm_80,compute_80,lto_80]"],
    "relocatable code, linked": ["-shared", "-rdc=true", "-gencode=arch=compute_80,code=[sm_80,compute_80]"],
    "a library": ["-shared", "-arch=all-major"],
}

# Wheel -> the members that carry GPU code.
REAL = {
    "torch-2.9.1-*-manylinux*": ["*/libtorch_cuda.so", "*/libtorch_cuda_linalg.so", "*/libtorch_nvshmem.so"],
    "nvidia_cublas_cu12-12.8.*": ["*/libcublas.so.12", "*/libcublasLt.so.12"],
    "nvidia_cudnn_cu12-9.10.*": ["*/libcudnn_*.so.9"],
    "nvidia_nccl_cu12-2.27.*": ["*/libnccl.so.2"],
    "nvidia_cufft_cu12-11.3.*": ["*/libcufft.so.11"],
    "nvidia_cusparse_cu12-12.5.*": ["*/libcusparse.so.12"],
    "cupy_cuda12x-14.2.0-*": ["cupy/cuda/cub.*", "cupy/cuda/thrust.*", "cupy/random/_generator_api.*"],
    "bitsandbytes-0.50.2-*": ["*/libbitsandbytes_cuda12*.so"],
    "onnxruntime_gpu-1.18.1-*-manylinux*": ["*/libonnxruntime_providers_cuda.so"],
}


class CannotAsk(Exception):
    """cudald or cuobjdump gave no answer."""


class Unreadable(Exception):
    """cuobjdump itself gives up on a file, in the middle of its list; why, it does not say."""


def main():
    options = script_arguments(__doc__, "--real", "libraries of real wheels", "only samples or members that match")

    tap = Tap()
    if not os.access(options.cudald, os.X_OK):
        tap.bail_out(f"{options.cudald} is not a program")
    nvcc = toolkit_program("nvcc")
    if nvcc is None and not options.real:
        tap.skip("agreement with cuobjdump", "nvcc is not installed")
        return tap.finish()
    cuobjdump, fault = find_cuobjdump(options.offline)
    if fault is None and options.real:
        fault = fetch_wheels(REAL, options.offline)
    if fault is not None:
        tap.skip("agreement with cuobjdump", fault)
        return tap.finish()

    with tempfile.TemporaryDirectory() as folder:
        if options.real:
            compare_real(tap, options, cuobjdump, folder)
        else:
            compare_samples(tap, options, cuobjdump, nvcc, folder)
    return tap.finish()


def toolkit_program(name):
    beside = sorted(glob.glob(f"/usr/local/cuda*/bin/{name}"))
    return shutil.which(name) or (beside[-1] if beside else None)


def find_cuobjdump(offline):
    """Its path, and None; or None, and why there is none."""
    installed = toolkit_program("cuobjdump")
    if installed:
        return installed, None
    project, version = CUOBJDUMP
    program = os.path.join("nvidia", "cu" + version.split(".")[0], "bin", "cuobjdump")
    folder, fault = tool_folder(project, version, program, offline)
    return (None, fault) if fault else (os.path.join(folder, program), None)


# --- asking -------------------------------------------------------------------------------------


def run(command):
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # Where there is nothing to list, cuobjdump says so with an exit status of its own.
    if "cuobjdump fatal   : Invalid ELF" in done.stderr:
        raise Unreadable(done.stderr.strip().splitlines()[0].partition(" in ")[0])
    if done.returncode != 0 and " info " not in done.stderr:
        raise CannotAsk(f"{os.path.basename(command[0])}: {(done.stderr or done.stdout).strip()[-200:]}")
    return done.stdout


def ask_cudald(program, path):
    gpu = json.loads(run([program, "show", "-f", "json", path]))["gpu"] or {"sass": {}, "ptx": {}}
    return collections.Counter(gpu["sass"]), collections.Counter(gpu["ptx"])


def dumped(cuobjdump, path):
    """SASS and PTX by architecture, from the headers of the entries as cuobjdump prints them."""
    found = {"elf": collections.Counter(), "ptx": collections.Counter()}
    for kind, architecture in re.findall(r"^Fatbin (elf|ptx) code:\n=+\narch = (\w+)$", run([cuobjdump, path]), re.M):
        found[kind][architecture] += 1
    return found["elf"], found["ptx"]


def listed(cuobjdump, path):
    """The same from its lists, which are quicker; but for SASS they leave out the f of sm_100f."""
    sass = re.findall(r"\.(sm_\w+)\.cubin$", run([cuobjdump, "--list-elf", path]), re.M)
    ptx = re.findall(r"\.(sm_\w+)\.ptx$", run([cuobjdump, "--list-ptx", path]), re.M)
    return collections.Counter(sass), collections.Counter(ptx)


def differences(ours, theirs):
    for kind, own, other in zip(("SASS", "PTX"), ours, theirs):
        yield from (f"{kind} {name}: {own[name]}, cuobjdump {other[name]}" for name in sorted(own | other)
                    if own[name] != other[name])


# --- comparing ----------------------------------------------------------------------------------


def compare_samples(tap, options, cuobjdump, nvcc, folder):
    source = os.path.join(folder, "kernel.cu")
    with open(source, "w", encoding="utf-8") as file:
        file.write(KERNEL)
    for number, (name, arguments) in enumerate(SAMPLES.items()):
        if not fnmatch.fnmatchcase(name, options.only):
            continue
        path = os.path.join(folder, f"sample{number}.{'so' if '-shared' in arguments else 'o'}")
        command = [nvcc, "-Xcompiler=-fPIC", *arguments, source, "-o", path]
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            tap.skip(name, f"this nvcc does not compile it: {done.stdout.strip()[-150:]}")
            continue
        compare(tap, name, lambda path=path: (ask_cudald(options.cudald, path), dumped(cuobjdump, path)))


def compare_real(tap, options, cuobjdump, folder):
    for wheel, members in REAL.items():
        for wheel_name in pinned_names([wheel]):
            with zipfile.ZipFile(os.path.join(WHEELS, wheel_name)) as archive:
                for member in sorted(archive.namelist()):
                    chosen = any(fnmatch.fnmatchcase(member, glob) for glob in members)
                    if chosen and fnmatch.fnmatchcase(member, options.only):
                        path = archive.extract(member, folder)
                        compare_library(tap, options.cudald, cuobjdump, member, path)
                        os.remove(path)


def compare_library(tap, program, cuobjdump, member, path):
    times = []

    def ask():
        times.append(time.monotonic())
        (sass, ptx) = ask_cudald(program, path)
        times.append(time.monotonic())
        theirs = listed(cuobjdump, path)
        times.append(time.monotonic())
        without_f = collections.Counter()
        for architecture, count in sass.items():
            without_f[architecture.removesuffix("f")] += count
        return (without_f, ptx), theirs

    if compare(tap, member, ask):
        tap.comment(f"{times[1] - times[0]:.3f} s, cuobjdump {times[2] - times[1]:.3f} s")


def compare(tap, name, ask):
    try:
        ours, theirs = ask()
    except Unreadable as error:
        return tap.skip(name, str(error))
    except (CannotAsk, ValueError, KeyError) as error:
        return tap.ok(False, name, [error])
    text = f"{name}: {sum(ours[0].values())} SASS, {sum(ours[1].values())} PTX"
    return tap.ok(ours == theirs, text, first(differences(ours, theirs)))


if __name__ == "__main__":
    sys.exit(main())
