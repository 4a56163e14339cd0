#!/usr/bin/env python3
"""The documentation: the commands of the quick start print what is shown, every snippet is valid, every finding has a
page, and mkdocs builds the site without broken links. Writes TAP.

run.py CUDALD [--update]      --update writes the present outputs into the tutorial
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from cached_python import cached_python  # noqa: E402
from documents import documents, snippets  # noqa: E402
from pinned import PROJECT, WHEELS, fetch_wheels  # noqa: E402
from tap import Tap  # noqa: E402

TUTORIAL = Path(PROJECT) / "docs" / "tutorial.md"
PLACE = "/home/you/wheels"  # as the folder is called in the tutorial
WHEELS_USED = (
    ("nvidia_cuda_runtime_cu12-12.4.127-py3-none-manylinux2014_x86_64.whl", "pins.txt"),
    ("xxhash-4.0.1-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.manylinux_2_28_x86_64.whl",
     "pins-contract.txt"),
)
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def said(block, folder, cudald):
    """The block with what its commands print now."""
    text = ""
    environment = {"PATH": os.path.dirname(cudald) + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(folder),
                   "SOURCE_DATE_EPOCH": "1795305600"}
    for line in block.split("\n"):
        if not line.startswith("$ "):
            continue
        done = subprocess.run(["bash", "-c", line[2:]], cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        text += line + "\n" + done.stdout.replace(str(folder), PLACE)
    return text


def test_tutorial(tap, cudald, update):
    missing = [why for name, pins in WHEELS_USED for why in [fetch_wheels([name], pins=pins)] if why]
    if missing:
        tap.skip("the tutorial is true", missing[0])
        return
    text = TUTORIAL.read_text()
    with tempfile.TemporaryDirectory(prefix="cudald-docs-") as name:
        for wheel, _ in WHEELS_USED:
            os.symlink(os.path.join(WHEELS, wheel), os.path.join(name, wheel))

        def replaced(found):
            now = said(found[1], name, cudald)
            if not update:
                tap.ok(now == found[1], "the tutorial is true: " + found[1].split("\n")[0], now.split("\n"))
            return "```console\n" + now + "```"

        text = BLOCK.sub(replaced, text)
    if update:
        TUTORIAL.write_text(text)
        tap.ok(True, "the tutorial is up to date")


def commands(text):
    """The words behind each `cudald` in a block of commands, one line of it at a time."""
    for line in text.replace("\\\n", " ").split("\n"):
        line = line.split("  #")[0]
        for part in re.split(r"&&|\||;", line):
            words = part.replace("$ ", "", 1).split()
            if "cudald" in words and words.index("cudald") <= 3:
                yield words[words.index("cudald") + 1:]


def test_snippets(tap, cudald):
    """A command in a document may name only commands and options that exist, and a configuration must be one."""
    def help_on(*words):
        return subprocess.run([cudald, "help", *words], capture_output=True, text=True, check=False).stdout

    known = {name: set(re.findall(r"--[a-z][a-z-]*", help_on(name)))
             for name in re.findall(r"^  (\w+) ", help_on().split("\nMachine and packages\n")[0], re.MULTILINE)}
    for path in documents():
        wrong = []
        for language, text in snippets(path.read_text()):
            if language in ("", "console", "sh", "yaml"):
                for words in commands(text):
                    command = words[0] if words and words[0] in known else "explain"
                    for word in words:
                        option = re.match(r"--[a-z][a-z-]*", word)
                        if option and option[0] not in known[command]:
                            wrong.append(f"cudald {' '.join(words)}: {command} has no {option[0]}")
            elif language == "python":
                try:
                    compile(text, str(path), "exec")
                except SyntaxError as error:
                    wrong.append(f"{error}")
            elif language == "toml" and path.name == "configuration.md":
                with tempfile.TemporaryDirectory(prefix="cudald-docs-") as name:
                    Path(name, "cudald.toml").write_text(text)
                    done = subprocess.run([cudald, "config", "show"], cwd=name, capture_output=True, text=True,
                                          env={"HOME": name, "PATH": os.environ["PATH"]}, check=False)
                    if done.returncode != 0:
                        wrong.append(f"{text}: {done.stderr}")
        tap.ok(not wrong, f"the snippets of {path.relative_to(PROJECT)} are valid", wrong)


def test_site(tap, cudald):
    python, missing = cached_python("mkdocs-material-9.8.2",
                                    ["install", "--quiet", "mkdocs==1.6.1", "mkdocs-material==9.8.2"])
    tool = os.path.join(PROJECT, "tools", "make-docs")
    if missing:
        tap.skip("mkdocs builds the site", missing)
        return
    with tempfile.TemporaryDirectory(prefix="cudald-site-") as name:
        done = subprocess.run([python, tool, "--site", "--into", name, cudald], capture_output=True, text=True,
                              timeout=300, check=False)
        tap.ok(done.returncode == 0 and not done.stderr.strip(), "mkdocs builds the site; no link leads nowhere",
               (done.stdout + done.stderr).splitlines()[-10:])
        listed = subprocess.run([cudald, "rule"], capture_output=True, text=True, check=True).stdout
        codes = re.findall(r"^(CUD\d+)", listed, re.MULTILINE)
        pages = Path(name, "site", "findings")
        absent = [code for code in codes if not (pages / code / "index.html").exists()]
        tap.ok(codes and not absent, "each finding has a page", absent)
        page = Path(name, "pages", "index.md")
        page.write_text(page.read_text() + "\n[x](none.md)\n")
        again = subprocess.run([python, "-m", "mkdocs", "build", "--strict", "-f", os.path.join(name, "mkdocs.yml")],
                               capture_output=True, text=True, check=False)
        tap.ok(again.returncode != 0, "and a link that does would be seen")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cudald")
    parser.add_argument("--update", action="store_true")
    words = parser.parse_args()
    tap = Tap()
    cudald = os.path.abspath(words.cudald)
    test_tutorial(tap, cudald, words.update)
    test_snippets(tap, cudald)
    test_site(tap, cudald)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
