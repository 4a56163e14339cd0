#!/usr/bin/env python3
"""Story 5, told from real wheels: two CUDA runtimes, or two cuDNNs of one name, in one process.

    real_runtimes.py CUDALD

PyTorch 1.13.1 for CUDA 11.7 with CuPy for CUDA 12; PyTorch 1.10.2 for CUDA 10.2 with a small extension that is linked
against NVIDIA's runtime of CUDA 11.8, once with versions and once without; PyTorch 1.13.1, which finds cuDNN 8.5.0 by
its own DT_RPATH, with onnxruntime-gpu 1.18.1, whose cuDNN 8.9.6 is in LD_LIBRARY_PATH; onnxruntime-gpu twice, each
with a cuDNN 8 of its own. Output is TAP.
"""

import shutil
import subprocess
import sys

from staging import (CUDA_11, PIP, SITE, Stage, edge, findings, first_lines, python_packages, scratch_folder,
                     wheels_or_bail_out, words)
from tap import Tap  # found by way of staging

TORCH_1_10 = "torch-1.10.2-cp39-cp39-manylinux1_x86_64.whl"
TORCH_1_13 = ["torch-1.13.1-cp39-cp39-manylinux1_x86_64.whl",
              "nvidia_cublas_cu11-11.10.3.66-py3-none-manylinux1_x86_64.whl",
              "nvidia_cuda_nvrtc_cu11-11.7.99-2-py3-none-manylinux1_x86_64.whl",
              "nvidia_cudnn_cu11-8.5.0.96-2-py3-none-manylinux1_x86_64.whl"]
RUNTIME_117 = "nvidia_cuda_runtime_cu11-11.7.99-py3-none-manylinux1_x86_64.whl"
RUNTIME_118 = PIP["nvidia-cuda-runtime-cu11"]
CUPY = "cupy_cuda12x-11.5.0-cp39-cp39-manylinux1_x86_64.whl"
NUMPY = "numpy-1.23.5-cp39-cp39-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
FASTRLOCK = "fastrlock-0.8.3-cp39-cp39-manylinux_2_5_x86_64.manylinux1_x86_64.whl"
ONNXRUNTIME = "onnxruntime_gpu-1.18.1-cp39-cp39-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"
CUDNN_896 = PIP["nvidia-cudnn-cu11==8.9.6.50"]
CUDA_12 = ["nvidia_cuda_runtime_cu12-12.8.90-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
           "nvidia_cublas_cu12-12.8.4.1-py3-none-manylinux_2_27_x86_64.whl",
           "nvidia_cufft_cu12-11.3.3.83-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
           "nvidia_curand_cu12-10.3.9.90-py3-none-manylinux_2_27_x86_64.whl",
           "nvidia_cusolver_cu12-11.7.3.90-py3-none-manylinux_2_27_x86_64.whl",
           "nvidia_cusparse_cu12-12.5.8.93-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
           "nvidia_cuda_nvrtc_cu12-12.8.93-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl",
           "nvidia_nvjitlink_cu12-12.8.93-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl"]
EXTENSION = (
    "int cudaMalloc(void **, unsigned long);\nint cudaLaunchKernel(void);\n"
    "void *PyInit__C(void) { return (void *)(long)(cudaMalloc(0, 0) + cudaLaunchKernel()); }\n"
)


def environment(make, *wheels):
    """A Python 3.9 with what imports need; the words that install the wheels beside it."""
    stage = make()
    prefix = stage.conda()
    stage.install(NUMPY, FASTRLOCK,
                  *(name for name in python_packages() if name.startswith(("typing_extensions-4", "setuptools-"))))
    return stage, ["--prefix", prefix, *(word for name in wheels for word in ("--with", stage.wheel(name)))]


def library_path(*folders):
    return ["--env", "LD_LIBRARY_PATH=" + ":".join(folder if folder[0] == "/" else f"{SITE}/nvidia/{folder}/lib"
                                                   for folder in folders)]


