#!/usr/bin/env python3
"""Edits ELF files with src/rewrite/ and gives them to the real loader: as edited, after `strip`, and edited again.

    edited_files.py EDIT_FILE [--sample N]

Two parts: files built here by several linkers in unusual forms, in which each edit must take effect (a library is only
found by the new RUNPATH, under the new name, with its versions); and N libraries of this system, which must load as
before with longer search paths and sonames. What is refused is listed. Output is TAP.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from tap import Tap, first  # noqa: E402

LONG = "$ORIGIN/a-directory-with-a-long-name-that-is-not-there:" * 3 + "$ORIGIN/deps"
OLD_NEED, NEW_NEED = "libdep.so.1", "libdep-with-a-longer-name.so.1"
MORE_NEEDS = ("libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "libresolv.so.2")
DEPENDENCY = "int dep(int a) { return a + 41; }\n"
LIBRARY = """
#include <math.h>
#include <stdio.h>
extern int dep(int);
static char zeros[%d];
int data = 7;
__thread int tls_zero;
__thread int tls_data = 3;
int answer(int a) {
  for (int i = 0; i < (int)sizeof zeros; i += 512) if (zeros[i] != 0) return -1;
  zeros[a] = (char)data;
  int (*function)(int) = dep;
  return function(zeros[a]) - 48 + tls_data - 3 + tls_zero + (stdout == 0) + (sin(0.0) != 0.0);
}
"""
PROGRAM = LIBRARY + "int main(void) { puts(answer(1) == 0 ? \"ok\" : \"wrong answer\"); return 0; }\n"
LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** words) {
  void* library = dlopen(words[1], RTLD_NOW);
  if (library == 0) return puts(dlerror()), 1;
  int (*answer)(int) = (int (*)(int))dlsym(library, "answer");
  puts(answer == 0 || answer(1) == 0 ? "ok" : "wrong answer");
  return 0;
}
"""
SHARED = ["-shared", "-fPIC", "-Wl,-soname,libx.so.1"]
# Name, options of gcc, command on the result; a program that is missing skips the row.
FORMS = [
    ("usual", SHARED, None, None),
    ("stripped", SHARED + ["-s"], None, None),
    ("relro and now", SHARED + ["-Wl,-z,relro,-z,now"], None, None),
    ("noseparate-code", SHARED + ["-Wl,-z,noseparate-code"], None, None),
    ("gold", SHARED + ["-fuse-ld=gold"], "ld.gold", None),
    ("lld", SHARED + ["-fuse-ld=lld"], "ld.lld", None),
    ("lld, RELR", SHARED + ["-fuse-ld=lld", "-Wl,-z,pack-relative-relocs"], "ld.lld", None),
    ("SysV hash", SHARED + ["-Wl,--hash-style=sysv"], None, None),
    ("executable stack", SHARED + ["-Wl,-z,execstack"], None, None),
    ("64k pages", SHARED + ["-Wl,-z,max-page-size=65536"], None, None),
    ("debug information", SHARED + ["-g"], None, None),
    ("no section headers", SHARED, None, "cut"),
    ("no spare entries", SHARED + ["-Wl,--spare-dynamic-tags=1"], None, None),
    ("no .bss", SHARED + ["-DZEROS=1"], None, None),
    ("PIE program", ["-pie", "-fPIE"], None, None),
    ("non-PIE program", ["-no-pie"], None, None),
    ("non-PIE program of gold", ["-no-pie", "-fuse-ld=gold"], "ld.gold", None),
    ("PIE program of lld", ["-pie", "-fPIE", "-fuse-ld=lld"], "ld.lld", None),
]


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=60, **options)


def cut_section_headers(path):
    with open(path, "r+b") as file:
        for at, size in ((40, 8), (60, 2), (62, 2)):
            file.seek(at)
            file.write(bytes(size))


