#!/usr/bin/env python3
"""Holds what cudald says of sources that Python does not compile against Python's own compiler.

    refused_sources.py REFUSED_SOURCES [--count COUNT] [--seed SEED] [FOLDER...]

REFUSED_SOURCES is the program of that name, which reads paths and says what the release of the Python that runs this
refuses. First come all sources below each FOLDER, without any those of the standard library, its tests included: where
Python compiles one, cudald must, and the other way round. Then COUNT mutants of parts of them, a third of them inside
of a function, by the seed. What Python refuses for a reason that is not looked at is in NOT_KNOWN. Output is TAP.
"""

import argparse
import io
import os
import pathlib
import random
import re
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import tokenize
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))

from tap import Tap  # noqa: E402

PUT_IN = ["=", "==", ":=", "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "*", "**", "->", "@", "+", "-", "/", "%",
          "not", "in", "is", "and", "or", "if", "else", "for", "while", "def", "class", "return", "yield", "lambda",
          "import", "from", "as", "with", "try", "except", "finally", "raise", "del", "global", "nonlocal", "pass",
          "break", "continue", "async", "await", "None", "True", "1", "1a", "0777", '"', "'", '"""', "\\", "$", "?",
          "!", "x y", "\t", "  ", "\n", 'f"{x"', 'b"é"', '"\\x1"', "“", "print x", "0x", "1_", "f'{x!z}'"]
# Reasons that need more than the grammar and the scopes of one function, or Unicode's tables.
NOT_KNOWN = re.compile(r"no binding for nonlocal|unknown Unicode character name|is used prior to|"
                       r"is assigned to before|comprehension|annotated name|multiple (starred|assignments)|"
                       r"makes remaining patterns|alternative patterns bind|nested|"
                       r"'await' outside async|too many statically|mapping pattern|attribute name repeated|"
                       r"is nonlocal and global|encoding problem|unknown encoding|"
                       r"assignment expression (within|cannot)|codec can't decode")


def refusal(text):
    """What Python says, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "x", "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            return f"{type(error).__name__}: {getattr(error, 'msg', error)}"
        except (RecursionError, MemoryError):
            return "unsure"
    return None


def mutant(draw, text):
    """A part of the text with one token left out, put in or replaced; None where that is not possible."""
    lines = text.splitlines(True)
    begin = draw.randrange(len(lines))
    part = textwrap.dedent("".join(lines[begin:begin + draw.randrange(1, 40)]))
    if refusal(part) is not None or "__future__" in part:
        return None
    try:
        tokens = [one for one in tokenize.generate_tokens(io.StringIO(part).readline)
                  if one.string.strip() and one.type != tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError):
        return None
    if not tokens:
        return None
    lines = part.splitlines(True)
    token, other = draw.choice(tokens), draw.choice(tokens)
    at, end = (sum(map(len, lines[:row - 1])) + column for row, column in (token.start, token.end))
    how = draw.randrange(4)
    put_in = ["", draw.choice(PUT_IN) + " ", draw.choice(PUT_IN), other.string][how]
    made = part[:at] + put_in + part[at if how == 1 else end:]
    if draw.randrange(3) == 0:
        made = "def outer():\n" + textwrap.indent(made, "    ") + "\n"
    return made


def ask(program, paths):
    asked = subprocess.run([program, str(sys.version_info.minor)], input="\n".join(map(str, paths)) + "\n",
                           capture_output=True, text=True, errors="surrogateescape", check=True)
    return [line.partition("\t")[2] or None for line in asked.stdout.split("\n")[:-1]]


def differences(true, found):
    """Which of two answers are about different verdicts: "compiles" and "refused" of each."""
    if true == "unsure" or (true is not None and NOT_KNOWN.search(true)):
        return None
    return (true is None) != (found is None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("folders", nargs="*")
    given = parser.parse_args()
    tap = Tap()
    texts = []
    for folder in given.folders or [sysconfig.get_path("stdlib")]:
        paths = sorted(path for path in pathlib.Path(folder).rglob("*.py") if path.is_file()
                       and (given.folders or "site-packages" not in path.parts))
        wrong = []
        for path, found in zip(paths, ask(given.program, paths)):
            data = path.read_bytes()
            true = refusal(data)
            if differences(true, found):
                wrong.append(f"{path}: Python {true}, cudald {found}")
            if true is None and 0 < len(data) < 20000:
                texts.append(data.decode("utf-8", "replace"))
        tap.ok(paths and not wrong, f"{len(paths)} sources below {folder} compile as Python does", wrong[:given.show])
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        made = []
        while len(made) < given.count:
            text = mutant(draw, draw.choice(texts))
            if text is not None:
                path = os.path.join(folder, f"{len(made)}.py")
                pathlib.Path(path).write_bytes(text.encode("utf-8", "replace"))
                made.append((path, text, refusal(text)))
        answers = ask(given.program, [path for path, _, _ in made])
    lost, false, same, refused, left_out = [], [], 0, 0, 0
    for (_, text, true), found in zip(made, answers):
        differs = differences(true, found)
        left_out += differs is None
        refused += true is not None and differs is not None
        same += true is not None and found == true
        if differs:
            (lost if found is None else false).append(f"Python {true}, cudald {found}:\n{text}")
    tap.ok(not false, f"of {len(made)} mutants, none that Python compiles is refused", false[:given.show])
    tap.ok(not lost, f"{refused} that Python refuses are refused, {same} with its words; {left_out} left out",
           lost[:given.show])
    return tap.finish()


if __name__ == "__main__":
    sys.setrecursionlimit(20000)
    sys.exit(main())
