#!/usr/bin/env python3
"""Names of DLLs that stand as constants in a program and a DLL: cudald says where LoadLibrary would find each, and wine
says where it does.

    constants.py CUDALD

Made by mingw-w64, narrow and wide texts. Output is TAP.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from run import Builder, Wine, shown  # noqa: E402
from tap import Tap  # noqa: E402

OPENER = """
#include <stdio.h>
#include <windows.h>
static void tell(const char *name, HMODULE module) {
  char path[600] = "none";
  if (module) GetModuleFileNameA(module, path, 600);
  printf("%s=%s\\n", name, path);
  if (module) FreeLibrary(module);
}
__declspec(dllexport) void open_all(void) { NAMES }
"""
NARROW = ["cudart64_110.dll", "Beside.DLL", "onpath.dll", "missing64_1.dll", "belowdll.dll"]
WIDE = ["wide.dll", "version.dll"]
NOISE = ["%s.dll", "cannot load x.dll", "cudart64_%d.dll", "*.dll", ".dll"]


def build(folder, builder):
    for path in ("app/beside.dll", "p/onpath.dll", "p/cudart64_110.dll", "app/wide.dll", "app/sub/belowdll.dll"):
        builder.dll(os.path.join(folder, path))
    calls = "".join(f'tell("{name}", LoadLibraryA("{name}"));' for name in NARROW)
    calls += "".join(f'tell("{name}", LoadLibraryExW(L"{name}", 0, 0));' for name in WIDE)
    noise = "".join(f'puts("{text}");' for text in NOISE)
    source = OPENER.replace("NAMES", calls) + f"void never(void) {{ {noise} }}\n"
    library = os.path.join(folder, "app/opener.dll")
    builder.run(builder.tool("gcc"), "-shared", "-O1", "-o", library, builder.file(".c", source))
    program = builder.file(".c", "void open_all(void); int main(void) { open_all(); return 0; }\n")
    builder.run(builder.tool("gcc"), "-o", os.path.join(folder, "app/app.exe"), program, library)
    os.makedirs(os.path.join(folder, "cwd"))


def told_answers(cudald, folder):
    command = [cudald, "explain", "-f", "json", "--cwd", os.path.join(folder, "cwd"), "--dll-path",
               os.path.join(folder, "p"),
               os.path.join(folder, "app/app.exe")]
    report = json.loads(subprocess.run(command, check=False, capture_output=True).stdout)
    entry = next(each for each in report["objects"] if each["path"].endswith("opener.dll"))
    answers = {}
    for likely in entry.get("may_open", []):
        if likely["object"] is not None:
            path = report["objects"][likely["object"]]["path"]
        else:
            path = likely["tried"][-1]["path"] if likely["status"] == "not-loaded" else "none"
        answers[likely["name"]] = shown(path, folder)
    return answers, report, entry


def main():
    cudald = os.path.abspath(sys.argv[1])
    tap = Tap()
    if not shutil.which("x86_64-w64-mingw32-gcc"):
        tap.skip("constants of DLLs", "mingw-w64 is not installed (Debian: gcc-mingw-w64)")
        return tap.finish()
    with tempfile.TemporaryDirectory(prefix="cudald-constants-") as scratch:
        folder = os.path.join(os.path.realpath(scratch), "case")
        build(folder, Builder(scratch))
        told, report, entry = told_answers(cudald, folder)
        # What the run-time library of mingw names by itself is no part of the case.
        own = {name: answer for name, answer in told.items() if name in NARROW + WIDE}
        expected = {"cudart64_110.dll": "p/cudart64_110.dll", "Beside.DLL": "app/beside.dll",
                    "onpath.dll": "p/onpath.dll",
                    "missing64_1.dll": "none", "belowdll.dll": "none", "wide.dll": "app/wide.dll",
                    "version.dll": "System32/version.dll"}
        lower = {name: answer.lower() for name, answer in own.items()}
        tap.ok(lower == {name: answer.lower() for name, answer in expected.items()},
               "each constant name is searched for as LoadLibrary does", [own])
        tap.ok(not set(told) & set(NOISE) and len(told) < len(own) + 4, "texts that are no names are none", [told])
        tap.ok(report["verdict"] == "loads", "nothing of it counts as needed", [report["verdict"], report["findings"]])
        with open(os.path.join(folder, "app/opener.dll"), "rb") as file:
            data = file.read()
        texts = {each["name"]: each["offset"] for each in entry["may_open"]}
        tap.ok(data[texts["onpath.dll"]:].startswith(b"onpath.dll\0")
               and data[texts["wide.dll"]:].startswith("wide.dll\0".encode("utf-16-le"))
               and all(re.fullmatch("LoadLibrary.*", each["calls"]) for each in entry["may_open"]),
               "the texts stand where it says", [entry["may_open"]])
        wine = Wine(scratch)
        if not wine.program:
            tap.skip("the same by wine", "not run: no wine here")
            return tap.finish()
        lines = wine.run([os.path.join(folder, "app/app.exe")], os.path.join(folder, "cwd"),
                         [os.path.join(folder, "p")])
        wine.stop()
        real = {name: shown(path, folder).lower() for name, path in
                (line.split("=", 1) for line in lines if "=" in line)}
        tap.ok(real == lower, "wine finds the same", [f"wine {real}", f"told {lower}"])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
