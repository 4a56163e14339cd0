#!/usr/bin/env python3
"""Asks cudald of small wheels that were made to lack something, or to have it in one way or another.

    made_wheels.py CUDALD

Each wheel holds one extension module that needs one library, or a program, or Python code; what differs is what the
wheel requires and where its module looks. Where nothing is required the real installer and the real import are asked as
well: a wheel that is told to fail must fail there, and one that loads must load. Output is TAP.
"""

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from tap import Tap  # noqa: E402

PYTHON = f"cp3{sys.version_info.minor}"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
MODULE = """
extern int wanted(void);
struct method { int unused; };
static long definition[32] = {1};
extern void *PyModule_Create2(void *, int);
void *PyInit__ext(void) { wanted(); return PyModule_Create2(definition, 1013); }
"""
CUDART = ("libcudart.so.12", "cuda_runtime", "nvidia-cuda-runtime-cu12")


class Maker:
    """Makes wheels in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.count = 0

    def gcc(self, *words):
        subprocess.run(["gcc", *words], check=True, cwd=self.folder)

    def library(self, soname, function="wanted"):
        path = os.path.join(self.folder, soname)
        if not os.path.exists(path):
            source = os.path.join(self.folder, "wanted.c")
            with open(source, "w", encoding="utf-8") as text:
                text.write(f"int {function}(void) {{ return 1; }}\n")
            self.gcc("-shared", "-fPIC", source, "-o", path, f"-Wl,-soname,{soname}")
        return path

    def module(self, soname, runpath="", function="wanted"):
        """The bytes of an extension module that needs a library."""
        self.library(soname, function)
        source = os.path.join(self.folder, "module.c")
        with open(source, "w", encoding="utf-8") as text:
            text.write(MODULE.replace("wanted", function))
        path = os.path.join(self.folder, "module.so")
        flags = [f"-Wl,-rpath,{runpath},--enable-new-dtags"] if runpath else []
        self.gcc("-shared", "-fPIC", source, "-o", path, "-L.", f"-l:{soname}", *flags)
        return read(path)

    def program(self, soname):
        self.library(soname)
        source = os.path.join(self.folder, "program.c")
        with open(source, "w", encoding="utf-8") as text:
            text.write("extern int wanted(void); int main(void) { return wanted(); }\n")
        path = os.path.join(self.folder, "program")
        self.gcc(source, "-o", path, "-L.", f"-l:{soname}", "-Wl,--allow-shlib-undefined")
        return read(path)

    def wheel(self, members, requires=(), name="sample", platform="manylinux_2_28_x86_64", python=None):
        """The path of a wheel with these members (name -> bytes or text)."""
        self.count += 1
        tag = f"{python or f'{PYTHON}-{PYTHON}'}-{platform}"
        folder = os.path.join(self.folder, str(self.count))
        os.mkdir(folder)
        path = os.path.join(folder, f"{name.replace('-', '_')}-1.0-{tag}.whl")
        info = f"{name.replace('-', '_')}-1.0.dist-info"
        lines = [f"Requires-Dist: {line}" for line in requires]
        metadata = "\n".join(["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", *lines, ""])
        with zipfile.ZipFile(path, "w") as wheel:
            for member, content in members.items():
                entry = zipfile.ZipInfo(member)
                entry.external_attr = (0o100755 if "scripts/" in member else 0o100644) << 16
                wheel.writestr(entry, content)
            wheel.writestr(f"{info}/METADATA", metadata)
            wheel.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n")
            rows = [f"{member},,\n" for member in [*wheel.namelist(), f"{info}/RECORD"]]
            wheel.writestr(f"{info}/RECORD", "".join(rows))
        return path

    def package(self, soname, requires=(), runpath="", function="wanted", **more):
        """A wheel with one package, whose extension module needs a library."""
        module = self.module(soname, runpath, function)
        members = {"sample/__init__.py": "from . import _ext\n", f"sample/_ext{SUFFIX}": module}
        return self.wheel(members, requires, **more)


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Suite:
    def __init__(self, tap, cudald, maker):
        self.tap, self.cudald, self.make = tap, os.path.abspath(cudald), maker

    def ask(self, *words):
        done = subprocess.run([self.cudald, "-f", "json", *words], check=False, capture_output=True, text=True)
        return json.loads(done.stdout)

    def case(self, name, verdict, *words, finding=None, says=(), world="tag"):
        """`finding`: (code, level, subject) that must be there; none: no error and no warning of CUD501 may be."""
        answer = self.ask(*words)
        found = [(one["code"], one["level"], one["subject"]) for one in answer["findings"]]
        text = json.dumps(answer["findings"])
        wrong = [f"verdict {answer['verdict']}, not {verdict}"] if answer["verdict"] != verdict else []
        if finding is not None and finding not in found:
            wrong.append(f"no {finding}")
        if finding is None and any(one[0] == "CUD501" and one[1] != "note" for one in found):
            wrong.append("CUD501 is told")
        wrong += [f"not said: {part}" for part in says if part not in text]
        if answer["world"]["kind"] != world:
            wrong.append(f"world {answer['world']['kind']}, not {world}")
        self.tap.ok(not wrong, name, [*wrong, *map(repr, found), *[one["message"] for one in answer["findings"]]])

    def real(self, name, wheel, loads):
        """What pip and the import of this machine's Python say."""
        with tempfile.TemporaryDirectory() as site:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site]
            installed = subprocess.run([*pip, wheel], check=False, capture_output=True, text=True)
            if installed.returncode != 0:
                self.tap.skip(name, "not run: pip does not install here: " + installed.stderr.strip()[-120:])
                return
            python = [sys.executable, "-c", "import sample"]
            environment = {"PATH": os.environ["PATH"], "PYTHONPATH": site}
            done = subprocess.run(python, check=False, capture_output=True, text=True, env=environment)
            last = done.stderr.strip().splitlines()[-1:] or ["imported"]
            refused = "cannot open shared object file" in last[0] or "No module named" in last[0]
            self.tap.ok(refused != loads, f"{name}: the real import says {last[0]}")


