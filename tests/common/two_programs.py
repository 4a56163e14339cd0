"""Asks two builds of cudald the same question, side by side, and shows where their answers differ."""

import difflib
import json
import shlex
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

SECONDS = 120
LINES, COLUMNS = 14, 160  # of a difference that is shown


@dataclass
class Answer:
    status: int  # negative: the signal
    stdout: bytes
    stderr: bytes

    def __str__(self):
        return f"exit status {self.status}"


def ask_both(programs, words, stdin=b"", **options):
    """The Answer of each program to `words`; `options` are those of subprocess."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda program: ask(program, words, stdin, **options), programs))


def ask(program, words, stdin, **options):
    # Into files, not pipes: a program may write megabytes while the other is read.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        try:
            # Under one name, which stands in its complaints.
            done = subprocess.run(["cudald", *words], executable=program, stdin=given, stdout=out, stderr=err,
                                  check=False, timeout=SECONDS, **options)
        except subprocess.TimeoutExpired:
            return Answer(-9, b"", f"still ran after {SECONDS} s\n".encode())
        for file in (out, err):
            file.seek(0)
        return Answer(done.returncode, out.read(), err.read())


def difference(answers):
    """The lines in which two answers differ, few and short; none if they are equal byte for byte."""
    old, new = answers
    if old == new:
        return []
    lines = [] if old.status == new.status else [f"- {old}", f"+ {new}"]
    for name in ("stdout", "stderr"):
        lines += unified(name, getattr(old, name), getattr(new, name))
    rest = len(lines) - LINES
    lines = [printable(line) for line in lines[:LINES]]
    return lines + ([f"... and {rest} more lines"] if rest > 0 else [])


def unified(name, old, new):
    if old == new:
        return []
    before, after = in_lines(old), in_lines(new)
    if before == after:  # documents that differ in their spelling alone
        before, after = text(old).splitlines(), text(new).splitlines()
    if before == after:
        return [f"{name}: the ends of lines differ"]
    return list(difflib.unified_diff(before, after, f"{name} of the old", f"{name} of the new", n=1, lineterm=""))


def in_lines(data):
    try:
        return json.dumps(json.loads(data), indent=1).splitlines()
    except ValueError:
        return text(data).splitlines()


def text(data):
    return data.decode("utf-8", "backslashreplace")


def printable(line):
    line = "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in line)
    return line if len(line) <= COLUMNS else line[:COLUMNS] + "..."


def spelled(programs, words, cwd=None, stdin_file=None):
    """What a reader types to see the difference again."""
    given = f" < {shlex.quote(stdin_file)}" if stdin_file else ""
    sides = [f"<({shlex.join([program, *words])}{given} 2>&1)" for program in programs]
    return (f"cd {shlex.quote(str(cwd))} && " if cwd else "") + "diff " + " ".join(sides)
