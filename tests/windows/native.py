#!/usr/bin/env python3
"""cudald.exe under wine: it answers as cudald for Linux does, and as wine's own loader does.

    native.py CUDALD CUDALD_EXE [--only GLOB]

Of a tree that is given with --sysroot, and of wheels, both programs must write the same JSON, but for the drive in
front of a path. Without --sysroot cudald.exe is asked about the machine that wine shows: each case of run.py has the
answer that wine's loader gave. `tools/build windows` makes CUDALD_EXE. Output is TAP.
"""

import argparse
import base64
import fnmatch
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from run import CASES, Builder, Wine, simulated  # noqa: E402
from tap import Tap  # noqa: E402

SYSTEM_DLLS = {"advapi32.dll", "kernel32.dll", "msvcrt.dll", "shell32.dll", "user32.dll", "bcrypt.dll", "version.dll"}
UNICODE = "Grüße-日本"


class Programs:
    """Both programs, asked from one directory."""

    def __init__(self, cudald, exe, wine, folder):
        self.cudald, self.wine, self.folder = cudald, wine, folder
        # Paths of Linux are those of drive Z:, where the current directory is.
        self.wrapper = os.path.join(folder, "cudald-under-wine")
        with open(self.wrapper, "w", encoding="ascii") as out:
            variables = " ".join(f"{name}='{wine.environment[name]}'" for name in
                                 ("WINEPREFIX", "WINEDEBUG", "WINEDLLOVERRIDES", "DISPLAY"))
            out.write(f"#!/bin/sh\nexport {variables}\nexec {wine.program} {exe} \"$@\"\n")
        os.chmod(self.wrapper, 0o755)

    def run(self, program, words, stdin=None):
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder, "LC_ALL": "C.UTF-8",
                       "SOURCE_DATE_EPOCH": "1700000000"}
        return subprocess.run([program, *words], cwd=self.folder, env=environment, input=stdin, capture_output=True,
                              timeout=300, check=False)

    def linux(self, *words, stdin=None):
        return self.run(self.cudald, words, stdin)

    def native(self, *words, stdin=None):
        return self.run(self.wrapper, words, stdin)


def on_linux(text):
    """What cudald.exe has written, with the paths of drive Z: as Linux has them."""
    return re.sub(r"\bZ:(?=/)", "", text).replace("\r\n", "\n")


def differences(a, b, at=""):
    """Where two documents differ."""
    if type(a) is not type(b):
        return [f"{at}: {a!r} and {b!r}"]
    if isinstance(a, dict):
        return [line for key in sorted(a.keys() | b.keys()) for line in
                differences(a.get(key), b.get(key), f"{at}/{key}")]
    if isinstance(a, list) and len(a) == len(b):
        return [line for i, (one, other) in enumerate(zip(a, b)) for line in differences(one, other, f"{at}/{i}")]
    return [] if a == b else [f"{at}: {a!r} and {b!r}"]


def compare(tap, programs, name, *words, stdin=None):
    """One question, asked of both."""
    linux, native = programs.linux(*words, stdin=stdin), programs.native(*words, stdin=stdin)
    theirs, ours = linux.stdout.decode(), on_linux(native.stdout.decode())
    details = [f"exit status {linux.returncode} and {native.returncode}"]
    same = linux.returncode == native.returncode
    errors = linux.stderr.decode(), on_linux(native.stderr.decode())
    if errors[0] != errors[1]:
        same, details = False, details + [f"standard error: {errors[0]!r} and {errors[1]!r}"]
    if "json" in words and theirs.startswith(("{", "[")):
        try:
            found = differences(json.loads(theirs), json.loads(ours))
        except ValueError as error:
            found = [f"no JSON: {error}: {ours[:300]}"]
        same, details = same and not found, details + found[:10]
    elif theirs != ours:
        lines = [f"{a!r} and {b!r}" for a, b in zip(theirs.split("\n"), ours.split("\n")) if a != b]
        same, details = False, details + (lines or ["one is longer"])[:10]
    tap.ok(same, name, details)


def make_wheel(path, members):
    """A wheel with these files, with a true RECORD."""
    project, version, *tags = os.path.basename(path).removesuffix(".whl").split("-")
    info = f"{project}-{version}.dist-info"
    members = {**members,
               f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n".encode(),
               f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: "
                                f"{'-'.join(tags)}\n".encode()}
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')},"
        f"{len(content)}\n" for name, content in members.items())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in {**members, f"{info}/RECORD": (record + f"{info}/RECORD,,\n").encode()}.items():
            wheel.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)


def content_of(path):
    with open(path, "rb") as file:
        return file.read()