def undeclared(suite):
    make = suite.make
    library, folder, distribution = CUDART
    runpath = f"$ORIGIN/../nvidia/{folder}/lib"
    nowhere = "libcudald-nowhere.so.7"
    alone = make.package(nowhere)
    suite.case("a library that nothing brings", "fails", alone, finding=("CUD501", "error", nowhere))
    suite.real("a library that nothing brings", alone, False)
    suite.case("CUDA without a requirement", "fails", make.package(library, runpath=runpath),
               finding=("CUD501", "error", library), says=[f"Requires-Dist: {distribution}"])
    suite.case("a requirement brings it where it is looked for", "loads",
               make.package(library, [distribution], runpath))
    suite.case("a requirement brings it to a folder where nothing looks", "fails",
               make.package(library, [distribution]), finding=("CUD101", "error", library),
               says=[f"nvidia/{folder}/lib"])
    suite.case("a requirement brings it, and another folder is looked into", "fails",
               make.package(library, [distribution], "$ORIGIN/../nvidia/cu13/lib"),
               finding=("CUD101", "error", library))
    extra = make.package(library, [f'{distribution}; extra == "cuda"'], runpath)
    suite.case("an extra would provide it", "fails", extra, finding=("CUD501", "error", library),
               says=["counts with that extra alone", "pip install 'sample[cuda]'"])
    suite.case("with that extra", "loads", extra, "--extras", "cuda")
    suite.case("a marker excludes it", "fails",
               make.package(library, [f'{distribution}; python_version < "3.0"'], runpath),
               finding=("CUD501", "error", library), says=["does not hold here"])
    suite.case("a marker excludes this system", "fails",
               make.package(library, [f'{distribution}; sys_platform == "win32"'], runpath),
               finding=("CUD501", "error", library))
    cudnn = "$ORIGIN/../nvidia/cudnn/lib"
    suite.case("the newest release has lost it", "fails", make.package("libcudnn.so.8", ["nvidia-cudnn-cu12"], cudnn),
               finding=("CUD501", "error", "libcudnn.so.8"), says=["pip installs a newer one"])
    suite.case("a release that has it", "loads", make.package("libcudnn.so.8", ["nvidia-cudnn-cu12==8.9.7.29"], cudnn))
    suite.case("what a requirement requires in turn", "loads",
               make.package(library, ["torch==2.9.1"], runpath))
    suite.case("of a requirement nothing is known", "loads", make.package(nowhere, ["cudald-unknown-package"]),
               finding=("CUD501", "note", nowhere))
    suite.case("the search path leads into its folder", "loads",
               make.package(nowhere, ["some-package", "numpy"], "$ORIGIN/../some_package"),
               finding=("CUD501", "note", nowhere), says=["some-package, which is required"])


