#!/usr/bin/env python3
"""Holds the reader of TOML against Python's tomllib, on documents that are whole, edited at random, or made of scraps.

    toml_documents.py CUDALD [--count N] [--seed N]

Each document is given as a pyproject.toml: exit status 2 and a line mean that it is none. What TOML 1.1 allows besides
is not made. Output is TAP.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from tap import Tap, first  # noqa: E402

try:
    import tomllib
except ImportError:
    tomllib = None

WHOLE = b'''a = 1979-05-27T07:32:00Z
b = [ 1, 2.5, "x", 'y', {z = 1, "q r".s = true} ]
c = """
multi \\
   line ""x"" \\u00e9"""
d.e.f = -0.0e-5
g = 0xf_f
[h]
i = 07:32:00.999
[h.j."k l"]
m = +inf
[[n]]
o = 1_000
[[n.p]]
q = []
[[n]]
r = \'\'\'raw
text\'\'\'
'''
SCRAPS = [b"[", b"]", b"[[", b"]]", b"{", b"}", b"=", b",", b".", b'"', b"'", b'"""', b"'''", b"\\", b"\n", b"\r\n",
          b"#", b"0", b"1_0", b"1e5", b"0x1f", b"inf", b"nan", b"-", b"+", b"true", b"1979-05-27", b"T", b"07:32:00",
          b":", b" ", b"\t", b"a", b"b.c", b"\\u0041", b"\xc3\xa9", b"\xff", b"\x00"]


def document(dice):
    if dice.random() < 0.4:
        text = b"".join(dice.choice(SCRAPS) for _ in range(dice.randint(1, 12)))
        return b"a = " + text if dice.random() < 0.6 else text
    text = bytearray(WHOLE)
    for _ in range(dice.randint(0, 3)):
        at = dice.randrange(len(text) + 1)
        text[at : at + dice.choice([0, 0, 1, 2, 5])] = dice.choice(SCRAPS)
    return bytes(text)


def is_read_by_python(text):
    try:
        tomllib.loads(text.decode("utf-8").replace("\r\n", "\n"))
    except ValueError:
        return False
    return True


def is_only_of_toml_1_1(text):
    """Ends of lines or a comma before the end in braces, times without seconds, and two new escapes."""
    return b"{" in text or b"\\x" in text or b"\\e" in text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tap = Tap()
    if tomllib is None:
        tap.skip("documents of TOML", "this Python has no tomllib")
        return tap.finish()
    program = os.path.abspath(options.cudald)
    dice = random.Random(options.seed)
    wrong, read = [], 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pyproject.toml")
        for _ in range(options.count):
            text = b"# cudald\n" + document(dice)
            with open(path, "wb") as file:
                file.write(text)
            run = subprocess.run([program, "config", "show", "--config", path], capture_output=True, cwd=folder)
            expected = is_read_by_python(text)
            read += expected
            answer = run.stderr.decode(errors="replace")
            if run.returncode not in (0, 2) or (run.returncode == 2 and ": line " not in answer):
                wrong.append(f"{text!r}: status {run.returncode}: {answer}")
            elif (run.returncode == 0) != expected and not (run.returncode == 0 and is_only_of_toml_1_1(text)):
                wrong.append(f"{text!r}: Python {'reads' if expected else 'refuses'} it: {answer}")
    tap.ok(not wrong, "what Python reads is read, and nothing else", first(wrong))
    tap.ok(read > options.count / 20, f"{read} of {options.count} documents are whole")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
