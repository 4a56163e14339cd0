#!/usr/bin/env python3
"""Edits ELF files with src/rewrite/ and gives them to the real loader: as edited, after `strip`, and edited again.

    edited_files.py EDIT_FILE                      unusual forms of files, and a sample of this system's
    edited_files.py EDIT_FILE --sample 0           all libraries and programs of this system
    edited_files.py EDIT_FILE --root DIR           those of another root, by the loader of that root
    edited_files.py EDIT_FILE --files DIR...       the libraries below directories: unpacked wheels (--musl: for musl)
    edited_files.py EDIT_FILE --machines           the forms, for other processors, by cross compilers and QEMU

In the forms, which are built here, each edit must take effect: a library is only found by the new RUNPATH, under the
new name, with its versions. Files of a system must load as before, with longer search paths and sonames: libraries by
dlopen with all symbols bound, programs by what their loader lists. What is refused is listed. Output is TAP.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Tuple

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, os.path.join(HERE, "..", "scenario"))

from elf_file import DT_RPATH, DT_RUNPATH, EM_X86_64, ET_DYN, ET_EXEC, ElfFile  # noqa: E402
from machines import MACHINES  # noqa: E402
from tap import Tap, first  # noqa: E402

LONG = "$ORIGIN/a-directory-with-a-long-name-that-is-not-there:" * 3 + "$ORIGIN/deps"
OLD_NEED, NEW_NEED = "libdep.so.1", "libdep-with-a-longer-name.so.1"
# Parts of the C library, which musl takes for itself, but for the last one.
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
# Name, options of gcc, program that it takes, what is done with the result; without the program the row is skipped.
FORMS = [
    ("usual", SHARED, None, None),
    ("stripped", SHARED + ["-s"], None, None),
    ("relro and now", SHARED + ["-Wl,-z,relro,-z,now"], None, None),
    ("noseparate-code", SHARED + ["-Wl,-z,noseparate-code"], None, None),
    ("gold", SHARED + ["-fuse-ld=gold"], "ld.gold", None),
    ("lld", SHARED + ["-fuse-ld=lld"], "ld.lld", None),
    ("lld, RELR", SHARED + ["-fuse-ld=lld", "-Wl,-z,pack-relative-relocs"], "ld.lld", None),
    ("mold", SHARED + ["-fuse-ld=mold"], "ld.mold", None),
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
    ("PIE program of mold", ["-pie", "-fPIE", "-fuse-ld=mold"], "ld.mold", None),
]
# Those that every toolchain can make.
COMMON_FORMS = ("usual", "stripped", "relro and now", "noseparate-code", "SysV hash", "64k pages", "no section headers",
                "no spare entries", "no .bss", "PIE program", "non-PIE program")


@dataclass(frozen=True)
class Language:
    """A library of another language that has `answer` and calls `dep`, or a program that does so."""
    name: str
    program: str                # its compiler
    file: str
    source: str
    command: Tuple[str, ...]    # {source}, {made} and {dependencies} are put in
    is_program: bool = False


RUST_LINK = ("-C", "link-arg=-l:" + OLD_NEED, "-C", "link-arg=-L{dependencies}",
             "-C", "link-arg=-Wl,-rpath,{dependencies}", "-C", "link-arg=-Wl,--no-as-needed",
             "-o", "{made}", "{source}")
GO_SOURCE = """package main
// extern int dep(int);
import "C"
import "fmt"

//export answer
func answer(a C.int) C.int { return C.dep(a+6) - 48 }