def declared(suite):
    make = suite.make
    library = "libcudald-brought.so.1"
    needs = make.package(library, ["carrier"], "$ORIGIN/../carrier")
    carrier = make.wheel({"carrier/__init__.py": "", f"carrier/{library}": read(make.library(library))}, name="carrier")
    suite.case("a requirement at hand brings it", "loads", needs, "--with", carrier)
    suite.case("the driver's library", "loads", make.package("libcuda.so.1", function="cuInit"))
    suite.case("a library that the tag promises", "loads", make.package("libz.so.1"))
    suite.case("a library that it does not promise", "fails", make.package("libssl.so.3"),
               finding=("CUD501", "error", "libssl.so.3"))
    suite.case("Python's own library", "risk", make.package("libpython3.11.so.1.0"),
               finding=("CUD501", "warning", "libpython3.11.so.1.0"))


def modules(suite):
    make = suite.make
    bare = make.wheel({"sample/__init__.py": "import cudald_no_such_module\n"}, python="py3-none", platform="any")
    suite.case("a module that nothing requires", "fails", bare, finding=("CUD501", "error", "cudald_no_such_module"))
    suite.real("a module that nothing requires", bare, False)
    code = {"sample/__init__.py": "import numpy\nif numpy.__version__ > '1':\n    import json\n"}
    suite.case("a module that is required", "loads",
               make.wheel(code, ["numpy>=1.20"], python="py3-none", platform="any"))
    code = {"sample/__init__.py": "try:\n    import yaml\nexcept ImportError:\n    raise RuntimeError('no yaml')\n"}
    suite.case("a module of a distribution that is called otherwise", "loads",
               make.wheel(code, ["PyYAML"], python="py3-none", platform="any"))
    plain = make.wheel({"sample/__init__.py": "import json\n"}, python="py3-none", platform="any")
    suite.case("nothing compiled, nothing required", "loads", plain)
    suite.real("nothing compiled, nothing required", plain, True)


def programs(suite):
    make = suite.make
    scripts = "sample-1.0.data/scripts"
    newest = {"python": "py3-none", "platform": "manylinux_2_39_x86_64"}  # of what the compiler here makes
    fine, broken = make.program("libz.so.1"), make.program("libcudald-nowhere.so.7")
    suite.case("a wheel of one program", "loads", make.wheel({f"{scripts}/run": fine}, **newest))
    suite.case("a program that lacks a library", "fails", make.wheel({f"{scripts}/run": broken}, **newest),
               finding=("CUD501", "error", "libcudald-nowhere.so.7"))
    suite.case("the second of two programs", "fails",
               make.wheel({f"{scripts}/a": fine, f"{scripts}/b": broken}, **newest),
               finding=("CUD501", "error", "libcudald-nowhere.so.7"), says=["the program b"])


def worlds(suite):
    make = suite.make
    library, folder, distribution = CUDART
    suite.case("a folder of site-packages in LD_LIBRARY_PATH", "loads", make.package(library, [distribution]),
               "--env", f"LD_LIBRARY_PATH={{site}}/nvidia/{folder}/lib")
    own = make.package("libz.so.1", platform="linux_x86_64")
    here = suite.ask("--host", "here", own)["verdict"]
    suite.case("a tag that promises nothing: this machine", here, own, world="here")
    suite.case("asked for this machine", "fails", "--host", "here", make.package("libcudald-nowhere.so.7"),
               finding=("CUD101", "error", "libcudald-nowhere.so.7"), world="here")


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(tap, sys.argv[1], Maker(folder))
        for part in (undeclared, declared, modules, programs, worlds):
            part(suite)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