def runtimes(answer):
    return {thing["cuda"]["version"]: thing["path"] for thing in answer["objects"]
            if (thing.get("cuda") or {}).get("kind") == "cudart"}


def torch_and_cupy(tap, make):
    """PyTorch 1.13.1 for CUDA 11.7 with cupy-cuda12x."""
    stage, wheels = environment(make, *TORCH_1_13, RUNTIME_117, CUPY, *CUDA_12)
    path = library_path("cublas", "cufft", "curand", "cusolver", "cusparse", "cuda_nvrtc", "cuda_runtime", "nvjitlink")
    stage.teach_python("py:torch", "py:cupy", *wheels, *path, "--driver", "535.104.05")
    answer = stage.ask("py:torch", "py:cupy", *wheels, *path, "--driver", "535.104.05")
    found = findings(answer, "CUD303")
    told = words(found)
    loaded = runtimes(answer)
    tap.ok(answer["verdict"] == "loads" and sorted(loaded) == ["11.7", "12.8"], "both are loaded, and it works",
           [answer["verdict"], words(loaded)])
    tap.ok(loaded.get("11.7", "").endswith("torch/lib/libcudart-e409450e.so.11.0")
           and loaded.get("12.8", "").endswith("cuda_runtime/lib/libcudart.so.12"),
           "as which files: PyTorch's under another name", [words(loaded)])
    tap.ok(found and found[0]["level"] == "note" and "kept apart" in found[0]["message"], "they are kept apart", [told])
    tap.ok("used by libtorch_cuda_cpp.so" in told and "used by core.cpython-39" in told, "who uses which", [told])
    tap.ok("symbols cannot cross: every reference names the version" in told, "whether symbols can cross", [told])
    tap.ok("shared: the driver, and on each GPU its primary context" in told and "not shared: kernels" in told
           and "last error" in told,
           "what is shared and what is not", [told])
    tap.ok("525.60.13 or newer serves both" in told, "the driver that serves both", [told])
    tap.ok("builds for one CUDA" in told and "LD_LIBRARY_PATH: it moves a file" in told,
           "the way out, and what is none", [told])
    old = stage.ask("py:torch", "py:cupy", *wheels, *path, "--driver", "470.82.01")
    tap.ok(old["verdict"] == "cpu-only" and findings(old, "CUD301"), "a driver for CUDA 11 alone is too old",
           [old["verdict"]])
    tap.comment(first_lines(stage.tell("py:torch", "py:cupy", *wheels, *path, "--driver", "535.104.05"), 1))


GLOBAL = ("import ctypes, os\nimport torch\n"
          "ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), 'lib', 'libc10_cuda.so'), "
          "mode=ctypes.RTLD_GLOBAL)\nfrom extension import _C\n")


def extension(stage, versioned, source="import torch\nfrom extension import _C\n"):
    """A small extension of PyTorch that uses CUDA 11's runtime."""
    stage.unpack(TORCH_1_10, "torch/lib/libc10*.so", "/opt/link")
    stage.unpack(RUNTIME_118, "*/libcudart.so.11.0", "/opt/link")
    if not versioned:
        stage.compile("/opt/link/libcudart.so.11.0", "int cudaMalloc(void **p, unsigned long n) { return p != 0 && n "
                                                     "== 0; }\nint cudaLaunchKernel(void) { return 0; }\n",
                      options=["-Wl,-soname,libcudart.so.11.0"])
    stage.text(f"{stage.site}/extension/__init__.py", source)
    stage.text(f"{stage.site}/extension-1.0.dist-info/METADATA",
               "Metadata-Version: 2.1\nName: extension\nVersion: 1.0\n")
    stage.text(f"{stage.site}/extension-1.0.dist-info/RECORD",
               "extension/__init__.py,,\nextension/_C.cpython-39-x86_64-linux-gnu.so,,\n")
    stage.compile(f"{stage.site}/extension/_C.cpython-39-x86_64-linux-gnu.so", EXTENSION,
                  ["/opt/link/libc10_cuda.so", "/opt/link/libcudart.so.11.0"])


