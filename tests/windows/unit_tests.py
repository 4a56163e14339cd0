#!/usr/bin/env python3
"""Unit tests as programs for Windows, under wine: those of the stages that ask the system, or Windows' rules.

    unit_tests.py BUILD_WINDOWS [STAGE...]

BUILD_WINDOWS is the directory of `tools/build windows`, with whose library they are linked. Without STAGE: base,
loader, machine, tree, os. What is made stays in BUILD_WINDOWS/unit-tests; nothing is compiled twice. Output is TAP: a
line for each test case.
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from tap import Tap  # noqa: E402
from windows_python import with_wine  # noqa: E402

COMPILER = "x86_64-w64-mingw32-g++-posix"
STAGES = ["base", "loader", "machine", "tree", "os"]
SUPPORT = ["elf_builder", "example_report", "fatbin_file", "main", "memory_file_system", "pe_builder", "tap_reporter",
           "wheel_file", "world"]
LIBRARIES = ["kernel32", "user32", "shell32", "ole32", "uuid", "advapi32"]
# What Linux has and Windows has not: links, modes, processes that are forked, the sandbox. Of these the sources for
# Windows say what they do instead, and native.py asks.
OF_LINUX = re.compile(r"#include <(sys/(mman|resource|socket|stat|wait|xattr|statfs)|linux/|spawn|dlfcn|unistd|poll)"
                      r"|symlink|mkfifo|ESTALE|setenv")

# They ask for libraries and files of Linux by name.
NAMES_OF_LINUX = ("build_id_test.cc", "loaded_library_test.cc")


class Builder:
    def __init__(self, folder):
        self.folder, self.made = folder, os.path.join(folder, "unit-tests")
        os.makedirs(os.path.join(self.made, "include"), exist_ok=True)
        doctest = os.path.join(self.made, "include/doctest")
        if not os.path.exists(doctest):
            os.symlink("/usr/include/doctest", doctest)
        # The tests make ELF files with more numbers than the program asks for.
        with open("/usr/include/elf.h", encoding="utf-8") as whole:
            text = re.sub(r"#include <(features|bits/auxv)\.h>|__BEGIN_DECLS|__END_DECLS", "", whole.read())
        with open(os.path.join(self.made, "include/elf.h"), "w", encoding="utf-8") as out:
            out.write(text)

    def flags(self):
        places = [os.path.join(self.made, "include"), os.path.join(self.folder, "src"),
                  os.path.join(self.folder, "include"), os.path.join(self.folder, "lib")]
        places += [os.path.join(PROJECT, name) for name in
                   ("src", "include", "lib", "tests", "packaging/windows/made/include", "packaging/windows/include")]
        return ["-std=c++20", "-O0", "-w", "-D_WIN32_WINNT=0x0A00", "-DUNICODE", "-DNOMINMAX", "-DWIN32_LEAN_AND_MEAN",
                "-D_FILE_OFFSET_BITS=64", '-DCUDALD_VERSION="0.1.0"', '-DCUDALD_DOCS_URL=""',
                "-pthread", *(f"-I{place}" for place in places)]

    def compile(self, source):
        """The object file, or the compiler's first words."""
        made = os.path.join(self.made, os.path.relpath(source, PROJECT).replace("/", "-") + ".o")
        if os.path.exists(made) and os.path.getmtime(made) > os.path.getmtime(source):
            return made, ""
        cached = ["ccache"] if shutil.which("ccache") else []
        done = subprocess.run([*cached, COMPILER, *self.flags(), "-c", source, "-o", made], check=False,
                              capture_output=True, text=True)
        return made, "" if done.returncode == 0 else done.stderr

    def link(self, objects, program):
        made = os.path.join(PROJECT, "packaging/windows/made/lib")
        return subprocess.run(
            [COMPILER, "-o", program, *objects, "-static", "-pthread", "-fstack-protector-strong",
             "-Wl,--start-group",
             os.path.join(self.folder, "src/libcudald.a"), os.path.join(made, "libisal.a"),
             *(f"-l{name}" for name in LIBRARIES), "-Wl,--end-group"], check=False, capture_output=True, text=True)


def sources_of(stage):
    found = []
    for folder, _, names in os.walk(os.path.join(PROJECT, "tests/unit", stage)):
        found += [os.path.join(folder, name) for name in sorted(names) if name.endswith("_test.cc")]
    return found


def is_of_linux(source):
    with open(source, encoding="utf-8") as file:
        return os.path.basename(source) in NAMES_OF_LINUX or bool(OF_LINUX.search(file.read()))


def main():
    folder, stages, tap = os.path.abspath(sys.argv[1]), sys.argv[2:] or STAGES, Tap()

    def missing():
        if not os.path.exists(os.path.join(folder, "src/libcudald.a")):
            return "the program for Windows is not built: tools/build windows"
        return None if os.path.exists("/usr/include/doctest/doctest.h") else \
            "doctest is not installed (tools/setup-debian windows)"

    def test(wine, _scratch):
        builder = Builder(folder)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            support = list(pool.map(builder.compile, [os.path.join(PROJECT, f"tests/common/{name}.cc")
                                                      for name in SUPPORT]))
            for stage in stages:
                sources = sources_of(stage)
                taken = [source for source in sources if not is_of_linux(source)]
                for source in sorted(set(sources) - set(taken)):
                    tap.skip(f"{stage}: {os.path.basename(source)}", "about what Linux alone has")
                made = list(pool.map(builder.compile, taken))
                wrong = [line for _, words in support + made for line in words.splitlines() if "error" in line]
                program = os.path.join(builder.made, f"test_{stage}.exe")
                if not wrong:
                    linked = builder.link([path for path, _ in support + made], program)
                    wrong = linked.stderr.splitlines()[:6] if linked.returncode else []
                if wrong:
                    tap.ok(False, f"{stage} is compiled", wrong[:20])
                else:
                    tell(tap, wine, stage, program)

    return with_wine(tap, "unit tests on Windows", [COMPILER], test, missing)


def tell(tap, wine, stage, program):
    done = subprocess.run([wine.program, program, "--reporters=tap"], env=wine.environment, stdin=subprocess.DEVNULL,
                          capture_output=True, check=False, timeout=600)
    lines = done.stdout.decode(errors="replace").replace("\r", "").splitlines()
    cases = [re.match(r"(not )?ok \d+ - (.*)", line) for line in lines]
    for at, case in enumerate(cases):
        if case:
            tap.ok(not case[1], f"{stage}: {case[2]}", lines[at + 1:at + 5] if case[1] else [])
    tap.ok(any(cases) and lines[-1].startswith("1.."), f"{stage}: the tests run to their end",
           [f"exit status {done.returncode}", *lines[-3:], *done.stderr.decode(errors="replace").splitlines()[:5]])


if __name__ == "__main__":
    sys.exit(main())