func main() { if answer(1) == 0 { fmt.Println("ok") } }
"""
GO = ("env", "CGO_ENABLED=1", "GO111MODULE=off", "GOCACHE={made}.cache",
      "CGO_LDFLAGS=-L{dependencies} -l:" + OLD_NEED + " -Wl,-rpath,{dependencies}", "go", "build", "-o", "{made}")
LANGUAGES = [
    Language("Rust", "rustc", "answer.rs",
             'extern "C" { fn dep(a: i32) -> i32; }\n'
             '#[no_mangle] pub extern "C" fn answer(a: i32) -> i32 { unsafe { dep(a + 6) - 48 } }\n',
             ("rustc", "--crate-type=cdylib", "-C", "link-arg=-Wl,-soname,libx.so.1", *RUST_LINK)),
    Language("program of Rust", "rustc", "main.rs",
             'extern "C" { fn dep(a: i32) -> i32; }\n'
             'fn main() { if unsafe { dep(7) } == 48 { println!("ok"); } }\n', ("rustc", *RUST_LINK), True),
    Language("Fortran", "gfortran", "answer.f90",
             "function answer(a) bind(c, name='answer') result(r)\n  use iso_c_binding\n"
             "  integer(c_int), value :: a\n  integer(c_int) :: r\n  interface\n"
             "    function dep(b) bind(c, name='dep') result(s)\n      use iso_c_binding\n"
             "      integer(c_int), value :: b\n      integer(c_int) :: s\n    end function\n  end interface\n"
             "  r = dep(a + 6) - 48\nend function\n",
             ("gfortran", "-shared", "-fPIC", "-Wl,-soname,libx.so.1", "-o", "{made}", "{source}", "-L{dependencies}",
              "-l:" + OLD_NEED, "-Wl,-rpath,{dependencies}")),
    Language("Go", "go", "answer.go", GO_SOURCE, (*GO, "-buildmode=c-shared", "{source}")),
    Language("program of Go", "go", "main.go", GO_SOURCE, (*GO, "{source}"), True),
]


def run(*command, **options):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=300,
                              **options)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "no end within 300 s")


def cut_section_headers(path):
    with open(path, "r+b") as file:
        is_64_bit = file.read(5)[4] == 2
        for at, size in ((40, 8), (60, 2), (62, 2)) if is_64_bit else ((32, 4), (48, 2), (50, 2)):
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
        done = run(self.judge.strip, "-s", "-o", stripped, path)
        if done.returncode != 0 or done.stderr:
            self.faults.append(f"strip: {done.stderr.strip()}")
        return stripped


class Judge:
    """Files of one toolchain, and the loader that they are made for."""

    def __init__(self, tool, folder, tap, compiler="gcc", runner=(), linked=()):
        self.tool, self.folder, self.tap = os.path.abspath(tool), folder, tap
        self.runner, self.compiler = runner, compiler
        self.more_needs = MORE_NEEDS[:-1] if compiler.startswith("musl") else MORE_NEEDS
        self.strip = compiler[:-3] + "strip" if compiler.endswith("-gnu-gcc") or "-gnueabi" in compiler else "strip"
        self.loader = os.path.join(folder, "load")
        for name in ("old", "deps"):
            os.mkdir(os.path.join(folder, name))
        with open(os.path.join(folder, "versions"), "w", encoding="ascii") as file:
            file.write("DEP_1.0 { global: dep; local: *; };\n")
        self.expect_built(self.compile("load", LOADER, list(linked)))
        for place, name in (("old", OLD_NEED), ("deps", NEW_NEED)):
            self.expect_built(
                self.compile(f"{place}/{name}", DEPENDENCY,
                             ["-shared", "-fPIC", f"-Wl,-soname,{name},--version-script={folder}/versions"]))

    def expect_built(self, made):
        if made[1].returncode != 0:
            self.tap.bail_out(f"{self.compiler}: {made[1].stderr.strip()}")

    def compile(self, name, source, options):
        made = os.path.join(self.folder, name)
        options = options + ["-ldl", "-lm"]
        return made, subprocess.run([self.compiler, "-O1", "-w", "-x", "c", "-", "-x", "none", "-o", made, *options],
                                    input=source, capture_output=True, text=True, check=False)

    def dlopen(self, path, searched=""):
        environment = {"LD_BIND_NOW": "1", "LD_LIBRARY_PATH": searched}
        return said_by(run(*self.runner, self.loader, path, env=environment), path)

    def survives_strip(self, path, load, before):
        """What other writers have edited may not: no edit of ours puts that right."""
        stripped = os.path.join(self.folder, "stripped")
        done = run(self.strip, "-s", "-o", stripped, path)
        return done.returncode == 0 and not done.stderr and load(stripped) == before

    def start(self, path):
        return said_by(run(*self.runner, path, env={"LD_BIND_NOW": "1"}), path)

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
        return self.judge_built(name, path, is_program, command, "execstack" in " ".join(options))

    def judge_language(self, language):
        folder = os.path.join(self.folder, re.sub(r"\W", "-", language.name))
        os.mkdir(folder)
        source = os.path.join(folder, language.file)
        with open(source, "w", encoding="ascii") as file:
            file.write(language.source)
        made = os.path.join(self.folder, "made-" + os.path.basename(folder))
        words = [word.format(source=source, made=made, dependencies=os.path.join(self.folder, "old"))
                 for word in language.command]
        done = run(*words, cwd=folder)
        if done.returncode != 0:
            return self.tap.skip(language.name, "it cannot be built: " + (done.stderr.strip() or "?").splitlines()[-1])
        return self.judge_built(language.name, made, language.is_program, None, False)

    def judge_built(self, name, path, is_program, command, has_executable_stack):
        file = Edited(self, path, self.start if is_program else self.dlopen)
        file.expect("as built", path)
        words = [f"search-path={LONG}", f"rename={OLD_NEED}={NEW_NEED}", "add=libm.so.6"]
        words += [] if is_program else ["soname=libx-with-a-longer-name.so.1"]
        words += ["clear-execstack"] if has_executable_stack else []
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
                          [f"search-path={LONG}:/another/one"] + [f"add={name}" for name in self.more_needs],
                          edited)
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
        symbol _DYNAMIC, or the section's own (mold), which no loader reads, stays where the table was."""
        if not shutil.which("eu-elflint"):
            return
        before, after = (run("eu-elflint", "--gnu-ld", path).stdout.splitlines() for path in (file.path, edited))
        known = re.compile(r"'.bss' has wrong type|_DYNAMIC|symbol \d+ \(\): st_value out of bounds|^No errors")
        file.faults += [f"eu-elflint: {line}" for line in after if line not in before and not known.search(line)]

    @staticmethod
    def expect_read(file, path):
        said = run("readelf", "-Wd", "-V", path)
        text = said.stdout
        for part in (f"[{LONG}]", f"[{NEW_NEED}]", f"File: {NEW_NEED}"):
            if part not in text and not (part.startswith("File:") and "no version" in text.lower()):
                file.faults.append(f"readelf does not show {part}")
        if OLD_NEED in text.replace(NEW_NEED, "") or "Warning" in said.stderr:
            file.faults.append(f"readelf: {said.stderr[:200] or 'the old name is still there'}")


