#!/usr/bin/env python3
"""What true_expressions.txt says of Python is so: each case is run by this Python. The unit tests of src/python hold
the interpreter of cudald against the same cases. Output is TAP.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(os.path.abspath(__file__)).parent
sys.path.insert(0, str(HERE.parent / "common"))

from tap import Tap  # noqa: E402

BEFORE = ("import os, sys, json, glob, ctypes, pathlib, importlib, importlib.util, importlib.machinery\n"
          "import importlib.metadata, platform\nimport p, p.q\nfrom p import q\nhere = os.path.dirname(__file__)\n")


def read_parts(text):
    """(path -> text of the files, (exception or None, code) of each case)."""
    files, cases = {}, []
    for part in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        head, _, content = part.partition("\n")
        if head != "cases" and not head.startswith("caught "):
            files[head] = content.rstrip("\n") + "\n" if content.strip() else ""
            continue
        error = head.partition(" ")[2] or None
        cases += [(error, case) for case in re.split(r"\n{2,}", content.strip("\n"))]
    return files, cases


def program(error, case):
    lines = case.splitlines()
    if error is None:
        return "\n".join([*lines[:-1], f"assert ({lines[-1]}) is True"])
    return f"try:\n  {lines[-1]}\nexcept {error}:\n  pass\nelse:\n  raise AssertionError"


def run_here(error, case, names):
    """Whether it is so; in a process of its own, as a case may change the modules."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            exec(compile(program(error, case), "case", "exec"), names)  # pylint: disable=exec-used
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def main():
    files, cases = read_parts((HERE / "true_expressions.txt").read_text(encoding="utf-8"))
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        sys.path.insert(0, folder)
        names = {"__name__": "m", "__file__": str(Path(folder, "m.py"))}
        exec(BEFORE, names)  # pylint: disable=exec-used
        for error, case in cases:
            tap.ok(run_here(error, case, names), case.splitlines()[-1])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
