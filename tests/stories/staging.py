"""A root file system (--sysroot) of its own for a story told from real wheels, so that nothing of this machine counts
but its C library and the compiler's runtime, which are copied in.

Wheels are linked in, and are installed virtually by cudald (--with) or in part by unpack().
"""

import fnmatch
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from pinned import CACHE, WHEELS, fetch_wheels, pinned_names  # noqa: E402

SYSTEM = "usr/lib/x86_64-linux-gnu"
SYSTEM_LIBRARIES = ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1",
                    "libgcc_s.so.1", "libstdc++.so.6",
                    "libz.so.1"]
# What pip installs for the words of a fix.
PIP = {
    "nvidia-cuda-runtime-cu11": "nvidia_cuda_runtime_cu11-11.8.89-py3-none-manylinux2014_x86_64.whl",
    "nvidia-cublas-cu11": "nvidia_cublas_cu11-11.11.3.6-py3-none-manylinux2014_x86_64.whl",
    "nvidia-cufft-cu11": "nvidia_cufft_cu11-10.9.0.58-py3-none-manylinux2014_x86_64.whl",
    "nvidia-curand-cu11": "nvidia_curand_cu11-10.3.0.86-py3-none-manylinux2014_x86_64.whl",
    "nvidia-cusolver-cu11": "nvidia_cusolver_cu11-11.4.1.48-py3-none-manylinux2014_x86_64.whl",
    "nvidia-cusparse-cu11": "nvidia_cusparse_cu11-11.7.5.86-py3-none-manylinux2014_x86_64.whl",
    "nvidia-cudnn-cu11==8.9.6.50": "nvidia_cudnn_cu11-8.9.6.50-py3-none-manylinux1_x86_64.whl",
}
# NVIDIA's files are the same in every package: what conda's would put into PREFIX/lib is taken from the wheels.
CONDA = {
    "cudatoolkit=11.8": [PIP[name]
                         for name in ("nvidia-cuda-runtime-cu11", "nvidia-cublas-cu11", "nvidia-cufft-cu11",
                                      "nvidia-curand-cu11",
                                                "nvidia-cusolver-cu11", "nvidia-cusparse-cu11")],
    "cudnn=8.9": [PIP["nvidia-cudnn-cu11==8.9.6.50"]],
}
CUDA_11 = sorted(PIP.values())
# The machine has one: without a driver there is no GPU to be used, whatever else is missing.
DRIVER = ["--driver", "580.65.06"]
# Where a wheel of --with is taken to be installed.
SITE = "/.wheels/lib/python3/site-packages"


def wheels_or_bail_out(tap, names, pins="pins-stories.txt"):
    """Ends the script, visibly, where the stories cannot be staged."""
    if platform.machine() != "x86_64" or not os.path.exists(library_of_system("libc.so.6")):
        tap.skip("stories from real wheels", "not run: staged with the libraries of an x86-64 Linux with glibc")
        sys.exit(tap.finish())
    if reason := fetch_wheels(names, pins=pins):
        tap.bail_out(reason)


def library_of_system(name):
    done = subprocess.run(["cc", "-print-file-name=" + name], check=True, capture_output=True, text=True)
    return os.path.realpath(done.stdout.strip())


def scratch_folder():
    """Beside the wheels, so that they can be linked into it."""
    os.makedirs(CACHE, exist_ok=True)
    return tempfile.TemporaryDirectory(prefix="stage-", dir=CACHE)


def python_packages():
    """spaCy 3.5.4, and what it and TensorFlow 2.6.0 require, for Python 3.9."""
    names = pinned_names(["*-cp39-*", "*-none-any.whl"], "pins-stories.txt")
    return [name for name in names
            if not name.startswith(("tensorflow-2", "torch-", "cupy_", "nvidia_", "onnxruntime"))]


