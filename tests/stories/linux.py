#!/usr/bin/env python3
"""Questions of users about CUDA on Linux, staged from small libraries that have the names, versions and search paths of
the real ones: what cudald must say of each, and that its first fix makes the finding go away.

    linux.py CUDALD

Every world is a folder of its own (--sysroot), so that nothing of this machine counts. Output is TAP.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from staging import edge, findings, words  # noqa: E402
from tap import Tap  # noqa: E402

SITE = "opt/venv/lib/python3.9/site-packages"
BUILD_INFO = "build_info = dict([('cuda_version', '11.2'), ('cudnn_version', '8'), ('is_cuda_build', True)])\n"
CUDA_11 = {
    "libcudart.so.11.0": "cuda_runtime", "libcublas.so.11": "cublas", "libcublasLt.so.11": "cublas",
    "libcufft.so.10": "cufft",
    "libcurand.so.10": "curand", "libcusolver.so.11": "cusolver", "libcusparse.so.11": "cusparse",
    "libcudnn.so.8": "cudnn",
}
PARTS_9 = ["graph", "ops", "cnn", "adv", "engines_precompiled", "engines_runtime_compiled", "heuristic"]
PARTS_8 = ["ops_infer", "cnn_infer", "adv_infer", "ops_train", "cnn_train", "adv_train"]

# These machines have one: without a driver there is no GPU to be used, whatever else is missing.
DRIVER = ["--driver", "580.65.06"]


class World:
    """A root file system with a Python prefix at /opt/venv."""

    def __init__(self, cudald, scratch):
        self.cudald = cudald
        self.root = tempfile.mkdtemp(dir=scratch)
        self.site = os.path.join(self.root, SITE)
        os.makedirs(self.site)

    def path(self, name):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def text(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(text)

    def library(self, name, soname="", code="", needs=(), rpath="", runpath="", versioned=True):
        """A shared library; its functions carry its soname as their version, as those of CUDA do."""
        path = self.path(name)
        soname = soname or os.path.basename(name)
        words = ["cc", "-shared", "-fPIC", "-O1", "-nostdlib", "-x", "c", "-", "-x", "none", "-Wl,--build-id=none",
                 "-o", path,
                 f"-Wl,-soname,{soname}", "-Wl,--allow-shlib-undefined", "-Wl,--no-as-needed"]
        if versioned:
            with tempfile.NamedTemporaryFile("w", suffix=".map", delete=False) as script:
                script.write(f"{soname} {{ global: *; }};\n")
            words.append(f"-Wl,--version-script={script.name}")
        if rpath:
            words += ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{rpath}"]
        if runpath:
            words += ["-Wl,--enable-new-dtags", f"-Wl,-rpath,{runpath}"]
        words += [os.path.join(self.root, need) for need in needs]
        subprocess.run(words, input=code.encode(), check=True)
        if versioned:
            os.unlink(script.name)
        return path

    def distribution(self, name, version, files, extra=""):
        info = f"{SITE}/{name}-{version}.dist-info"
        self.text(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{extra}")
        self.text(f"{info}/RECORD", "".join(f"{file},,\n" for file in files))

    def cudart(self, folder, soname, release, file=""):
        """A runtime that says which release it is, as the real one does."""
        return self.library(f"{folder}/{file or soname}", soname,
                            f"int cudaRuntimeGetVersion(int *v) {{ *v = {release}; return 0; }}\n"
                            "int cudaGetDeviceCount(int *n) { *n = 0; return 0; }\n"
                            "int cudaMalloc(void **p, unsigned long n) { return p != 0 && n == 0; }\n"
                            "int cudaLaunchKernel(void) { return 0; }\n")

    def cudnn(self, folder, major, release, parts, without=(), cuda=0):
        """The front library, which names its parts, and the parts, which say what they are."""
        names = " ".join(f'"libcudnn_{part}.so.{major}\\0"' for part in parts)
        self.library(f"{folder}/libcudnn.so.{major}", runpath="$ORIGIN",
                     code=f"const char parts[] = {names};\nlong cudnnGetVersion(void) {{ return {release}; }}\n"
                          "int cudnnCreate(void **h) { return h != 0; }\nint cudnnConvolutionForward(void) { return 0; "
                          "}\n")
        for part in parts:
            if part not in without:
                self.library(f"{folder}/libcudnn_{part}.so.{major}", runpath="$ORIGIN",
                             code=f"long cudnnGetVersion(void) {{ return {release}; }}\n"
                                  + (f"long cudnnGetCudartVersion(void) {{ return {cuda}; }}\n" if cuda else "") +
                                  f"long cudnn{part.title().replace('_', '')}Version(void) {{ return {release}; }}\n"
                                  f"int cudnn{part.title().replace('_', '')}VersionCheck(void) {{ return 0; }}\n")

    def tensorflow(self):
        self.text(f"{SITE}/tensorflow/__init__.py", "from tensorflow.python import _pywrap_tensorflow_internal\n")
        self.text(f"{SITE}/tensorflow/python/__init__.py", "")
        self.text(f"{SITE}/tensorflow/python/platform/build_info.py", BUILD_INFO)
        self.library(f"{SITE}/tensorflow/libtensorflow_framework.so.2", rpath="$ORIGIN/", versioned=False,
                     code="const char pieces[] = \"\\0cudart\\0cublas\\0cublasLt\\0\";\nint f(void) { return 0; }\n")
        self.library(f"{SITE}/tensorflow/python/_pywrap_tensorflow_internal.so", rpath="$ORIGIN/..", versioned=False,
                     needs=[f"{SITE}/tensorflow/libtensorflow_framework.so.2"],
                     code="void *PyInit__pywrap_tensorflow_internal(void) { return 0; }\n")
        self.distribution("tensorflow", "2.6.0", ["tensorflow/__init__.py", "tensorflow/libtensorflow_framework.so.2"])

    def wheel(self, requirement):
        """What `pip install` of one of NVIDIA's packages for CUDA 11 would put into site-packages."""
        name = requirement.split("==")[0]
        for library, folder in CUDA_11.items():
            if name != f"nvidia-{folder.replace('_', '-')}-cu11":
                continue
            place = f"{SITE}/nvidia/{folder}/lib"
            if library == "libcudart.so.11.0":
                self.cudart(place, library, 11080)
            elif library == "libcudnn.so.8":
                self.cudnn(place, 8, 8906, PARTS_8)
            else:
                self.library(f"{place}/{library}")

    def ask(self, *words, status=(0, 1)):
        words = [*DRIVER, *words] if "--driver" not in words else words
        done = subprocess.run([self.cudald, "explain", "-f", "json", "--sysroot", self.root, "--prefix", "/opt/venv",
                               *words],
                              check=False, capture_output=True, text=True)
        if done.returncode not in status:
            raise RuntimeError(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def tell(self, *words):
        words = [*DRIVER, *words] if "--driver" not in words else words
        done = subprocess.run([self.cudald, "explain", "--sysroot", self.root, "--prefix", "/opt/venv", *words],
                              check=False, capture_output=True, text=True)
        return done.stdout

    def apply(self, fix):
        """Does what a fix says: installs what it names; returns the options that stand for its environment."""
        options = []
        site = "/" + SITE
        for line in fix["command"].split("\n"):
            if " install " in line or line.startswith("pip install "):
                for requirement in line.split(" install ")[1].split():
                    self.wheel(requirement.strip("'"))
            elif line.startswith("site="):
                site = line[5:] if "$(" not in line else site
            elif line.startswith("mv "):
                os.rename(*(self.path(name) for name in line.split()[1:]))
            elif line.startswith("export LD_LIBRARY_PATH="):
                value = line.split("=", 1)[1].split("${LD_LIBRARY_PATH")[0].replace("$site", site)
                options += ["--env", f"LD_LIBRARY_PATH={value}"]
            else:
                raise RuntimeError(f"cannot apply: {line}")
        return options


def never_links(answer):
    return not any(re.search(r"ln -s\w* \S*\.so\.1[23]\b", fix["command"] or "") for each in answer["findings"]
                   for fix in each["fixes"])


def missing_runtime(tap, make):
    """Story 1: libcudart.so.11.0 in a conda environment or prefix."""
    world = make()
    world.tensorflow()
    answer = world.ask("tensorflow")
    cudart = findings(answer, subject="libcudart.so.11.0")
    told = words(cudart)
    tap.ok(answer["verdict"] == "cpu-only" and len(cudart) == 1 and cudart[0]["level"] == "warning",
           "nothing there: a soft miss, which costs the GPU", [answer["verdict"], told])
    asked = edge(answer, "libcudart.so.11.0")
    tap.ok(asked and asked["kind"] == "dlopen" and not asked["hard"], "the request is a dlopen, and soft", [asked])
    tap.ok("put together at run time" in told and "\\\"cudart\\\" at offset" in told,
           "it says how the name comes about", [told])
    tap.ok("nvidia-cuda-runtime-cu11" in told and "450.80.02" in told, "it names the package and the driver", [told])
    tap.ok("CUDA 11.0 to 11.8" in told, "the name stands for all of CUDA 11", [told])
    tap.ok("import tensorflow` works" in told and "everything runs on the CPU" in told, "it says what happens", [told])
    after = world.ask("tensorflow", *world.apply(cudart[0]["fixes"][0]))
    tap.ok(after["verdict"] == "loads" and not findings(after, "CUD101") and not findings(after, "CUD102"),
           "after the first fix the finding is gone, and TensorFlow has its GPU",
           [after["verdict"], words(findings(after))])

    for other in ("12", "13"):
        world = make()
        world.tensorflow()
        world.cudart("usr/local/cuda/lib64", f"libcudart.so.{other}", 12080 if other == "12" else 13000)
        answer = world.ask("tensorflow", "--env", "LD_LIBRARY_PATH=/usr/local/cuda/lib64")
        found = findings(answer, "CUD102", "libcudart.so.11.0")
        tap.ok(found and f"libcudart.so.{other}" in found[0]["message"]
               and "symlink" in words(found[0]["does_not_help"]),
               f"only libcudart.so.{other}: another ABI, and a symlink does not help", [words(answer["findings"])])
        tap.ok(never_links(answer), f"... and no fix links libcudart.so.{other}", [words(answer["findings"])])

    world = make()
    world.tensorflow()
    world.text("opt/venv/conda-meta/history", "")
    finding = findings(world.ask("tensorflow"), "CUD101", "libcudart.so.11.0")[0]
    commands = [fix["command"] for fix in finding["fixes"]]
    tap.ok(commands[0].startswith("conda install -p /opt/venv -c conda-forge cudatoolkit=11.8 cudnn=8.9")
           and any("pip install nvidia-cuda-runtime-cu11" in command for command in commands),
           "in an environment of conda its packages come first", commands)

    os.makedirs(os.path.join(world.root, "opt/link"))
    os.symlink("/nowhere", os.path.join(world.root, "opt/link/libcudart.so.11.0"))
    link = ["tensorflow", "--env", "LD_LIBRARY_PATH=/opt/link"]
    finding = findings(world.ask(*link), "CUD101", "libcudart.so.11.0")[0]
    tap.ok("/opt/link/libcudart.so.11.0 is a symbolic link that leads to no file" in finding["message"],
           "a link that leads nowhere is called that",
           [finding["message"]])
    tap.ok("a symbolic link that leads to no file" in " ".join(world.tell(*link).split("Searched for")[1].split()),
           "... in the table of the search too", [])

    world = make()
    world.tensorflow()
    world.cudart("opt/cuda-12/lib64", "libcudart.so.12", 12080)
    world.cudart("opt/cuda-11/lib64", "libcudart.so.11.0", 11080)
    answer = world.ask("tensorflow", "--env", "LD_LIBRARY_PATH=/opt/cuda-12/lib64:/opt/cuda-11/lib64")
    asked = edge(answer, "libcudart.so.11.0")
    tap.ok(asked and asked["status"] == "loaded" and asked["rule"] == "ld-library-path",
           "two toolkits, the wrong one first: the search goes on to the right one", [asked])

    hard = make()
    hard.cudart("stage", "libcudart.so.11.0", 11080)
    hard.text(f"{SITE}/cupy/__init__.py", "from cupy import core\n")
    hard.library(f"{SITE}/cupy/core.so", versioned=False, needs=["stage/libcudart.so.11.0"],
                 code="int cudaMalloc(void **, unsigned long); void *PyInit_core(void) { return (void "
                      "*)(long)cudaMalloc(0, 0); }\n")
    real = os.path.join(hard.root, "stage/libcudart.so.11.0")
    shutil.move(real, real + ".kept")
    answer = hard.ask("cupy")
    tap.ok(answer["verdict"] == "fails" and findings(answer, "CUD101", "libcudart.so.11.0")[0]["level"] == "error",
           "an extension module that needs it: a hard miss is an error", [words(answer["findings"])])

    for name, damage, code in (("an aarch64 copy", "machine", "CUD103"), ("a truncated copy", "cut", "CUD112"),
                               ("a dangling symlink", "link", "CUD101")):
        place = hard.path("broken/libcudart.so.11.0")
        if os.path.lexists(place):
            os.unlink(place)
        if damage == "link":
            os.symlink("/nowhere/libcudart.so.11.0", place)
        else:
            with open(real + ".kept", "rb") as source, open(place, "wb") as out:
                data = bytearray(source.read())
                data[18:20] = b"\xb7\x00" if damage == "machine" else data[18:20]
                out.write(data[:40] if damage == "cut" else data)
        answer = hard.ask("cupy", "--env", "LD_LIBRARY_PATH=/broken")
        found = findings(answer, code, "libcudart.so.11.0")
        tap.ok(bool(found) and "broken" in words(edge(answer, "libcudart.so.11.0")["tried"]),
               f"{name} first in the search: {code}",
               [words(answer["findings"])])
        fix = next(fix for fix in found[0]["fixes"] if "pip install" in fix["command"])
        first = "nvidia/cuda_runtime/lib${LD_LIBRARY_PATH"
        tap.ok("mv " not in fix["command"] and (damage != "cut" or first in fix["command"]),
               f"{name}: nothing is moved, and the search ends before it", [fix])


def not_a_cuda_package(tap, make):
    """Story 3: spaCy trains although libcudart.so.11.0 is missing."""
    def spacy(world):
        world.text(f"{SITE}/spacy/__init__.py", "from thinc.api import prefer_gpu\n")
        world.text(f"{SITE}/thinc/__init__.py", "")
        world.text(f"{SITE}/thinc/api.py", "from .compat import has_cupy\ndef prefer_gpu(): pass\n")
        world.text(f"{SITE}/thinc/compat.py", "try:\n    import cupy\nexcept ImportError:\n    cupy = None\n"
                                              "try:\n    import tensorflow\nexcept ImportError:\n    tensorflow = "
                                              "None\nhas_cupy = cupy is not None\n")
        world.library(f"{SITE}/spacy/vocab.so", versioned=False, code="void *PyInit_vocab(void) { return 0; }\n")
        world.text(f"{SITE}/spacy/__init__.py", "from thinc.api import prefer_gpu\nfrom spacy import vocab\n")
        world.distribution("spacy", "3.5.4", ["spacy/__init__.py", "spacy/vocab.so"],
                           "Provides-Extra: cuda11x\nRequires-Dist: cupy-cuda11x ; extra == 'cuda11x'\n")
        world.distribution("thinc", "8.1.12", ["thinc/__init__.py"])

    world = make()
    spacy(world)
    world.tensorflow()
    answer = world.ask("spacy")
    found = findings(answer, "CUD403")
    told = words(found)
    tap.ok(answer["verdict"] == "cpu-only" and found and answer["findings"][0]["code"] == "CUD403",
           "spaCy with TensorFlow: the first thing said is whose message it is",
           [words(answer["findings"])])
    tap.ok("spacy 3.5.4: none" in told, "spaCy's own modules ask for no CUDA library", [told])
    tap.ok("tensorflow 2.6.0: libcudart.so.11.0" in told and "soft" in told, "TensorFlow does, softly", [told])
    tap.ok("thinc/compat.py" in told, "why TensorFlow is imported", [told])
    tap.ok("cupy: not installed" in told and "spacy[cuda11x]" in told and "spacy.require_gpu()" in told,
           "what the GPU would take", [told])
    tap.ok("still has no cupy" in words(found[0]["does_not_help"]) if found else False, "what does not help", [told])
    tap.ok(all(each["level"] != "error" for each in answer["findings"]), "a soft miss is never called an error",
           [words(answer["findings"])])

    world = make()
    spacy(world)
    answer = world.ask("spacy")
    found = findings(answer, "CUD403")
    tap.ok(answer["verdict"] == "loads" and found and found[0]["level"] == "note" and "cupy" in found[0]["message"],
           "spaCy alone: it loads; a note on how it would use the GPU", [answer["verdict"], words(found)])

    world = make()
    spacy(world)
    world.text(f"{SITE}/cupy/__init__.py", "")
    tap.ok(not findings(world.ask("spacy"), "CUD403"), "spaCy with CuPy: nothing to say", [])

    world.text(f"{SITE}/cupy/__init__.py", "from cupy import core\n")
    world.cudart("stage", "libcudart.so.11.0", 11080)
    world.library(f"{SITE}/cupy/core.so", versioned=False, needs=["stage/libcudart.so.11.0"],
                  code="int cudaMalloc(void **, unsigned long); void *PyInit_core(void) { return (void "
                       "*)(long)cudaMalloc(0, 0); }\n")
    shutil.rmtree(os.path.join(world.root, "stage"))
    answer = world.ask("spacy")
    found = findings(answer, "CUD403")
    told = words(found)
    tap.ok(answer["verdict"] == "cpu-only" and found
           and "cupy, through which it would use the GPU, does not load without libcudart.so.11.0" in told,
           "spaCy with a CuPy that misses CUDA: the GPU is lost", [answer["verdict"], told])
    tap.ok("libcudart.so.11.0 (hard)" in told and "`import cupy` raises ImportError" in told
           and "spacy.require_gpu()" in told,
           "hard for CuPy, soft for spaCy", [told])
    after = world.ask("spacy", *world.apply(found[0]["fixes"][0]))
    tap.ok(after["verdict"] == "loads" and not findings(after, "CUD403"), "after the fix there is nothing to say",
           [words(after["findings"])])


def wrong_cudnn(tap, make):
    """Story 4: cuDNN is there, but it is another one, or parts of two."""
    def provider(world, needs):
        world.text(f"{SITE}/onnxruntime/__init__.py", "from onnxruntime.capi import _pybind_state\n")
        world.text(f"{SITE}/onnxruntime/capi/__init__.py", "")
        world.text(f"{SITE}/onnxruntime/capi/_pybind_state.py", "")
        world.library(f"{SITE}/onnxruntime/capi/libonnxruntime_providers_cuda.so", versioned=False, needs=needs,
                      runpath="/usr/local/cuda-11.8/lib:",
                      code="int cudnnCreate(void **); int cudnnConvolutionForward(void);\n"
                           "int f(void) { return cudnnCreate(0) + cudnnConvolutionForward(); }\n")
        world.distribution("onnxruntime_gpu", "1.18.1",
                           ["onnxruntime/__init__.py", "onnxruntime/capi/libonnxruntime_providers_cuda.so"])

    world = make()
    world.cudnn("stage", 8, 8906, PARTS_8)
    provider(world, ["stage/libcudnn.so.8"])
    shutil.rmtree(os.path.join(world.root, "stage"))
    world.cudnn(f"{SITE}/nvidia/cudnn/lib", 9, 91002, ["graph", "ops"])
    answer = world.ask("onnxruntime")
    found = findings(answer, "CUD102", "libcudnn.so.8")
    told = words(found)
    tap.ok(answer["verdict"] == "cpu-only" and found, "only cuDNN 9: another ABI, and the GPU is lost",
           [words(answer["findings"])])
    tap.ok("is cuDNN 9" in told, "it says what the file is, from its bytes", [told])
    tap.ok("of the 2 functions needed from libcudnn.so.8, libcudnn.so.9 has 2 by name, and 0 in version "
           "libcudnn.so.8" in told,
           "it compares function by function", [told])
    tap.ok(never_links(answer), "no fix links one to the other", [told])
    after = world.ask("onnxruntime", *world.apply(found[0]["fixes"][0]))
    tap.ok(after["verdict"] == "loads", "after the first fix the provider loads", [words(after["findings"])])
    on_use = [thing["path"] for thing in after["objects"] if thing.get("mapped") is False]
    tap.ok(len(on_use) == 1 + 1 + len(PARTS_8) and len(after["objects"]) == 1 + len(on_use),
           "the provider, cuDNN and its parts are opened on use: none of them is mapped now", [words(after["objects"])])

    world = make()
    world.cudnn(f"{SITE}/nvidia/cudnn/lib", 8, 8906, PARTS_8, without=("ops_infer",))
    provider(world, [f"{SITE}/nvidia/cudnn/lib/libcudnn.so.8"])
    library_path = ["--env", f"LD_LIBRARY_PATH=/{SITE}/nvidia/cudnn/lib"]
    answer = world.ask("onnxruntime", *library_path)
    found = findings(answer, subject="libcudnn_ops_infer.so.8")
    tap.ok(found and "Could not load library libcudnn_ops_infer.so.8" in words(found),
           "libcudnn.so.8 is found, a part of it is not: said before it happens",
           [words(answer["findings"])])

    world = make()
    world.cudnn(f"{SITE}/nvidia/cudnn/lib", 8, 8906, PARTS_8, without=("cnn_infer",))
    world.cudnn("opt/cudnn-8.5/lib", 8, 8500, PARTS_8)
    provider(world, [f"{SITE}/nvidia/cudnn/lib/libcudnn.so.8"])
    answer = world.ask("onnxruntime", "--env", f"LD_LIBRARY_PATH=/{SITE}/nvidia/cudnn/lib:/opt/cudnn-8.5/lib")
    found = findings(answer, "CUD306")
    told = words(found)
    tap.ok(found and "8.5.0" in told and "8.9.6" in told and "/opt/cudnn-8.5/lib" in told
           and "nvidia/cudnn/lib" in told,
           "parts of two releases: which, and from which folders", [words(answer["findings"])])
    options = world.apply(found[0]["fixes"][0])
    after = world.ask("onnxruntime", options[0], f"{options[1]}:/{SITE}/nvidia/cudnn/lib")
    tap.ok(options[1] == "LD_LIBRARY_PATH=/opt/cudnn-8.5/lib" and not findings(after, "CUD306"),
           "after the fix they are of one", [words(after["findings"])])

    world = make()
    newer = "long cudnnGetMaxDeviceVersion(void) { return 0; }\n"
    world.library("linked/libcudnn.so.8", code=newer)
    world.cudnn("opt/cudnn/lib", 8, 8500, PARTS_8)
    subprocess.run(["cc", "-x", "c", "-", "-x", "none", "-o", world.path("opt/program"),
                    world.path("linked/libcudnn.so.8"), "-Wl,-z,now", "-nostdlib",
                    "-Wl,-e,main", "-Wl,-rpath,/opt/cudnn/lib"],
                    input=f"{newer.split('{')[0]}; int main(void) {{ return cudnnGetMaxDeviceVersion(); }}".encode(),
                    check=True)
    answer = world.ask("/opt/program")
    found = findings(answer, "CUD201")
    tap.ok(answer["verdict"] == "fails" and found and "libcudnn.so.8 here is cuDNN 8.5.0: cudnnGetMaxDeviceVersion is "
                                                      "first seen in 8.6.0" in found[0]["message"],
           "a function of a newer cuDNN: which release first had it, which one is there", [words(answer["findings"])])


def torch_with_cudnn(world, release, cuda, runtime):
    """A PyTorch 2.9.1 whose extension module needs a runtime and cuDNN 9."""
    world.cudnn(f"{SITE}/nvidia/cudnn/lib", 9, release, PARTS_9, cuda=cuda)
    soname = "libcudart.so.12" if runtime == 12080 else "libcudart.so.11.0"
    world.cudart(f"{SITE}/nvidia/cuda_runtime/lib", soname, runtime)
    world.text(f"{SITE}/torch/__init__.py", "from torch import _C\n")
    world.library(f"{SITE}/torch/_C.so", versioned=False,
                  rpath="$ORIGIN/../nvidia/cuda_runtime/lib:$ORIGIN/../nvidia/cudnn/lib",
                  needs=[f"{SITE}/nvidia/cuda_runtime/lib/{soname}", f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9"],
                  code="int cudaMalloc(void **, unsigned long); int cudnnCreate(void **);\n"
                       "void *PyInit__C(void) { return (void *)(long)(cudaMalloc(0, 0) + cudnnCreate(0)); }\n")
    world.distribution("torch", "2.9.1", ["torch/__init__.py", "torch/_C.so"])
    return world.ask("torch")


def old_cudnn(tap, make):
    """cuDNN of the right major, but older than what the program was built with, or for another CUDA."""
    right = torch_with_cudnn(make(), 91002, 12090, 12080)
    tap.ok(right["verdict"] == "loads" and not findings(right, "CUD304") and not findings(right, "CUD305"),
           "the cuDNN that it was built with: nothing to say",
           [words(right["findings"])])
    old = torch_with_cudnn(make(), 90100, 12040, 12080)
    told = words(findings(old, "CUD304"))
    tap.ok(old["verdict"] == "risk" and "9.1.0" in told and "9.10.2" in told,
           "an older one: which, and which is wanted", [old["verdict"], words(old["findings"])])
    tap.ok("answers 90100" in told, "known from the file's own code", [told])
    other = torch_with_cudnn(make(), 91002, 12090, 11080)
    told = words(findings(other, "CUD305"))
    tap.ok("built for CUDA 12.9" in told and "CUDA 11" in told, "one for another CUDA than the process has",
           [words(other["findings"])])


def other_major(tap, make):
    """A library whose name several majors of CUDA share comes from another one."""
    for release, expected in ((10400, True), (10300, False)):
        world = make()
        world.tensorflow()
        for library in CUDA_11:
            if library != "libcurand.so.10":
                world.library(f"opt/cuda/lib64/{library}")
        world.library("opt/cuda/lib64/libcurand.so.10",
                      code=f"int curandGetVersion(int *v) {{ *v = {release}; return 0; }}\n"
                      "int curandGenerate(void) { return 0; }\nint curandCreateGenerator(void) { return 0; }\n")
        answer = world.ask("tensorflow", "--env", "LD_LIBRARY_PATH=/opt/cuda/lib64")
        found = findings(answer, "CUD302", "libcurand.so.10")
        tap.ok(bool(found) == expected and (not found or "CUDA 13" in words(found)),
               f"cuRAND {release // 1000}.{release // 100 % 10} for a build for CUDA 11: "
               f"{'of CUDA 13' if expected else 'the right one'}", [words(answer["findings"])])


def two_runtimes(tap, make):
    """Story 5: PyTorch for one CUDA and an extension for another in one process."""
    world = make()
    torch = f"{SITE}/torch/lib"
    world.cudart(torch, "libcudart.so.10.2", 10020, file="libcudart-80664282.so.10.2")
    world.cudart(f"{SITE}/nvidia/cuda_runtime/lib", "libcudart.so.11.0", 11010)
    world.text(f"{SITE}/torch/__init__.py",
               "import os, ctypes\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'lib', 'libc10_cuda.so'))\n")
    uses = "int cudaMalloc(void **, unsigned long); int cudaLaunchKernel(void);\n"
    world.library(f"{torch}/libc10_cuda.so", versioned=False, runpath="$ORIGIN",
                  needs=[f"{torch}/libcudart-80664282.so.10.2"],
                  code=uses + "int current_device(void) { return cudaMalloc(0, 0) + cudaLaunchKernel(); }\n")
    # patchelf renames what DT_NEEDED says, and the soname stays: so does auditwheel.
    renamed = os.path.join(world.root, torch, "libc10_cuda.so")
    with open(renamed, "rb") as file:
        tap.ok(b"libcudart.so.10.2" in file.read(), "the stage: libc10_cuda.so wants libcudart.so.10.2", [])
    os.symlink("libcudart-80664282.so.10.2", os.path.join(world.root, torch, "libcudart.so.10.2"))
    world.text(f"{SITE}/torch_sparse/__init__.py",
               "import torch, os, ctypes\nctypes.CDLL(os.path.join(os.path.dirname(__file__), '_version_cuda.so'))\n")
    world.library(f"{SITE}/torch_sparse/_version_cuda.so", versioned=False,
                  runpath="$ORIGIN/../torch/lib:$ORIGIN/../nvidia/cuda_runtime/lib",
                  needs=[f"{torch}/libc10_cuda.so", f"{SITE}/nvidia/cuda_runtime/lib/libcudart.so.11.0"],
                  code=uses + "int version(void) { return cudaMalloc(0, 0) + cudaLaunchKernel(); }\n")
    world.distribution("torch", "1.10.2",
                       ["torch/__init__.py", "torch/lib/libc10_cuda.so", "torch/lib/libcudart-80664282.so.10.2"])
    world.distribution("torch_sparse", "0.6.12", ["torch_sparse/__init__.py", "torch_sparse/_version_cuda.so"])
    answer = world.ask("torch_sparse", "--driver", "470.82.01")
    found = findings(answer, "CUD303")
    told = words(found)
    tap.ok(found and found[0]["level"] == "note" and "kept apart" in found[0]["message"],
           "both runtimes are loaded, and kept apart", [words(answer["findings"])])
    tap.ok("10.2" in told and "11.1" in told and "libcudart-80664282.so.10.2" in told
           and "/nvidia/cuda_runtime/lib/libcudart.so.11.0" in told,
           "as which files", [told])
    tap.ok("used by libc10_cuda.so" in told and "used by _version_cuda.so" in told, "who uses which", [told])
    tap.ok("symbols cannot cross" in told, "whether symbols can cross", [told])
    tap.ok("primary context" in told and "last error" in told, "what is shared and what is not", [told])
    tap.ok("450.80.02 or newer serves both" in told, "the driver that serves both", [told])
    other = findings(answer, "CUD308")
    tap.ok(other and "torch_sparse 0.6.12 is built for CUDA 11" in other[0]["message"]
           and "CUDA 10.2" in other[0]["message"],
           "the extension is built for another CUDA than torch", [words(answer["findings"])])
    tap.ok("LD_LIBRARY_PATH" in words([each["does_not_help"] for each in other]), "and what does not help",
           [words(other)])
    text = world.tell("torch_sparse", "--driver", "470.82.01")
    tap.ok("not shared" in text and text.startswith("RISK"), "the text says so as well", [text])

    world.cudart("opt/cuda/lib64", "libcudart.so.10.2", 10020)
    world.text(f"{SITE}/other/__init__.py",
               "import torch, os, ctypes\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'c.so'))\n")
    world.library(f"{SITE}/other/c.so", versioned=False, needs=["opt/cuda/lib64/libcudart.so.10.2"],
                  rpath="/opt/cuda/lib64", code=uses)
    found = findings(world.ask("other"), "CUD109", "libcudart.so.10.2")
    tap.ok(found and "c.so gets the libcudart.so.10.2 that was loaded first" in found[0]["message"]
           and "alone it would be: /opt/cuda/lib64/libcudart.so.10.2, CUDA runtime 10.2" in words(found),
           "one soname, two files: the first wins, and over whom", [words(found)])

    old = world.ask("torch_sparse", "--driver", "440.33")
    tap.ok(old["verdict"] == "cpu-only" and findings(old, "CUD301"), "a driver that is too old for one of them: no GPU",
           [words(findings(old))])

    # Without versions the first definition in the scope answers.
    world.library(f"{SITE}/torch_sparse/libcudart.so.11.0",
                  code="int cudaMalloc(void **p, unsigned long n) { return p != 0 && n == 0; }\n"
                  "int cudaLaunchKernel(void) { return 0; }\n", versioned=False)
    world.library(f"{SITE}/torch_sparse/_version_cuda.so", versioned=False,
                  runpath="$ORIGIN/../torch/lib:$ORIGIN/../nvidia/cuda_runtime/lib",
                  needs=[f"{torch}/libc10_cuda.so", f"{SITE}/torch_sparse/libcudart.so.11.0"],
                  code=uses + "int version(void) { return cudaMalloc(0, 0) + cudaLaunchKernel(); }\n")
    os.unlink(os.path.join(world.root, SITE, "torch_sparse/libcudart.so.11.0"))
    answer = world.ask("torch_sparse")
    found = findings(answer, "CUD303")
    tap.ok(found and found[0]["level"] == "note" and "could" in words(found),
           "an extension without versions: its own runtime comes first in its scope",
           [words(answer["findings"])])
    world.text(f"{SITE}/torch/__init__.py",
               "import os, ctypes\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'lib', 'libc10_cuda.so'), "
                                            "mode=ctypes.RTLD_GLOBAL)\n")
    answer = world.ask("torch_sparse")
    found = findings(answer, "CUD303")
    tap.ok(found and found[0]["level"] == "warning" and "symbols cross" in words(found),
           "... and with torch's runtime in the global scope its calls end in that one",
           [words(answer["findings"])])


def linked_runtime(tap, make):
    """Story 5 again: the extension has its CUDA runtime linked in, as nvcc does it by default."""
    world = make()
    torch = f"{SITE}/torch/lib"
    world.cudart(torch, "libcudart.so.12", 12080)
    world.library(f"{torch}/libc10_cuda.so", versioned=False, runpath="$ORIGIN", needs=[f"{torch}/libcudart.so.12"])
    world.text(f"{SITE}/torch/__init__.py",
               "import os, ctypes\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'lib', 'libc10_cuda.so'))\n")
    world.text(f"{SITE}/extension/__init__.py",
               "import torch, os, ctypes\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'libextension.so'))\n")

    def extension(release, name="extension/libextension.so"):
        world.library(f"{SITE}/{name}", versioned=False, runpath="$ORIGIN/../torch/lib:$ORIGIN",
                      needs=[f"{torch}/libc10_cuda.so"],
                      code='__attribute__((section(".nv_fatbin"))) const long fatbin = 1;\n'
                           'const char *error(void) { return "CUDA driver version is insufficient for CUDA runtime '
                           'version"; }\n'
                           '__asm__(".text\\nversion: test %rdi, %rdi; je 1f; movl $'
                           + str(release) + ', (%rdi); 1: xor %eax, %eax; ret");\n')

    extension(11080)
    world.distribution("torch", "2.9.1", ["torch/__init__.py", "torch/lib/libc10_cuda.so", "torch/lib/libcudart.so.12"])
    world.distribution("extension", "1.0", ["extension/__init__.py", "extension/libextension.so"])
    answer = world.ask("extension", "--driver", "535.104.05")
    found = findings(answer, "CUD303")
    told = words(found)
    tap.ok(found and found[0]["level"] == "note" and "CUDA runtime 12.8" in told
           and "CUDA runtime 11.8 inside libextension.so" in told,
           "a runtime that is linked into an extension is the second one", [words(answer["findings"])])
    tap.ok("used by it alone" in told and "stay within that file" in told and "525.60.13 or newer serves both" in told,
           "who uses it, that symbols cannot cross, the driver for both", [told])
    other = findings(answer, "CUD308")
    tap.ok(other and "extension 1.0 is built for CUDA 11.8, and torch 2.9.1, which it extends, for CUDA 12.8"
           in other[0]["message"],
           "built for another CUDA than torch", [words(answer["findings"])])
    answer = world.ask(f"/{SITE}/extension/libextension.so", "--driver", "440.33")
    tap.ok(findings(answer, "CUD301") and answer["verdict"] == "cpu-only",
           "a driver too old for the runtime inside", [words(answer["findings"])])
    # One that its own maker put beside the others, of the same release, is nothing to tell.
    extension(12080, "torch/lib/libtorch_nvshmem.so")
    world.distribution("torch", "2.9.1",
                       ["torch/__init__.py", "torch/lib/libc10_cuda.so", "torch/lib/libcudart.so.12",
                        "torch/lib/libtorch_nvshmem.so"])
    world.text(f"{SITE}/torch/__init__.py", "import os, ctypes\nctypes.CDLL(os.path.join(os.path.dirname(__file__), "
                                            "'lib', 'libtorch_nvshmem.so'))\n")
    answer = world.ask("py:torch")
    tap.ok(answer["verdict"] == "loads" and not findings(answer, "CUD303"),
           "of one release in one package: nothing to tell", [words(answer["findings"])])
    tap.ok(any(each.get("cuda") and each["cuda"]["static"] for each in answer["objects"]), "... though it is seen", [])


def driver_stub(tap, make):
    """The toolkit's stub stands where the driver should be found."""
    world = make()
    stub = "int cuInit(unsigned flags) { return 34; }\nint cuDriverGetVersion(int *version) { return 34; }\n"
    world.library("opt/stubs/libcuda.so", "libcuda.so.1", stub, versioned=False)
    os.symlink("libcuda.so", os.path.join(world.root, "opt/stubs/libcuda.so.1"))
    world.library("opt/app/libneeds.so", versioned=False, needs=["opt/stubs/libcuda.so"],
                  code="int cuInit(unsigned); int f(void) { return cuInit(0); }\n")
    world.library("opt/app/libopens.so", versioned=False,
                  code='void *dlopen(const char *, int);\nvoid *f(void) { return dlopen("libcuda.so.1", 2); }\n')
    for name, how in (("libneeds.so", "needed"), ("libopens.so", "opened by a constant name")):
        answer = world.ask(f"/opt/app/{name}", "--env", "LD_LIBRARY_PATH=/opt/stubs")
        found = findings(answer, "CUD309")
        tap.ok(answer["verdict"] == "cpu-only" and found and found[0]["level"] == "warning"
               and "answer 34" in words(found),
               f"{how}: known by its code, and only the GPU is lost", [answer["verdict"], words(answer["findings"])])
        answer = world.ask(f"/opt/app/{name}", "--env", "LD_LIBRARY_PATH=/opt/stubs", "--require-gpu")
        tap.ok(answer["verdict"] == "fails", f"{how}: a failure where a GPU is required", [answer["verdict"]])
    world.library("opt/driver/libcuda.so.1", code=stub.replace("34", "0"), versioned=False)
    answer = world.ask("/opt/app/libneeds.so", "--env", "LD_LIBRARY_PATH=/opt/driver:/opt/stubs")
    tap.ok(answer["verdict"] == "loads" and not findings(answer, "CUD309"),
           "behind a driver that works it is nothing to tell",
           [words(answer["findings"])])


def healthy(tap, make):
    """The everyday one: everything is there."""
    world = make()
    world.cudart(f"{SITE}/nvidia/cuda_runtime/lib", "libcudart.so.12", 12080)
    world.text(f"{SITE}/torch/__init__.py", "from torch import _C\n")
    world.library(f"{SITE}/torch/_C.so", versioned=False, rpath="$ORIGIN/../nvidia/cuda_runtime/lib",
                  needs=[f"{SITE}/nvidia/cuda_runtime/lib/libcudart.so.12"],
                  code="int cudaMalloc(void **, unsigned long); void *PyInit__C(void) { return (void "
                       "*)(long)cudaMalloc(0, 0); }\n")
    world.distribution("torch", "2.9.1", ["torch/__init__.py", "torch/_C.so"])
    answer = world.ask("torch")
    text = world.tell("torch")
    tap.ok(answer["verdict"] == "loads" and not [each for each in answer["findings"] if each["level"] != "note"],
           "a healthy one loads, without a warning",
           [words(answer["findings"])])
    tap.ok("CUDA 12.8" in text.split("\n")[0] and "driver 525.60.13 or newer" in text.split("\n")[0],
           "its first line names the CUDA and the driver", [text])
    tap.ok(len(text.split("\n")) < 12, "and it is short", [text])


def one_screen(tap, make):
    """One missing library takes 12 lines of 80 columns, three take 20, and the fix is among the first twelve."""
    for needs, most in (({"libcudart.so.11.0": "cuda_runtime"}, 12),
                        ({"libcudart.so.11.0": "cuda_runtime", "libcublas.so.11": "cublas", "libfoo.so.1": ""}, 20)):
        world = make()
        for name in needs:
            world.library(f"stage/{name}")
        world.library("opt/app/libapp.so", versioned=False, needs=[f"stage/{name}" for name in needs])
        shutil.rmtree(os.path.join(world.root, "stage"))
        text = world.tell("--width", "80", "/opt/app/libapp.so")
        rows = [line[i : i + 80] for line in text.splitlines() for i in range(0, max(len(line), 1), 80)]
        install = next((number for number, row in enumerate(rows, 1) if "pip install" in row), most)
        # The command that asks for more repeats --sysroot and --prefix, which a user's own question does not have.
        told = len(rows) - (1 if "--sysroot" in rows[-1] or "--sysroot" in rows[-2] else 0)
        tap.ok(told <= most, f"{len(needs)} missing: at most {most} lines of 80 columns", rows)
        tap.ok(install <= 12, f"{len(needs)} missing: the fix is at line {install}", rows)


def constant_name(tap, make):
    """A program that hands the constant "libcudart.so.11.0" to dlopen: nothing but its bytes says so."""
    world = make()
    world.library("lib64/libc.so.6", versioned=False,
                  code="void *dlopen(const char *n, int f) { return n && f ? (void *)n : 0; }\n")
    world.text(f"{SITE}/tool/__init__.py", "from tool import core\n")
    place = world.library(f"{SITE}/tool/core.so", versioned=False, runpath="$ORIGIN/../nvidia/cuda_runtime/lib",
                          needs=["lib64/libc.so.6"],
                          code='void *dlopen(const char *, int);\nvoid *PyInit_core(void) { return '
                               'dlopen("libcudart.so.11.0", 1); }\n')
    with open(place, "rb") as file:
        offset = file.read().index(b"libcudart.so.11.0\0")

    def likely(answer):
        return [each for thing in answer["objects"] for each in thing.get("may_open", [])
                if each["name"] == "libcudart.so.11.0"]

    answer = world.ask("tool")
    told = likely(answer)
    tap.ok(len(told) == 1 and told[0]["status"] == "missing" and told[0]["offset"] == offset
           and told[0]["calls"] == "dlopen",
           "it is told as what it may open, with its place", [told, offset])
    found = findings(answer, subject="libcudart.so.11.0")
    tap.ok(answer["verdict"] == "loads" and [(each["code"], each["level"]) for each in found] == [("CUD401", "note")],
           "a miss is a note: likely is not needed", [answer["verdict"], words(answer["findings"])])
    tap.ok(f"at offset {offset:#x} of core.so, which calls dlopen" in words(found)
           and "nvidia-cuda-runtime-cu11" in words(found),
           "the note says how it is known, and which package provides it", [words(found)])
    tap.ok(edge(answer, "libcudart.so.11.0") is None, "it is not one of the requests that are sure",
           [words(answer["objects"])])
    story = world.tell("-l", "libcudart.so.11.0", "tool")
    tap.ok("may open it" in story and f"text at {offset:#x}, calls dlopen" in story and "DT_RUNPATH" in story,
           "its story has the search", [story])
    off = world.ask("--constants", "none", "tool")
    tap.ok(not likely(off) and not findings(off, "CUD401"), "--constants none leaves that out",
           [words(off["findings"])])

    world.wheel("nvidia-cuda-runtime-cu11")
    answer = world.ask("tool")
    told = likely(answer)
    tap.ok(told and told[0]["status"] == "not-loaded" and told[0]["rule"] == "runpath"
           and not findings(answer, "CUD401"),
           "with the package it would be found, by the RUNPATH of the file that asks",
           [told, words(answer["findings"])])
    tap.ok(all("libcudart" not in thing["path"] for thing in answer["objects"]), "what it would load is not mapped",
           [words(answer["objects"])])


def main():
    cudald = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="cudald-stories-") as scratch:
        def make():
            return World(cudald, scratch)
        for story in (missing_runtime, not_a_cuda_package, wrong_cudnn, old_cudnn, other_major, two_runtimes,
                      linked_runtime, driver_stub, one_screen, constant_name, healthy):
            tap.comment(story.__doc__)
            story(tap, make)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
