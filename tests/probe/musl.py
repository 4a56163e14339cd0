#!/usr/bin/env python3
"""Loads libraries and programs with musl's own loader, by the `cudald probe` of a cudald that is built for musl. Writes
TAP.

    musl.py CUDALD

A cudald for musl is what packaging/wheel-for-musl.sh makes; Debian's musl-tools compile what is loaded.
"""

import functools
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import probing  # noqa: E402
from tap import Tap  # noqa: E402

compile_c = functools.partial(probing.compile_c, compiler="musl-gcc")


def lacking(cudald):
    """Why nothing can be tried, or None."""
    with open(cudald, "rb") as file:
        if b"/lib/ld-musl-" not in file.read(4096):
            return "this cudald is built for glibc"
    return None if shutil.which("musl-gcc") else "musl-gcc is not installed"


def agrees(answer):
    return answer.run is not None and answer.run["differences"] == [] and not answer.problems


def test_libraries(tap, probe, folder):
    deep = compile_c(f"{folder}/deep/libdeep.so", "int deep;", "-Wl,-soname,libdeep.so")
    other = compile_c(f"{folder}/other.so", "int other;")
    needy = compile_c(f"{folder}/needy.so", "extern int deep; int* use(void) { return &deep; }", deep)
    answer = probe(other)
    tap.ok(agrees(answer) and answer.run["end"] == "finished" and other in answer.run["mapped"]
           and len(answer.run["mapped"]) == answer.run["predicted"] and answer.report["verdict"] == "loads",
           "a library that needs the C library alone", answer.told())
    answer = probe(needy)
    tap.ok(agrees(answer) and answer.run["targets"][0]["error"].startswith("Error loading shared library libdeep.so: ")
           and answer.report["verdict"] == "fails", "a library that is missing: the real loader says the same",
           answer.told())
    answer = probe(needy, LD_LIBRARY_PATH=f"{folder}/deep")
    tap.ok(agrees(answer) and answer.run["targets"][0]["loaded"] and deep in answer.run["mapped"],
           "LD_LIBRARY_PATH counts", answer.told())
    answer = probe("--preload", other, needy, LD_LIBRARY_PATH=f"{folder}/deep")
    tap.ok(agrees(answer) and {other, needy, deep} <= set(answer.run["mapped"]), "--preload counts", answer.told())
    lacks = compile_c(f"{folder}/lacks.so", "extern int nowhere; int* use(void) { return &nowhere; }")
    answer = probe(lacks)
    tap.ok(agrees(answer)
           and answer.run["targets"][0]["error"] == f"Error relocating {lacks}: nowhere: symbol not found",
           "a symbol that is missing: the real loader says the same", answer.told())
    answer = probe(other, "--dlopen", f"{needy},global", LD_LIBRARY_PATH=f"{folder}/deep")
    tap.ok(agrees(answer) and [target["name"] for target in answer.run["targets"]] == [other, needy],
           "--dlopen after a target", answer.told())


def test_constructors(tap, probe, folder):
    for name, body, end, status in [("crash", "*(volatile int*)0 = 0;", "crashed", 11),
                                    ("exit", "_Exit(7);", "exited", 7)]:
        source = f"#include <stdlib.h>\n__attribute__((constructor)) static void start(void) {{ {body} }}\n"
        path = compile_c(f"{folder}/{name}.so", source)
        answer = probe(path)
        tap.ok(answer.run["end"] == end and answer.run["status"] == status and path in answer.message("CUD603")
               and answer.report["verdict"] == "fails", f"a constructor that ends the process: {name}", answer.told())
    opened = f"{folder}/other.so"
    opener = compile_c(f"{folder}/opener.so", "#include <dlfcn.h>\n__attribute__((constructor)) static void start(void)"
                       f' {{ dlopen("{opened}", RTLD_NOW); }}\n')
    answer = probe(opener)
    tap.ok(answer.codes[:1] == ["CUD602"] and f"{opened} is mapped, but was not predicted" in answer.message("CUD602"),
           "a constructor that opens another library", answer.told())


def test_programs(tap, probe, folder):
    mark = f"{folder}/ran"
    first = compile_c(f"{folder}/libfirst.so", "int first;", "-Wl,-soname,libfirst.so")
    second = compile_c(f"{folder}/libsecond.so", "int second;", "-Wl,-soname,libsecond.so")
    source = (f'#include <stdio.h>\nextern int first, second; int main(void) {{ fclose(fopen("{mark}", "w")); '
              "return first + second; }\n")
    for name, words in ("libc-last", [first, second]), ("libc-between", [first, "-lc", second]):
        program = compile_c(f"{folder}/{name}", source, "-Wl,--no-as-needed", *words, f"-Wl,-rpath,{folder}",
                            shared=False)
        answer = probe(program)
        tap.ok(agrees(answer) and answer.run["way"] == "list" and {first, second} <= set(answer.run["mapped"])
               and len(answer.run["mapped"]) == answer.run["predicted"] and not os.path.exists(mark),
               f"a program is mapped, and nothing of it runs: {name}", answer.told())
    os.rename(second, second + ".away")
    answer = probe(program)
    tap.ok(agrees(answer) and answer.run["targets"][0]["error"].startswith("Error loading shared library libsecond.so")
           and answer.report["verdict"] == "fails", "a program that lacks a library", answer.told())


def test_not_run(tap, probe, folder):
    if not shutil.which("gcc") or not os.path.exists("/lib64/ld-linux-x86-64.so.2"):
        tap.skip("a library for glibc", "needs gcc and glibc of x86-64")
        return
    path = f"{folder}/glibc.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,--no-as-needed", "-o", path, "-x", "c", "-"], input=b"int x;",
                   check=True)
    answer = probe(path)
    tap.ok(answer.run is None and "made for glibc, and the probe's own program for musl" in answer.message("CUD601"),
           "a library for glibc is not tried, and that is said", answer.told())


def main():
    tap = Tap()
    why = lacking(sys.argv[1])
    if why:
        tap.skip("real loads by musl", why)
        return tap.finish()
    probe = probing.Prober(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        for test in test_libraries, test_constructors, test_programs, test_not_run:
            test(tap, probe, folder)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