class Stage:
    """The root, and the questions that are asked of it."""

    def __init__(self, cudald, scratch, zlib=True):
        self.cudald = os.path.abspath(cudald)
        self.root = tempfile.mkdtemp(dir=scratch)
        for name in SYSTEM_LIBRARIES if zlib else SYSTEM_LIBRARIES[:-1]:
            shutil.copy(library_of_system(name), self.path(f"/{SYSTEM}/{name}"))
        os.makedirs(os.path.join(self.root, "lib64"))
        shutil.copy(library_of_system("ld-linux-x86-64.so.2"), self.path("/lib64/ld-linux-x86-64.so.2"))
        os.symlink("usr/lib", os.path.join(self.root, "lib"))
        with open(self.path("/etc/debian_version"), "w", encoding="utf-8") as out:
            out.write("12.0\n")

    def path(self, name):
        """Where a file of the root is here; its folder is made."""
        path = os.path.join(self.root, name.lstrip("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def text(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(text)

    def wheel(self, name, folder="/wheels"):
        """The path in the root of a wheel of the cache."""
        here = self.path(f"{folder}/{name}")
        if not os.path.exists(here):
            os.link(os.path.join(WHEELS, name), here)
        return f"{folder}/{name}"

    def pool(self, names):
        """A folder of wheels, from which cudald takes what is required."""
        for name in names:
            self.wheel(name, "/pool")
        return "/pool"

    def unpack(self, name, glob, folder):
        """The members of a wheel that fit, flat in a folder of the root."""
        with zipfile.ZipFile(os.path.join(WHEELS, name)) as archive:
            members = [member for member in archive.namelist() if fnmatch.fnmatchcase(member, glob)]
            if not members:
                raise RuntimeError(f"{name} has no {glob}")
            for member in members:
                with archive.open(member) as source, open(self.path(f"{folder}/{os.path.basename(member)}"),
                                                          "wb") as out:
                    shutil.copyfileobj(source, out, 1 << 20)

    def compile(self, name, code, needs=(), options=(), shared=True):
        """A program or library in the root, linked against libraries of the root."""
        words = ["cc", "-O1", "-x", "c", "-", "-x", "none", "-o", self.path(name), "-Wl,--no-as-needed",
                 "-Wl,--allow-shlib-undefined"]
        words += ["-shared", "-fPIC", "-nostdlib"] if shared else []
        words += [*options, *(self.path(need) for need in needs)]
        subprocess.run(words, input=code.encode(), check=True)

    def conda(self, prefix="/opt/conda/envs/ml", python="3.9"):
        """An environment as conda makes one: its Python finds libraries by DT_RPATH $ORIGIN/../lib."""
        self.text(f"{prefix}/conda-meta/history", "==> 2024-01-01 00:00:00 <==\n")
        self.text(f"{prefix}/conda-meta/python-{python}.19-h955ad1f_1.json",
                  json.dumps({"name": "python", "version": f"{python}.19"}))
        shutil.copy(os.__file__, self.path(f"{prefix}/lib/python{python}/os.py"))
        self.site = f"{prefix}/lib/python{python}/site-packages"
        os.makedirs(self.path(self.site), exist_ok=True)
        self.interpreter = f"{prefix}/bin/python{python}"
        self.taught = set()
        self.make_python()
        os.symlink(f"python{python}", self.path(f"{prefix}/bin/python"))
        return prefix

    def make_python(self):
        """A Python that defines what it was taught, and does nothing."""
        self.compile(self.interpreter,
                     "".join(f"char {name};\n" for name in sorted(self.taught)) + "int main(void) { return 0; }\n",
                     shared=False,
                     options=["-rdynamic", "-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN/../lib", "-lm"])

    def teach_python(self, *words):
        """Python's own functions are taken to be in it: those that extension modules of an answer need. The first that
        lacks one ends the import, so it is asked again until none does."""
        while True:
            missing = {each["name"] for each in self.ask(*words)["symbols"]["missing"]}
            new = {name for name in missing if name.startswith(("Py", "_Py"))} - self.taught
            if not new:
                return
            self.taught |= new
            self.make_python()

    def install(self, *names):
        """What pip install of these wheels of the cache would leave in the environment."""
        for name in names:
            with zipfile.ZipFile(os.path.join(WHEELS, name)) as archive:
                archive.extractall(self.path(self.site))

    def apply(self, fix):
        """Does what a fix says; returns the options that stand for what it installs and sets."""
        options, site = [], SITE
        for line in fix["command"].split("\n"):
            if line.startswith("conda install -p "):
                _, _, _, prefix, _, _, *packages = line.split()
                for wheel in (wheel for package in packages for wheel in CONDA[package]):
                    self.unpack(wheel, "*.so.*", f"{prefix}/lib")
            elif "pip install " in line:
                for package in line.split("pip install ")[1].split():
                    options += [] if package.startswith("--") else ["--with", self.wheel(PIP[package.strip("'")])]
            elif line.startswith("mv "):
                _, old, new = line.split()
                os.rename(self.path(old), self.path(new))
            elif line.startswith("site="):
                site = SITE if "$(" in line else line[5:]
            elif line.startswith(("export LD_LIBRARY_PATH=", "conda env config vars set ")):
                folders = line.split("LD_LIBRARY_PATH=")[1].split("${LD_LIBRARY_PATH")[0].replace("$site", site)
                options += ["--env", f"LD_LIBRARY_PATH={folders}"]
            else:
                raise RuntimeError(f"cannot apply: {line}")
        return options

    def run(self, *words):
        words = [*DRIVER, *words] if "--driver" not in words else words
        return subprocess.run([self.cudald, "explain", "--sysroot", self.root, *words], check=False,
                              capture_output=True, text=True)

    def ask(self, *words):
        done = self.run("-f", "json", *words)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def tell(self, *words):
        return self.run(*words).stdout


def findings(answer, code=None, subject=None):
    return [each for each in answer["findings"] if code in (None, each["code"]) and subject in (None, each["subject"])]


def words(thing):
    return json.dumps(thing, ensure_ascii=False)


def edge(answer, name):
    return next((each for thing in answer["objects"] for each in thing["needed"] if each["name"] == name), None)


def first_lines(text, count=2):
    return " / ".join(text.split("\n")[:count])


def never_links_another_abi(answer):
    """No fix makes a symlink from one CUDA's or cuDNN's name to another's."""
    return not any(re.search(r"\bln -s|\bcp \S*\.so", fix["command"] or "") for each in answer["findings"]
                   for fix in each["fixes"])