def torch_and_extension(tap, make):
    """PyTorch 1.10.2 for CUDA 10.2 with an extension for CUDA 11."""
    for versioned, source in ((True, None), (False, None), (True, GLOBAL), (False, GLOBAL)):
        stage, wheels = environment(make, TORCH_1_10, RUNTIME_118)
        extension(stage, versioned, *([source] if source else []))
        question = ["py:extension", *wheels, *library_path("cuda_runtime"), "--driver", "470.82.01"]
        stage.teach_python(*question)
        answer = stage.ask(*question)
        loaded, found, told = runtimes(answer), findings(answer, "CUD303"), words(findings(answer, "CUD303"))
        tap.ok(sorted(loaded) == ["10.2", "11.8"] and loaded["10.2"].endswith("torch/lib/libcudart-80664282.so.10.2"),
               "both are loaded, as which files",
               [words(loaded)])
        if versioned:
            tap.ok(found and found[0]["level"] == "note" and "symbols cannot cross" in told,
                   "linked against NVIDIA's own: kept apart"
                   f"{', also with PyTorch in the global scope' if source else ''}", [told])
        if versioned and not source:
            other = findings(answer, "CUD308")
            tap.ok(other and "extension 1.0 is built for CUDA 11.8, and torch 1.10.2, which it extends, for CUDA 10.2"
                   in other[0]["message"],
                   "it is built for another CUDA than what it extends", [words(other)])
            tap.ok("450.80.02 or newer serves both" in told, "the driver that serves both", [told])
            tap.comment(first_lines(stage.tell(*question), 1))
        if not versioned and not source:
            tap.ok(found and found[0]["level"] == "note"
                   and "symbols do not cross here, but could: the references of _C.cpython-39" in told,
                   "without versions its own runtime comes first in its scope", [told])
        if not versioned and source:
            tap.ok(found and found[0]["level"] == "warning"
                   and "calls meant for one reach the other" in found[0]["message"] and answer["verdict"] == "risk",
                   "without versions, and PyTorch's runtime in the global scope: that answers its calls",
                   [answer["verdict"], told])
            tap.ok("symbols cross: " in told and "invalid device function" in told, "which, and what comes of it",
                   [told])


def two_cudnns(tap, make):
    """cuDNN 8.5.0 by PyTorch's DT_RPATH and 8.9.6 in LD_LIBRARY_PATH: one soname."""
    stage, wheels = environment(make, *TORCH_1_13, RUNTIME_117, ONNXRUNTIME, PIP["nvidia-cufft-cu11"],
                                PIP["nvidia-curand-cu11"])
    for part in (".so.8", "_ops_infer.so.8", "_cnn_infer.so.8"):
        stage.unpack(CUDNN_896, f"nvidia/cudnn/lib/libcudnn{part}", "/opt/cudnn")
    stage.unpack(RUNTIME_118, "*/libcudart.so.11.0", "/opt/cuda")
    path = library_path("cublas", "cufft", "curand", "/opt/cuda", "/opt/cudnn")
    question = ["py:torch", "py:onnxruntime", *wheels, *path, "--driver", "535.104.05"]
    stage.teach_python(*question)
    answer = stage.ask(*question)
    found = findings(answer, "CUD109", "libcudnn.so.8")
    told = words(found)
    tap.ok(found and found[0]["message"].startswith("libonnxruntime_providers_cuda.so")
           and "that was loaded first" in found[0]["message"],
           "the first one wins, and who gets the other than its own search would find",
           [words(findings(answer, "CUD109"))])
    tap.ok("loaded first: " in told and "nvidia/cudnn/lib/libcudnn.so.8, cuDNN 8.5.0" in told
           and "alone it would be: /opt/cudnn/libcudnn.so.8, cuDNN 8.9.6" in told,
           "which is which, by their bytes", [told])
    tap.ok(findings(answer, "CUD109", "libcudart.so.11.0"), "the same of the runtime: PyTorch's serves both",
           [words(findings(answer, "CUD109"))])
    mixed = findings(answer, "CUD306")
    tap.ok(answer["verdict"] == "risk" and mixed and "8.9.6 from /opt/cudnn" in mixed[0]["message"]
           and "8.5.0 from" in mixed[0]["message"],
           "its parts then come from the other folder", [answer["verdict"], words(mixed)])
    tap.ok("/.wheels" not in words(mixed[0]["fixes"]) if mixed else False, "the fix can be pasted", [words(mixed)])
    options = stage.apply(mixed[0]["fixes"][0])
    after = stage.ask(*question[:-4], options[0], options[1] + ":" + path[1].split("=")[1], *question[-2:])
    tap.ok(not findings(after, "CUD306"), "after the fix they are of one release", [words(findings(after, "CUD306"))])
    asked = edge(after, "libcudnn.so.8")
    tap.ok(asked is not None and asked["status"] in ("loaded", "already-loaded"), "... and cuDNN is found", [asked])
    tap.comment(first_lines(stage.tell(*question), 1))