def make_tree(build, folder):
    """A drive C: with an application, and beside it what it lacks."""
    tree = os.path.join(folder, "drive")
    build.program(os.path.join(tree, "app/program.exe"))
    build.dll(os.path.join(tree, "app/plugin.dll"), imports=[("helper.dll", "g"), ("cudart64_110.dll", "h")])
    build.dll(os.path.join(tree, "app/Helper.DLL"), exports=("g",))
    build.dll(os.path.join(tree, "app/delayed.dll"), delayed=[("absent.dll", "g")])
    build.dll(os.path.join(tree, "Windows/System32/version.dll"))
    build.dll(os.path.join(tree, "tools/cudart64_110.dll"), exports=("h",))
    return tree


def ask_about_trees(tap, programs, build, folder):
    tree = make_tree(build, folder)
    app = ["--sysroot", tree]
    for name, words in {
        "a DLL that lacks another": ["explain", "-f", "json", *app, "/app/plugin.dll"],
        "the same as text": ["explain", "-v", *app, "/app/plugin.dll"],
        "the same with PATH": ["explain", "-f", "json", *app, "--dll-path", "C:\\tools", "/app/plugin.dll"],
        "a program and a DLL": ["explain", "-f", "json", *app, "/app/program.exe", "/app/plugin.dll"],
        "a directory": ["check", "-f", "json", *app, "/app"],
        "a directory, in lines": ["check", *app, "/app"],
        "a tree": ["tree", *app, "/app/plugin.dll"],
        "a tree as JSON": ["tree", "-f", "json", *app, "/app/plugin.dll"],
        "a chain": ["why", *app, "/app/plugin.dll", "helper.dll"],
        "a missing file": ["explain", *app, "/app/none.dll"],
        "a delayed import": ["explain", "-f", "json", *app, "/app/delayed.dll"],
        "a message": ["explain", "-f", "json", *app, "--error",
                      "Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found",
                      "/app/plugin.dll"],
        "SARIF": ["check", "-f", "sarif", *app, "/app/plugin.dll"],
        "Markdown": ["check", "-f", "markdown", *app, "/app/plugin.dll"],
        "HTML": ["explain", "-f", "html", *app, "/app/plugin.dll"],
    }.items():
        compare(tap, programs, f"tree: {name}", *words)


def ask_about_linux(tap, programs, folder):
    """A tree of Linux: its files without links, which wine shows as what they lead to."""
    tree = os.path.join(folder, "linux")
    program = "/usr/bin/true"
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    for path in [program, *re.findall(r"(/\S+)", listed)]:
        place = tree + path
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(path, place)
    for words in (["explain", "-f", "json"], ["tree"], ["check"]):
        compare(tap, programs, f"Linux: {words[0]} of a program", *words, "--sysroot", tree, "--isa", "x86-64-v2",
                program)
    compare(tap, programs, "Linux: show", "show", "-f", "json", tree + program)
    done = programs.native("explain", tree + program)
    tap.ok(done.returncode != 0 and b"this machine runs Windows" in done.stderr + done.stdout,
           "Linux: a program of Linux is not judged on Windows itself", [done.stdout, done.stderr])


def ask_about_wheels(tap, programs, build, folder):
    build.dll(os.path.join(folder, "m.pyd"), exports=("PyInit_m",), imports=[("helper.dll", "g")])
    build.dll(os.path.join(folder, "helper.dll"), exports=("g",))
    extension, helper = content_of(os.path.join(folder, "m.pyd")), content_of(os.path.join(folder, "helper.dll"))
    wheels = {
        "healthy-1.0-cp311-cp311-win_amd64.whl": {"healthy/__init__.py": b"from . import m\n",
                                                  "healthy/m.cp311-win_amd64.pyd": extension,
                                                  "healthy/helper.dll": helper},
        "broken-1.0-cp311-cp311-win_amd64.whl": {"broken/__init__.py": b"from . import m\n",
                                                 "broken/m.cp311-win_amd64.pyd": extension},
        "elf-1.0-cp311-cp311-manylinux_2_28_x86_64.whl": {"elf/__init__.py": b"import ctypes\n",
                                                          "elf/true.so": content_of("/usr/bin/true")},
        "pure-1.0-py3-none-any.whl": {"pure.py": b"import json\n"},
    }
    for name, members in wheels.items():
        path = os.path.join(folder, name)
        make_wheel(path, members)
        for command in ("check", "show", "explain"):
            compare(tap, programs, f"wheel: {command} {name}", command, "-f", "json", path)
    compare(tap, programs, "wheel: check in lines", "check", *(os.path.join(folder, name) for name in wheels))
    two = [os.path.join(folder, name) for name in list(wheels)[:2]]
    compare(tap, programs, "wheel: diff", "diff", "-f", "json", *two)