class Edited:
    """One file, and what the real loader says of it in each state."""

    def __init__(self, judge, path, load):
        self.judge, self.path, self.load = judge, path, load
        self.faults, self.rooms = [], []

    def edit(self, name, words, source=None):
        """Edits `source` (the file itself) to a new file beside it; None if it is refused."""
        made = os.path.join(os.path.dirname(self.path), name)
        done = run(self.judge.tool, source or self.path, made, *words)
        if done.returncode != 0:
            self.faults.append(f"{name}: {done.stdout.strip() or done.stderr.strip()} {done.returncode}")
            return None
        self.rooms.append(done.stdout.split()[0])
        os.chmod(made, 0o755)
        return made

    def expect(self, what, path, expected="ok"):
        said = self.load(path)
        if said != expected:
            self.faults.append(f"{what}: {said}")

    def strip(self, path):
        stripped = path + ".stripped"
        done = run("strip", "-s", "-o", stripped, path)
        if done.returncode != 0 or done.stderr:
            self.faults.append(f"strip: {done.stderr.strip()}")
        return stripped


class Judge:
    def __init__(self, tool, folder, tap):
        self.tool, self.folder, self.tap = os.path.abspath(tool), folder, tap
        self.loader = os.path.join(folder, "load")
        self.compile("load", LOADER, [])
        os.mkdir(os.path.join(folder, "old"))
        os.mkdir(os.path.join(folder, "deps"))
        with open(os.path.join(folder, "versions"), "w", encoding="ascii") as file:
            file.write("DEP_1.0 { global: dep; local: *; };\n")
        for place, name in (("old", OLD_NEED), ("deps", NEW_NEED)):
            self.compile(f"{place}/{name}", DEPENDENCY,
                         ["-shared", "-fPIC", f"-Wl,-soname,{name},--version-script={folder}/versions"])

    def compile(self, name, source, options):
        made = os.path.join(self.folder, name)
        options = options + ["-ldl", "-lm"]
        return made, subprocess.run(["gcc", "-O1", "-w", "-x", "c", "-", "-x", "none", "-o", made, *options],
                                    input=source, capture_output=True, text=True, check=False)

    def dlopen(self, path):
        done = run(self.loader, path, env={"LD_BIND_NOW": "1"})
        return said_by(done, path)

    def start(self, path):
        return said_by(run(path, env={"LD_BIND_NOW": "1"}), path)

    def judge_form(self, name, options, command):
        is_program = "-shared" not in options
        zeros = 2 if "-DZEROS=1" in options else 200000
        source = (PROGRAM if is_program else LIBRARY) % zeros
        path, done = self.compile(re.sub(r"\W", "-", name), source,
                                  options + [f"-L{self.folder}/old", f"-l:{OLD_NEED}", f"-Wl,-rpath,{self.folder}/old"])
        if done.returncode != 0:
            return self.tap.skip(name, done.stderr.splitlines()[0] if done.stderr else "it cannot be built")
        if command == "cut":
            cut_section_headers(path)
        file = Edited(self, path, self.start if is_program else self.dlopen)
        file.expect("as built", path)
        words = [f"search-path={LONG}", f"rename={OLD_NEED}={NEW_NEED}", "add=libm.so.6"]
        words += [] if is_program else ["soname=libx-with-a-longer-name.so.1"]
        words += ["clear-execstack"] if "execstack" in " ".join(options) else []
        self.judge_edits(file, words, command, is_program)
        return self.tap.ok(not file.faults, f"{name}: {', '.join(sorted(set(file.rooms)))}", first(file.faults))

    def judge_edits(self, file, words, command, is_program):
        folder = os.path.dirname(file.path)
        in_place = file.edit(os.path.basename(file.path) + ".short", ["search-path=" + folder + "/old"])
        if in_place:
            file.expect("in place", in_place)
        edited = file.edit(os.path.basename(file.path) + ".edited", words)
        if edited:
            file.expect("edited", edited)
            self.expect_read(file, edited)
            self.judge_more(file, edited, command)
        if is_program or command:
            return
        moved = file.edit(os.path.basename(file.path) + ".moved", ["largest-bss=0"] + words)
        if moved:
            file.expect("with another room", moved)
            again = file.edit(os.path.basename(file.path) + ".moved2", [f"search-path={LONG}/."], moved)
            if again:
                file.expect("with another room, again", again)

    def judge_more(self, file, edited, command):
        """Edited again, and stripped before and after that."""
        again = file.edit(os.path.basename(edited) + ".again",
                          [f"search-path={LONG}:/another/one"] + [f"add={name}" for name in MORE_NEEDS], edited)
        for each in (edited, again) if command != "cut" else ():
            if each:
                file.expect("stripped", file.strip(each))
        if not again:
            return
        file.expect("again", again)
        if command == "cut":
            return
        third = file.edit(os.path.basename(edited) + ".third", [f"search-path={LONG}:/third"], edited + ".stripped")
        if third:
            file.expect("stripped and edited", third)

        self.expect_form(file, edited)

    @staticmethod
    def expect_form(file, edited):
        """eu-elflint has nothing to say that it did not say before, but that .bss has bytes now, and that the static
        symbol _DYNAMIC, which no loader reads, stays where the table was."""
        if not shutil.which("eu-elflint"):
            return
        before, after = (run("eu-elflint", "--gnu-ld", path).stdout.splitlines() for path in (file.path, edited))
        file.faults += [f"eu-elflint: {line}" for line in after
                        if line not in before and not re.search("'.bss' has wrong type|_DYNAMIC|^No errors", line)]

    @staticmethod
    def expect_read(file, path):
        said = run("readelf", "-Wd", "-V", path)
        text = said.stdout
        for part in (f"[{LONG}]", f"[{NEW_NEED}]", f"File: {NEW_NEED}"):
            if part not in text and not (part.startswith("File:") and "no version" in text.lower()):
                file.faults.append(f"readelf does not show {part}")
        if OLD_NEED in text.replace(NEW_NEED, "") or "Warning" in said.stderr:
            file.faults.append(f"readelf: {said.stderr[:200] or 'the old name is still there'}")

    def judge_system(self, sample):
        """Libraries of this system with longer search paths and sonames."""
        found = sorted({os.path.realpath(path) for path in glob.glob("/usr/lib/*-linux-gnu/*.so.*")})
        chosen = found if sample == 0 else found[:: max(1, len(found) // sample)]
        faults, refused, counted, rooms = [], [], 0, {}
        for path in chosen:
            before = self.dlopen(path)
            if not before.startswith("ok"):
                continue
            counted += 1
            copy = os.path.join(self.folder, "system.so")
            shutil.copy(path, copy)
            file = Edited(self, copy, self.dlopen)
            words = [f"search-path={own_search_path(path)}{os.path.dirname(path)}:{LONG}",
                     "soname=a-much-longer-soname-than-before.so.1"]
            edited = file.edit("system-edited.so", words)
            if edited is None:
                refused.append(f"{path}: {file.faults.pop()}")
                continue
            file.expect("edited", edited)
            if "new-segment" not in file.rooms:
                file.expect("stripped", file.strip(edited))
            again = file.edit("system-again.so", [words[0] + ":/again", "add=libdl.so.2"], edited)
            if again:
                file.expect("again", again)
            rooms[file.rooms[0]] = rooms.get(file.rooms[0], 0) + 1
            faults += [f"{path}: {fault}" for fault in file.faults]
        for line in refused:
            self.tap.comment(f"refused: {line}")
        self.tap.ok(counted > 0 and not faults and len(refused) * 20 <= counted,
                    f"{counted} libraries of this system load as before: {rooms}, {len(refused)} refused",
                    first(faults))


def own_search_path(path):
    """The directories that the file itself names, as they are where it is."""
    found = re.search(r"R(?:UN)?PATH\).*\[(.+)\]", run("readelf", "-Wd", path).stdout)
    return found[1].replace("${ORIGIN}", "$ORIGIN").replace("$ORIGIN", os.path.dirname(path)) + ":" if found else ""


def said_by(done, path):
    if done.returncode < 0:
        return f"signal {-done.returncode}"
    return (done.stdout.strip() or done.stderr.strip()).replace(path, "FILE").split("\n")[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--sample", type=int, default=60, metavar="N", help="0: all")
    options = parser.parse_args()
    tap = Tap()
    missing = [name for name in ("gcc", "strip", "readelf") if not shutil.which(name)]
    if missing:
        tap.skip("edited files", f"{', '.join(missing)} is not installed")
        return tap.finish()
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(options.tool, folder, tap)
        for name, words, program, command in FORMS:
            if program and not shutil.which(program):
                tap.skip(name, f"{program} is not installed")
            else:
                judge.judge_form(name, words, command)
        judge.judge_system(options.sample)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