class Sweep:
    """Files that are there: they load with longer search paths and sonames as they did before."""

    def __init__(self, judge, list_loaded):
        self.judge, self.list_loaded = judge, list_loaded
        self.faults, self.refused, self.rooms, self.programs, self.libraries, self.same_error = [], [], {}, 0, 0, 0

    def judge_file(self, path):
        elf = ElfFile(path)
        is_program = elf.interp is not None
        searched = own_search_path(elf) + os.path.dirname(path)
        # Not by the new DT_RUNPATH alone, which what the file needs does not inherit as it does a DT_RPATH.
        load = self.list_loaded if is_program else lambda file: self.judge.dlopen(file, searched)
        before = load(path)
        # A copy in another directory does not find what is needed by a path from the file's own.
        if (is_program and not before) or any(name.startswith("$ORIGIN/") for name in elf.needed):
            return
        copy = os.path.join(self.judge.folder, "system.so")
        shutil.copy(path, copy)
        file = Edited(self.judge, copy, load)
        words = [f"search-path={searched}:{LONG}"]
        words += [] if is_program else ["soname=a-much-longer-soname-than-before.so.1"]
        edited = file.edit("system-edited.so", words)
        if edited is None:
            self.refused.append(f"{path}: {file.faults.pop()}")
            return
        # What fails for want of a symbol that its users have fails with the same words.
        file.expect("edited", edited, before)
        if "new-segment" not in file.rooms and self.judge.survives_strip(path, load, before):
            file.expect("stripped", file.strip(edited), before)
        again = file.edit("system-again.so", [words[0] + ":/again", "add=libdl.so.2"], edited)
        if again and not is_program:
            file.expect("again", again, before)
        self.rooms[file.rooms[0]] = self.rooms.get(file.rooms[0], 0) + 1
        self.faults += [f"{path}: {fault}" for fault in file.faults]
        self.programs += is_program
        self.libraries += not is_program
        self.same_error += before != "ok" and not is_program

    def judge_all(self, paths, title):
        for path in paths:
            self.judge_file(path)
        for line in self.refused:
            self.judge.tap.comment(f"refused: {line}")
        counted = self.programs + self.libraries
        self.judge.tap.ok(
            counted > 0 and not self.faults and len(self.refused) * 20 <= counted,
            f"{title}: {self.libraries} libraries and {self.programs} programs load as before: {self.rooms}, "
            f"{len(self.refused)} refused; {self.same_error} of the libraries lack a symbol or file, before and after",
            first(self.faults))


def is_dynamic(path):
    """A regular x86-64 file that is dynamically linked; not one that was split off for debuggers, which has nothing to
    load."""
    if os.path.islink(path) or not os.path.isfile(path) or path.endswith(".debug"):
        return False
    try:
        file = ElfFile(path)
    except ValueError:
        return False
    return (file.bits, file.order, file.machine) == (64, "<", EM_X86_64) and file.type in (ET_EXEC, ET_DYN) and bool(
        file.dynamic)


def files_of_system(root, everything):
    """Shared libraries and, if asked, programs of a root, sorted by path."""
    if everything:
        places = ("/usr/lib", "/usr/libexec", "/usr/bin", "/usr/sbin")
        return sorted(path for place in places for path in files_below(root + place))
    return sorted(path for path in glob.glob(root + "/usr/lib/*-linux-gnu/*.so*") if is_dynamic(path))


