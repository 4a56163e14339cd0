#!/usr/bin/env python3
"""Ways in which packages load libraries and modules, each staged in a few files: a real import decides what is right.

    idioms.py CUDALD [NAME...]

Each file of idioms/ is one way, in words of our own: what it is and in which package it was met, which module to import
(`# import: NAME`), and then files of site-packages, each below a line `== PATH`. A line `== PATH: library` is a shared
library, with its source in C below it or nothing, and `== PATH: module [imports NAME...]` an extension module, which
imports these when it is initialised, or which `makes` modules of these names, each with an `Error`; both are compiled
here. What an older Python does not know has a line `# since: 3.15`. The real import of this Python is
held against `cudald --prefix`: the same files, in both directions, and the same error if it fails. Output is TAP.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(os.path.abspath(__file__)).parent
sys.path.insert(0, str(HERE.parent / "common"))

from real_loads import (  # noqa: E402
    CannotAsk, differences, import_once, predict, really_loaded, without_loader,
)
from tap import Tap, first  # noqa: E402

LIBRARY = "__attribute__((constructor)) static void loaded(void) {}\n"
# PyModuleDef and the functions as every Python 3 has them: its headers need not be installed.
MODULE = """
typedef struct { long references; void *type, *init; long index; void *copy; const char *name, *doc; long size;
                 void *methods, *slots, *traverse, *clear, *release; } Definition;
extern void *PyModule_Create2(Definition *, int);
extern void *PyImport_ImportModule(const char *);
extern void *PyImport_AddModule(const char *);
extern int PyObject_SetAttrString(void *, const char *, void *);
extern void *PyExc_Exception;
static Definition definition = {.references = 1, .name = "NAME", .size = -1};
__attribute__((constructor)) static void loaded(void) {}
void *PyInit_NAME(void) {
  FIRST
  return PyModule_Create2(&definition, 1013);
}
"""


def parts(text):
    """What stands below each line `== PATH`: (path, kind, text)."""
    for part in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        head, _, content = part.partition("\n")
        path, _, kind = head.partition(": ")
        yield path, kind, content


def compile_to(path, source):
    done = subprocess.run(["cc", "-shared", "-fPIC", "-w", "-x", "c", "-o", str(path), "-"], input=source, text=True,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise CannotAsk(f"cc: {done.stderr.strip()[-300:]}")


STATEMENTS = {
    "imports": 'if (!PyImport_ImportModule("{name}")) return 0;\n  ',
    "makes": 'if (PyObject_SetAttrString(PyImport_AddModule("{name}"), "Error", PyExc_Exception)) return 0;\n  ',
}


def module_source(path, verb, names):
    lines = "".join(STATEMENTS[verb].format(name=name) for name in names)
    return MODULE.replace("NAME", path.name.partition(".")[0]).replace("FIRST", lines)


def stage(text, prefix):
    """An environment with these files in site-packages."""
    venv.create(prefix, symlinks=True, with_pip=False)
    site = next(Path(prefix, "lib").glob("python*")) / "site-packages"
    for name, kind, content in parts(text):
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        words = kind.split()
        if not words:
            path.write_text(content, encoding="utf-8")
        elif words == ["library"]:
            compile_to(path, content if content.strip() else LIBRARY)
        elif words[0] == "module" and (len(words) == 1 or words[1] in STATEMENTS):
            compile_to(path, module_source(path, *words[1:2] or ["imports"], words[2:]))
        else:
            raise CannotAsk(f"{name}: unknown kind {kind!r}")


def compare(tap, cudald, name, text):
    module = re.search(r"^# import: (\S+)$", text, re.MULTILINE)[1]
    since = re.search(r"^# since: 3\.(\d+)$", text, re.MULTILINE)
    if since and sys.version_info < (3, int(since[1])):
        return tap.skip(name, f"needs Python 3.{since[1]}")
    with tempfile.TemporaryDirectory(prefix="cudald-idiom-") as folder:
        prefix, work = os.path.realpath(os.path.join(folder, "env")), os.path.join(folder, "work")
        os.mkdir(work)
        stage(text, prefix)
        python = os.path.join(prefix, "bin", "python")
        import_once(python, module, work, 60)
        real, exceptions = really_loaded(python, module, work, 60)
        report, predicted = predict(cudald, ["--prefix", prefix, "py:" + module], work)
        faults = [fault.replace(prefix, "PREFIX")
                  for fault in differences(without_loader(real), without_loader(predicted))]
        told = report["targets"][0]["error"]
        if told not in (exceptions or [None]):
            faults.append(f"really {' and '.join(exceptions) or 'imported'}, predicted {told or 'imported'}")
        own = sum(path.startswith(prefix) for path in real)
        awaited = re.search(r"^# not yet: (.+)$", text, re.MULTILINE)
        if awaited and faults:
            return tap.skip(name, "predicted wrongly: " + awaited[1])
        tap.ok(not faults, f"{name}: {'fails' if exceptions else 'works'}, {own} files of its own", first(faults, 60))


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("cudald")
    words.add_argument("names", nargs="*", metavar="NAME")
    options = words.parse_args()
    cudald = os.path.abspath(options.cudald)
    tap = Tap()
    for path in sorted((HERE / "idioms").glob("*.txt")):
        if options.names and path.stem not in options.names:
            continue
        if shutil.which("cc") is None:
            tap.skip(path.stem, "no compiler cc is installed")
            continue
        try:
            compare(tap, cudald, path.stem, path.read_text(encoding="utf-8"))
        except (CannotAsk, OSError, ValueError) as fault:
            tap.ok(False, path.stem, [str(fault)])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
