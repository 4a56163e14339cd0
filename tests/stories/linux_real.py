#!/usr/bin/env python3
"""The stories of linux.py, told from the real wheels: PyTorch 1.10.2, TensorFlow 2.6.0, onnxruntime-gpu 1.18.1, CuPy,
cuDNN and NVIDIA's runtimes, never extracted.

    linux_real.py CUDALD

The wheels come from the cache or the package index (tools/pins.txt, tools/pins-stories.txt). Output is TAP.
"""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from pinned import WHEELS, fetch_wheels  # noqa: E402
from staging import findings, words  # noqa: E402
from tap import Tap  # noqa: E402

TENSORFLOW = "tensorflow-2.6.0-cp39-cp39-manylinux2010_x86_64.whl"
TORCH_OLD = "torch-1.10.2-cp39-cp39-manylinux1_x86_64.whl"
TORCH = "torch-2.9.1-cp311-cp311-manylinux_2_28_x86_64.whl"
CUPY = "cupy_cuda111-9.6.0-cp39-cp39-manylinux1_x86_64.whl"
NUMPY = "numpy-1.23.5-cp39-cp39-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
RUNTIME_11 = "nvidia_cuda_runtime_cu11-11.8.89-py3-none-manylinux2014_x86_64.whl"
CUDNN_8 = "nvidia_cudnn_cu11-8.9.6.50-py3-none-manylinux1_x86_64.whl"
CUDNN_9 = "nvidia_cudnn_cu12-9.10.2.21-py3-none-manylinux_2_27_x86_64.whl"
ONNXRUNTIME = "onnxruntime_gpu-1.18.1-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"
OLD = [TENSORFLOW, TORCH_OLD, CUPY, NUMPY, RUNTIME_11, CUDNN_8]
NEW = [TORCH, ONNXRUNTIME, "nvidia_*"]


def path(name):
    return os.path.join(WHEELS, name)


def ask(cudald, *words):
    done = subprocess.run([cudald, "explain", "-f", "json", "--clear-env", *words], check=False, capture_output=True,
                          text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def main():
    cudald = sys.argv[1]
    tap = Tap()
    for names, pins in ((OLD, "pins-stories.txt"), (NEW, "pins.txt")):
        if reason := fetch_wheels(names, pins=pins):
            tap.bail_out(reason)

    tap.comment("1: libcudart.so.11.0 is missing, for TensorFlow (soft) and for CuPy (hard)")
    answer = ask(cudald, path(TENSORFLOW))
    found = findings(answer, subject="libcudart.so.11.0")
    tap.ok(answer["verdict"] == "cpu-only" and found and found[0]["level"] == "warning",
           "TensorFlow 2.6.0 goes on with the CPU",
           [answer["verdict"], words(found)])
    requests = [edge for thing in answer["objects"] for edge in thing["needed"] if edge["name"] == "libcudart.so.11.0"]
    tap.ok(requests and "build_info.py" in requests[0]["known_from"], "from where its name is known", [words(requests)])
    asked = {edge["name"] for thing in answer["objects"] for edge in thing["needed"] if edge["kind"] == "dlopen"
             and not edge["hard"]}
    wanted = {"libcudart.so.11.0", "libcublas.so.11", "libcublasLt.so.11", "libcufft.so.10", "libcurand.so.10",
              "libcusolver.so.11",
              "libcusparse.so.11", "libcudnn.so.8"}
    tap.ok(wanted <= asked, "all eight are known, each by its name for CUDA 11.2", sorted(wanted - asked))
    command = found[0]["fixes"][0]["command"] if found else ""
    tap.ok(all(f"nvidia-{part}-cu11" in command for part in ("cuda-runtime", "cublas", "cufft", "curand", "cusolver",
                                                             "cusparse")) and "nvidia-cudnn-cu11==8" in command,
           "one command installs all of them", [command])
    answer = ask(cudald, path(CUPY), "--with", path(NUMPY), "--driver", "470.82.01")
    found = [each for each in findings(answer, "CUD501") if "libcudart.so.11.0 is needed by" in words(each)]
    tap.ok(answer["verdict"] == "fails" and found and found[0]["level"] == "error", "CuPy 9.6.0 needs it: a hard miss",
           [words(found)])

    tap.comment("4: cuDNN 9 for CUDA 12, where onnxruntime-gpu 1.18.1 wants cuDNN 8 for CUDA 11")
    answer = ask(cudald, path(ONNXRUNTIME), "--with", path(CUDNN_9), "--driver", "535.104.05")
    told = words(findings(answer, "CUD501"))
    tap.ok(answer["verdict"] == "cpu-only", "the session goes on with the CPU", [answer["verdict"]])
    tap.ok("libcudnn.so.8 is needed by" in told and "nvidia-cudnn-cu11==8" in told,
           "cuDNN 9 does not count for it: the fix installs cuDNN 8", [told])
    answer = ask(cudald, path(CUDNN_8))
    parts = {thing["soname"]: thing["cuda"] for thing in answer["objects"] if thing.get("cuda")}
    tap.ok(len(parts) >= 7 and all(part["version"] in ("8", "8.9.6") for part in parts.values()),
           "cuDNN 8.9.6's parts are what they are", [words(parts)])

    tap.comment("5: two CUDA runtimes in one process")
    answer = ask(cudald, path(TORCH_OLD), path(RUNTIME_11), "--driver", "470.82.01")
    found = findings(answer, "CUD303")
    told = words(found)
    tap.ok(found and found[0]["level"] == "note" and "kept apart" in found[0]["message"],
           "both are loaded, and kept apart", [words(answer["findings"])])
    tap.ok("libcudart-80664282.so.10.2" in told and "CUDA runtime 10.2" in told and "CUDA runtime 11.8" in told,
           "as which files, of which release", [told])
    tap.ok("libc10_cuda.so" in told and "primary context" in told and "450.80.02" in told,
           "who uses which, what is shared, which driver", [told])
    old = ask(cudald, path(TORCH_OLD), path(RUNTIME_11), "--driver", "440.33.01")
    tap.ok(old["verdict"] == "cpu-only" and findings(old, "CUD301"), "a driver for CUDA 10.2 alone is too old",
           [old["verdict"]])
    gpu = ask(cudald, path(TORCH_OLD), "--driver", "470.82.01", "--gpu", "sm_86")
    tap.ok(findings(gpu, "CUD307"), "PyTorch 1.10.2 has no code for sm_86", [gpu["verdict"]])

    tap.comment("a healthy one")
    answer = ask(cudald, path(TORCH), "--with", WHEELS, "--driver", "570.86.10")
    tap.ok(answer["verdict"] == "loads" and not [each for each in answer["findings"] if each["level"] == "error"],
           "PyTorch 2.9.1 with what it requires", [answer["verdict"], words(answer["findings"])[:2000]])
    versions = {thing["cuda"]["kind"]: thing["cuda"]["version"] for thing in answer["objects"] if thing.get("cuda")}
    tap.ok(versions.get("cudart") == "12.8", "its CUDA is 12.8", [words(versions)])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