def two_onnxruntimes(tap, make):
    """onnxruntime-gpu twice, each built to find its own cuDNN 8 by DT_RPATH: the first one wins."""
    if shutil.which("patchelf") is None:
        tap.skip("two onnxruntime-gpu", "not run: patchelf is not installed")
        return
    stage = make()
    for place, cudnn in (("a", TORCH_1_13[3]), ("b", CUDNN_896)):
        stage.unpack(ONNXRUNTIME, "onnxruntime/capi/libonnxruntime_providers_cuda.so", f"/opt/{place}/capi")
        provider = stage.path(f"/opt/{place}/capi/libonnxruntime_providers_cuda.so")
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../cudnn", provider], check=True)
        for part in (".so.8", "_ops_infer.so.8"):
            stage.unpack(cudnn, f"nvidia/cudnn/lib/libcudnn{part}", f"/opt/{place}/cudnn")
    wheels = [word for name in CUDA_11 if "cudnn" not in name for word in ("--with", stage.wheel(name))]
    providers = [f"/opt/{place}/capi/libonnxruntime_providers_cuda.so" for place in "ab"]
    path = library_path("cublas", "cufft", "curand", "cuda_runtime")
    for first, second, winner, other in ((0, 1, "8.5.0", "8.9.6"), (1, 0, "8.9.6", "8.5.0")):
        answer = stage.ask(providers[first], providers[second], *wheels, *path, "--driver", "535.104.05")
        told = words(findings(answer, "CUD109", "libcudnn.so.8"))
        folders = ["/opt/a/cudnn", "/opt/b/cudnn"]
        tap.ok(f"loaded first: {folders[first]}/libcudnn.so.8, cuDNN {winner}" in told.replace("capi/../", "")
               and f"alone it would be: {folders[second]}/libcudnn.so.8, cuDNN {other}" in told,
               f"the one of {folders[first]} is loaded first and serves both: the other gets {winner} instead of "
               f"{other}", [told])


def main():
    tap = Tap()
    wheels_or_bail_out(tap, [*CUDA_11, *TORCH_1_13, TORCH_1_10, CUPY, NUMPY, FASTRLOCK, ONNXRUNTIME,
                             *python_packages()])
    wheels_or_bail_out(tap, [*CUDA_12, RUNTIME_117], "pins.txt")
    for story in (torch_and_cupy, torch_and_extension, two_cudnns, two_onnxruntimes):
        tap.comment(story.__doc__)
        with scratch_folder() as scratch:
            story(tap, lambda: Stage(sys.argv[1], scratch))  # pylint: disable=cell-var-from-loop
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