def ask_words(tap, programs):
    for words in (["--version"], ["-h"], ["rule", "CUD101"], ["rule", "-f", "json"], ["provides", "cudart64_110.dll"],
                  ["provides", "-f", "json", "cudart64_12.dll"], ["config", "show"], ["schema", "report"],
                  ["help", "check"], ["chekc", "x"], ["--no-such-option"]):
        compare(tap, programs, "words: " + " ".join(words), *words)
    message = "ImportError: DLL load failed while importing _m: The specified module could not be found."
    compare(tap, programs, "words: a message on standard input", "--error", "-", stdin=message.encode())
    for words, told in ((["scan", "--state", "s", "x"], "cannot scan yet"), (["merge", "s"], "cannot merge"),
                        (["probe", "x.dll"], "cannot load targets for real yet")):
        done = programs.native(*words)
        lines = done.stderr.decode().splitlines()
        tap.ok(done.returncode == 2 and told in lines[0], f"what it cannot do yet, it says: {words[0]}", lines)


def ask_about_names(tap, programs, build, folder):
    """Names of Windows: drives, backslashes, case, other alphabets, and paths of more than 260 characters."""
    build.dll(os.path.join(folder, "n/plain.dll"))
    image = content_of(os.path.join(folder, "n/plain.dll"))
    deep = os.path.join(folder, *["d" * 60] * 6)
    for place in (os.path.join(folder, UNICODE), deep):
        os.makedirs(place)
        with open(os.path.join(place, "plain.dll"), "wb") as out:
            out.write(image)
    drive = "Z:" + folder.replace("/", "\\")
    for name, path in {"drive and backslashes": drive + "\\n\\plain.dll", "another case": drive + "\\N\\PLAIN.DLL",
                       "slashes": "Z:" + folder + "/n/plain.dll", "a relative path": "n\\plain.dll",
                       "other alphabets": f"{drive}\\{UNICODE}\\plain.dll",
                       "400 characters": "Z:" + deep.replace("/", "\\") + "\\plain.dll"}.items():
        done = programs.native("show", "-f", "json", path)
        tap.ok(done.returncode == 0 and b'"machine"' in done.stdout, f"name: {name}", [done.stdout, done.stderr])
    done = programs.native("explain", "-f", "json", drive + f"\\{UNICODE}\\plain.dll")
    report = json.loads(done.stdout or b"{}")
    paths = [each["path"] for each in report.get("objects", [])]
    tap.ok(f"Z:{folder}/{UNICODE}/plain.dll" in paths, "name: a path in a report has its drive", [paths, done.stderr])
    result = os.path.join(folder, UNICODE, "result.json")
    done = programs.native("show", "-f", "json", "-o", result, drive + "\\n\\plain.dll")
    tap.ok(done.returncode == 0 and os.path.exists(result) and json.loads(content_of(result)),
           "name: a file is written", [done.stderr])


def ask_natively(tap, programs, build, folder, only):
    """The cases of run.py, on the machine that wine shows."""
    cases = [case for case in CASES
             if case.machine == "x86_64" and not case.differs and fnmatch.fnmatch(case.name, only)]
    build.program(os.path.join(folder, "loader-x86_64.exe"))
    for case in cases:
        place = os.path.join(folder, case.name)
        for name in ("app", "cwd"):
            os.makedirs(os.path.join(place, name))
        shutil.copy(os.path.join(folder, "loader-x86_64.exe"), os.path.join(place, "app/loader.exe"))
        case.files(build, place)
        try:
            answers, done = simulated(programs.wrapper, case, place)
        except (ValueError, IndexError, KeyError) as error:
            tap.ok(False, f"native: {case.name}", [f"no answer: {error!r}"])
            continue
        tap.ok([a.lower() for a in answers] == [a.lower() for a in case.answers], f"native: {case.name}",
               [case.source, f"expected {case.answers}", f"cudald   {answers}",
                *done.stderr.decode().splitlines()[:5]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cudald")
    parser.add_argument("exe")
    parser.add_argument("--only", default="*")
    options = parser.parse_args()
    tap = Tap()
    if not os.path.exists(options.exe):
        tap.skip("cudald.exe", "it is not built: tools/build windows")
        return tap.finish()
    if not shutil.which("x86_64-w64-mingw32-gcc") or not shutil.which("wine"):
        tap.skip("cudald.exe", "mingw-w64 or wine is not installed (tools/setup-debian windows)")
        return tap.finish()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = os.path.realpath(scratch)
        wine, build = Wine(scratch), Builder(scratch)
        if not wine.program:
            tap.skip("cudald.exe", "wine does not start here")
            return tap.finish()
        programs = Programs(os.path.abspath(options.cudald), os.path.abspath(options.exe), wine, scratch)
        imports = json.loads(programs.linux("show", "-f", "json", os.path.abspath(options.exe)).stdout)
        needed = {each["name"].lower() for each in imports["needed"]}
        tap.ok(needed <= SYSTEM_DLLS, "it needs nothing but DLLs of Windows", sorted(needed - SYSTEM_DLLS))
        ask_words(tap, programs)
        ask_about_trees(tap, programs, build, scratch)
        ask_about_linux(tap, programs, scratch)
        ask_about_wheels(tap, programs, build, scratch)
        ask_about_names(tap, programs, build, scratch)
        ask_natively(tap, programs, build, scratch, options.only)
        wine.stop()
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
