#!/usr/bin/env python3
"""Installs cudald into an empty folder, and uses it from there as somebody else's program would.

    run.py BUILD [--every N] [--keep]

Every installed header is compiled by itself, with gcc and with clang where it is there. The programs of examples/ are
built by pkg-config against the shared and the static library, as far as BUILD makes them (-Ddefault_library), and asked
about files made here. Nothing of the source tree but examples/ is used. Output is TAP.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from elf_file import ElfFile  # noqa: E402
from sampled import add_every, in_sample  # noqa: E402
from tap import Tap, first  # noqa: E402

WARNINGS = ["-std=c++20", "-Wall", "-Wextra", "-Wshadow", "-Wpedantic", "-Werror"]
TAG = "manylinux_2_5_x86_64"


class Installed:
    """What is in the folder."""

    def __init__(self, build, folder):
        # What tells the tests how Meson was called.
        meson = (os.environ.get("MESONINTROSPECT") or "meson introspect").rsplit(" ", 1)[0].split()
        command = [*meson, "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", folder]
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.fault = done.stdout if done.returncode else ""
        self.by_name = {}
        for place, _, names in os.walk(folder):
            for name in names:
                self.by_name[name] = os.path.join(place, name)
        self.pc = self.by_name.get("cudald.pc", "")
        self.libraries = os.path.dirname(os.path.dirname(self.pc))
        self.headers = os.path.dirname(self.by_name.get("cudald.h", ""))
        self.prefix = os.path.dirname(os.path.dirname(self.headers))

    def flags(self, *words):
        """What pkg-config says, were the folder the prefix."""
        environment = {**os.environ, "PKG_CONFIG_PATH": os.path.dirname(self.pc)}
        command = ["pkg-config", f"--define-variable=prefix={self.prefix}", *words, "cudald"]
        asked = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment, text=True)
        return asked.stdout.split()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", metavar="BUILD")
    add_every(parser)
    parser.add_argument("--keep", action="store_true", help="leave the folder, and say where it is")
    options = parser.parse_args()

    tap = Tap()
    folder = tempfile.mkdtemp(prefix="cudald-install-")
    try:
        installed = Installed(os.path.abspath(options.build), os.path.join(folder, "root"))
        if not tap.ok(not installed.fault, "meson install ends well", installed.fault.splitlines()[-20:]):
            return tap.finish()
        check_headers(tap, installed, options.every)
        samples = make_samples(os.path.join(folder, "samples"))
        shared = [name for name in installed.by_name if name.startswith("libcudald.so")]
        if shared:
            check_shared_library(tap, installed)
            use(tap, installed, samples, os.path.join(folder, "shared"), installed.flags("--cflags", "--libs"))
        else:
            tap.skip("the shared library", "this build makes none: -Ddefault_library=both")
        if "libcudald.a" in installed.by_name:
            flags = installed.flags("--cflags", "--libs", *(["--static"] if shared else []))
            flags = ["-l:libcudald.a" if flag == "-lcudald" else flag for flag in flags]
            use(tap, installed, samples, os.path.join(folder, "static"), flags)
        else:
            tap.skip("the static library", "this build installs none: -Ddefault_library=both")
    finally:
        if options.keep:
            tap.comment(f"left in {folder}")
        else:
            shutil.rmtree(folder)
    return tap.finish()


def check_headers(tap, installed, every):
    names = sorted(os.listdir(installed.headers)) if installed.headers else []
    tap.ok("cudald.h" in names and len(names) > 10, f"{len(names)} headers are installed")
    for compiler in ("g++", "clang++"):
        if not shutil.which(compiler):
            tap.skip(f"each header is compiled by {compiler}", "it is not installed")
            continue
        for name in names:
            if not in_sample(name, every):
                continue
            # Through a file, as a header that is compiled itself gets warnings of its own (#pragma once).
            done = subprocess.run(
                [compiler, *WARNINGS, "-fsyntax-only", *installed.flags("--cflags"), "-x", "c++", "-"],
                check=False,
                input=f"#include <cudald/{name}>\n",
                stderr=subprocess.PIPE,
                text=True,
            )
            tap.ok(done.returncode == 0, f"{name} by itself, {compiler}", first(done.stderr.splitlines()))


def check_shared_library(tap, installed):
    path = installed.by_name["libcudald.so"]
    soname = ElfFile(path).soname
    parts = soname.split(".so.")
    tap.ok(len(parts) == 2 and parts[1][:1].isdigit(), "its SONAME has a number", [soname])
    asked = subprocess.run(["nm", "-DC", "--defined-only", path], check=True, stdout=subprocess.PIPE, text=True)
    offered = {line.split(" ", 2)[2] for line in asked.stdout.splitlines() if " T " in line}
    tap.ok(any(name.startswith("cudald::Session::explain") for name in offered), "it offers Session::explain")
    declared = {name for header in os.listdir(installed.headers) for name in functions_of(installed.headers, header)}
    begins = {text.removeprefix("cudald::").split("(")[0].split("[")[0] for text in offered}
    without = sorted(declared - begins)
    name = f"it offers the {len(declared)} functions that the headers declare"
    tap.ok(declared and not without, name, first(without))
    # What only src/ declares, one of each of its folders.
    inside = ("LoadStep", "ByteReader", "ImageStore", "PackageTree", "GlibcFacts", "Interpreter", "TextWriter", "fmt::")
    leaked = [name for name in offered if any(word in name for word in inside)]
    tap.ok(not leaked, "it offers nothing that no header declares", first(leaked))


def functions_of(folder, header):
    """The names of the functions that a header declares outside of classes."""
    with open(os.path.join(folder, header), encoding="utf-8") as file:
        for line in file:
            if line[0].isalpha() and "(" in line and not line.startswith(("inline", "using", "namespace")):
                yield line.split("(")[0].split()[-1].lstrip("*&")


def make_samples(folder):
    """A program, one that lacks a library, and a wheel that claims more than it keeps."""
    os.mkdir(folder)

    def write(name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def gcc(*words):
        subprocess.run(["gcc", *words], cwd=folder, check=True)

    write("inner.c", "int inner(void) {return 1;}\n")
    write("outer.c", "int inner(void); int outer(void) {return inner();}\n")
    write("main.c", "int outer(void); int main(void) {return outer();}\n")
    gcc("-shared", "-fPIC", "inner.c", "-o", "libinner.so")
    gcc("-shared", "-fPIC", "outer.c", "-o", "libouter.so", "-L.", "-linner", "-Wl,-rpath,$ORIGIN")
    gcc("main.c", "-o", "main", "-L.", "-louter", "-Wl,-rpath,$ORIGIN", "-Wl,-rpath-link,.")
    os.mkdir(os.path.join(folder, "broken"))
    for name in ("main", "libouter.so"):
        shutil.copy(os.path.join(folder, name), os.path.join(folder, "broken", name))
    make_wheel(os.path.join(folder, f"sample-1.0-py3-none-{TAG}.whl"), os.path.join(folder, "broken", "libouter.so"))
    return folder


def make_wheel(path, library):
    info = "sample-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.write(library, "sample/libouter.so")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: sample\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-{TAG}\n")
        wheel.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in [*wheel.namelist(), f"{info}/RECORD"]))


def use(tap, installed, samples, folder, flags):
    """Builds the examples, and asks them."""
    os.mkdir(folder)
    kind = os.path.basename(folder)
    for name in ("who_needs", "audit_wheel"):
        program = os.path.join(folder, name)
        source = os.path.join(PROJECT, "examples", f"{name}.cc")
        done = subprocess.run(
            ["g++", *WARNINGS, source, *flags, "-o", program], check=False, stderr=subprocess.PIPE, text=True
        )
        if not tap.ok(done.returncode == 0, f"{name} is built, {kind}", first(done.stderr.splitlines())):
            return
        needed = ElfFile(program).needed
        is_shared = any(library.startswith("libcudald.so.") for library in needed)
        tap.ok(is_shared == (kind == "shared"), f"{name} is linked with the {kind} library", [repr(needed)])

    def ask(name, *arguments):
        environment = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": installed.libraries}
        return subprocess.run(
            [os.path.join(folder, name), *arguments], check=False, capture_output=True, env=environment, text=True
        )

    def says(asked, status, *lines):
        wrong = [f"not there: {line!r}" for line in lines if line not in asked.stdout + asked.stderr]
        if asked.returncode != status:
            wrong.append(f"exit status {asked.returncode}, not {status}")
        return not wrong, [*wrong, *asked.stdout.splitlines(), *asked.stderr.splitlines()]

    main = os.path.join(samples, "main")
    asked = ask("who_needs", main)
    wanted = (f"libinner.so\n  {samples}/libinner.so\n  needed by {samples}/main > {samples}/libouter.so", "libc.so.6")
    tap.ok(*_named(f"who_needs tells who needs what, {kind}", says(asked, 0, *wanted)))
    asked = ask("who_needs", os.path.join(samples, "broken", "main"))
    broken = os.path.join(samples, "broken")
    wanted = (
        "libinner.so\n  MISSING: ",
        f"needed by {broken}/main > {broken}/libouter.so",
        f"tried {broken}/libinner.so: absent",
    )
    tap.ok(*_named(f"who_needs tells what is missing, and where it was looked for, {kind}", says(asked, 1, *wanted)))
    asked = ask("who_needs", os.path.join(samples, "none"))
    tap.ok(*_named(f"who_needs of no file, {kind}", says(asked, 2, "who_needs: ")))
    wheel = os.path.join(samples, f"sample-1.0-py3-none-{TAG}.whl")
    wanted = ("sample 1.0", "fits: linux_x86_64", "from outside: libinner.so", f"claims: {TAG}", "library libinner.so")
    tap.ok(*_named(f"audit_wheel tells what stands in the way, {kind}", says(ask("audit_wheel", wheel), 1, *wanted)))
    asked = ask("audit_wheel", main)
    tap.ok(*_named(f"audit_wheel of what is no wheel, {kind}", says(asked, 2, "audit_wheel: ")))


def _named(name, result):
    return result[0], name, result[1]


if __name__ == "__main__":
    sys.exit(main())
