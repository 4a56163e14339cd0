#!/usr/bin/env python3
"""Names of libraries that stand as constants in a library: cudald says where each would be found, and a program that
really opens them says where it is.

    constants.py CUDALD

Each case builds a program and a library that hands constant names to dlopen, and asks glibc's loader by running the
program. Output is TAP.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from tap import Tap  # noqa: E402

OPENER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
static void open_one(const char *name) {
  struct link_map *map;
  void *handle = dlopen(name, RTLD_LAZY);
  if (handle && !dlinfo(handle, RTLD_DI_LINKMAP, &map)) printf("%s=%s\\n", name, map->l_name); else printf("%s=\\n",
  name); if (handle) dlclose(handle);
}
void open_all(void) { NAMES }
"""
NAMES = ["libcudart.so.11.0", "libonlyapp.so", "libloaded.so.1", "libmissing.so.1", "$ORIGIN/parts/libpart.so",
         "libenv.so.2", "libwrong.so"]
# Texts that look like names, and are handed to nobody.
NOISE = ["lib%s.so", "cannot open libx.so", "lib*.so.1", "/parts/libx.so", "libx.source", "x.so"]

# What differs: the folders that the program and the library name, and the environment.
CASES = {
    "the RUNPATH of the library counts, that of the program does not":
        (["-Wl,--enable-new-dtags,-rpath,$ORIGIN/../lib"], ["-Wl,--enable-new-dtags,-rpath,$ORIGIN/parts"], {}),
    "the RPATH of the program counts for a library without RUNPATH":
        (["-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib"], [], {}),
    "the RPATH of the library comes before that of the program":
        (["-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib"], ["-Wl,--disable-new-dtags,-rpath,$ORIGIN/parts"], {}),
    "LD_LIBRARY_PATH comes before a RUNPATH":
        (["-Wl,--enable-new-dtags,-rpath,$ORIGIN/../lib"], ["-Wl,--enable-new-dtags,-rpath,$ORIGIN/parts"],
         {"LD_LIBRARY_PATH": "env"}),
}


def compile_file(path, source, *words):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["cc", "-O1", "-fPIC", "-x", "c", "-", "-x", "none", "-o", path, "-Wl,--no-as-needed", *words],
                   input=source.encode(), check=True)


def build(folder, of_program, of_library):
    def library(name, soname="", *words, source="int x;"):
        compile_file(os.path.join(folder, name), source, "-shared", f"-Wl,-soname,{soname or os.path.basename(name)}",
                     *words)

    library("lib/parts/libcudart.so.11.0")
    library("lib/parts/libpart.so")
    library("lib/libonlyapp.so")
    library("lib/libloaded.so.1")
    library("env/libenv.so.2")
    library("env/libcudart.so.11.0")
    with open(os.path.join(folder, "lib/parts/libwrong.so"), "wb") as wrong:  # for another machine
        with open(os.path.join(folder, "lib/parts/libpart.so"), "rb") as right:
            data = bytearray(right.read())
        data[18:20] = b"\xb7\x00"
        wrong.write(data)
    calls = "".join(f'open_one("{name}");' for name in NAMES)
    noise = "".join(f'puts("{text}");' for text in NOISE)
    source = OPENER.replace("NAMES", calls) + f"void never(void) {{ {noise} }}\n"
    library("lib/liba.so", "", *of_library, source=source)
    compile_file(os.path.join(folder, "bin/app"), "void open_all(void); int main(void) { open_all(); return 0; }",
                 *of_program,
                 os.path.join(folder, "lib/liba.so"), os.path.join(folder, "lib/libloaded.so.1"),
                 "-Wl,--allow-shlib-undefined",
                 f"-Wl,-rpath-link,{folder}/lib", "-L" + os.path.join(folder, "lib"))


def real_answers(folder, environment):
    done = subprocess.run([os.path.join(folder, "bin/app")], env=environment, check=True, capture_output=True,
                          text=True)
    answers = dict(line.split("=", 1) for line in done.stdout.splitlines())
    return {name: os.path.realpath(path) if path else None for name, path in answers.items()}


def told_answers(report, library):
    answers = {}
    for likely in next(each for each in report["objects"] if each["path"] == library).get("may_open", []):
        path = None
        if likely["object"] is not None:
            path = report["objects"][likely["object"]]["path"]
        elif likely["status"] == "not-loaded":
            path = os.path.realpath(likely["tried"][-1]["path"])
        answers[likely["name"]] = path
    return answers


def check(tap, cudald, scratch, name, case):
    of_program, of_library, variables = case
    folder = os.path.realpath(tempfile.mkdtemp(dir=scratch))
    build(folder, of_program, of_library)
    environment = {key: os.path.join(folder, value) for key, value in variables.items()}
    real = real_answers(folder, environment)
    done = subprocess.run([cudald, "explain", "-f", "json", os.path.join(folder, "bin/app")], env=environment,
                          check=False, capture_output=True)
    report = json.loads(done.stdout)
    library = os.path.join(folder, "lib/liba.so")
    told = told_answers(report, library)
    tap.ok(told == real and len(real) == len(NAMES), name, [f"{each}: real {real.get(each)}, told {told.get(each)}"
                                                           for each in {*real, *told} if real.get(each,
                                                                                                  "-") != told.get(
                                                                                                      each, "-")])
    tap.ok(report["verdict"] == "loads" and done.returncode == 0, f"{name}: nothing of it counts as needed",
           [report["verdict"], report["findings"]])
    with open(library, "rb") as file:
        data = file.read()
    entry = next(each for each in report["objects"] if each["path"] == library)
    tap.ok(all(data[e["offset"]:].startswith(e["name"].encode() + b"\0") and e["calls"] == "dlopen"
               for e in entry["may_open"]),
           f"{name}: the texts stand where it says", [entry["may_open"]])


def main():
    cudald = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="cudald-constants-") as scratch:
        for name, case in CASES.items():
            check(tap, cudald, scratch, name, case)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