def files_below(top):
    """Dynamically linked files of a directory; links to directories are not followed, as they may form a circle."""
    return [path for folder, _, names in os.walk(top) for path in (os.path.join(folder, name) for name in names)
            if is_dynamic(path)]


def own_search_path(file):
    """The directories that the file itself names, as they are where it is."""
    found = file.strings(DT_RUNPATH) or file.strings(DT_RPATH)
    return "".join(one.replace("${ORIGIN}", "$ORIGIN").replace("$ORIGIN", os.path.dirname(file.path)) + ":"
                   for one in found[-1:])


def said_by(done, path):
    if done.returncode < 0:
        return f"signal {-done.returncode}"
    last = (done.stdout.strip() or done.stderr.strip()).replace(path, "FILE").split("\n")[-1]
    return re.sub(r"^==\d+==", "", last)  # a sanitizer's message begins with the process


def names_listed(done):
    """What `ld.so --list` prints, without the addresses; nothing if it refuses. /lib is a link to /usr/lib."""
    return re.sub(r" \(0x[0-9a-f]+\)|/usr(?=/lib)", "", done.stdout) if done.returncode == 0 else ""


def judge_forms(tool, tap, title, compiler, runner, forms):
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(tool, os.path.realpath(folder), tap, compiler, runner)
        for name, words, program, command in forms:
            if program and not shutil.which(program):
                tap.skip(title + name, f"{program} is not installed")
            else:
                judge.judge_form(title + name, words, command)
        for language in LANGUAGES if compiler == "gcc" else ():
            if not shutil.which(language.program):
                tap.skip(language.name, f"{language.program} is not installed")
            else:
                judge.judge_language(language)


def judge_other_machines(tool, tap):
    common = [form for form in FORMS if form[0] in COMMON_FORMS]
    for machine in MACHINES.values():
        if machine.name != "x86_64" and machine.lacking():
            tap.skip(machine.name, machine.lacking() + " is missing")
        elif machine.name != "x86_64":
            judge_forms(tool, tap, machine.name + ", ", machine.compiler, machine.runner, common)


def judge_musl(tool, tap):
    if shutil.which("musl-gcc"):
        judge_forms(tool, tap, "musl, ", "musl-gcc", (), [form for form in FORMS if form[0] in COMMON_FORMS])
    else:
        tap.skip("musl", "musl-gcc is not installed (Debian: musl-tools)")


def judge_files(tool, tap, options):
    """What is there: of this system, of another root, or in directories."""
    root = os.path.realpath(options.root) if options.root else ""
    runner, linked = (), []
    loader = root + "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
    if root:
        libraries = root + "/usr/lib/x86_64-linux-gnu"
        runner = (loader, "--inhibit-cache", "--library-path", libraries)
        # The program that opens them takes the names and versions that this glibc has.
        linked = ["-nodefaultlibs", "-Wl,--allow-shlib-undefined", *glob.glob(libraries + "/libdl.so.2"),
                  libraries + "/libc.so.6"]
    if options.musl:
        loader = f"/lib/ld-musl-{os.uname().machine}.so.1"
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(tool, os.path.realpath(folder), tap, "musl-gcc" if options.musl else "gcc", runner, linked)
        options_of_list = runner[1:] if root else ()
        sweep = Sweep(judge, lambda path: names_listed(
            run(loader, *options_of_list, "--list", path, env={"LD_BIND_NOW": "1"})).replace(path, "FILE"))
        if options.files:
            found = sorted(path for top in options.files for path in files_below(os.path.realpath(top)))
            title = "files below " + ", ".join(os.path.basename(top.rstrip("/")) for top in options.files)
        else:
            found = files_of_system(root, options.sample == 0)
            title = "another root" if root else "this system"
        if options.sample:
            found = found[:: max(1, len(found) // options.sample)]
        sweep.judge_all(found, title)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--sample", type=int, metavar="N", help="how many files of the system; 0: all")
    parser.add_argument("--root", metavar="DIR", help="the root of another system")
    parser.add_argument("--files", nargs="+", metavar="DIR", help="directories with libraries")
    parser.add_argument("--musl", action="store_true", help="the libraries of --files are for musl")
    parser.add_argument("--machines", action="store_true", help="the forms for other processors alone")
    options = parser.parse_args()
    tap = Tap()
    missing = [name for name in ("gcc", "strip", "readelf") if not shutil.which(name)]
    if missing:
        tap.skip("edited files", f"{', '.join(missing)} is not installed")
        return tap.finish()
    if options.machines:
        judge_other_machines(options.tool, tap)
        return tap.finish()
    if options.sample is None:
        options.sample = 0 if options.root or options.files else 60
    if not options.root and not options.files:
        judge_forms(options.tool, tap, "", "gcc", (), FORMS)
        judge_musl(options.tool, tap)
    judge_files(options.tool, tap, options)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
