#!/usr/bin/env python3
"""Stands in for cudald in a test script: asks two builds, notes where they differ, and answers as the old one did.

    ask_both.py FOLDER WORDS...

FOLDER is that of tools/compare-answers: its programs.json names the builds; noted.ndjson gets a line for each question.
"""

import json
import os
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from two_programs import ask_both, difference, spelled  # noqa: E402

LARGEST = 64 << 20  # of a scratch folder that is kept
MOST = 8  # of such copies


def variants(words):
    """The question itself, and the same in the other views."""
    yield words
    if "explain" not in words[:1] or "json" not in words:
        return
    at = words.index("json")
    plain = words[:at - 1] + words[at + 1:]
    yield plain + ["-v"]
    if not {"--lib", "-l", "--error", "--bindings", "--verify"} & set(words):
        yield ["check"] + plain[1:]
        if not {"--gpu", "--gpu-code", "--require-gpu", "--symbols", "--select", "--ignore"} & set(words):
            yield ["tree"] + plain[1:]


def kept(folder, words):
    """The words with the scratch folder that they name replaced by a copy of it, which outlives the script."""
    root = os.path.realpath(tempfile.gettempdir()) + os.sep
    for place in [*words, os.getcwd()]:
        at = place.find(root)
        if at < 0:
            continue
        scratch = root + place[at + len(root):].split(os.sep)[0]
        copies = sum(name.startswith("kept-") for name in os.listdir(folder))
        if not os.path.isdir(scratch) or copies == MOST or size(scratch) > LARGEST:
            break
        copy = tempfile.mkdtemp(prefix="kept-", dir=folder)
        shutil.copytree(scratch, copy, symlinks=True, dirs_exist_ok=True)
        return [word.replace(scratch, copy) for word in words], os.getcwd().replace(scratch, copy)
    return words, os.getcwd()


def size(folder):
    return sum(os.lstat(os.path.join(place, name)).st_size for place, _, names in os.walk(folder) for name in names)


def note(folder, programs, words, stdin, answers):
    lines = difference(answers)
    record = {"words": words, "differs": lines, "old": answers[0].status}
    if lines:
        again, cwd = kept(folder, words)
        given = None
        if stdin:
            with tempfile.NamedTemporaryFile(dir=folder, prefix="stdin-", delete=False) as file:
                file.write(stdin)
            given = file.name
        record["again"] = spelled(programs["shown"], again, cwd, given)
    append(folder, record)


def append(folder, record):
    with open(os.path.join(folder, "noted.ndjson"), "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def main():
    folder, *words = sys.argv[1:]
    with open(os.path.join(folder, "programs.json"), encoding="utf-8") as file:
        programs = json.load(file)
    if "-o" in words or "--output" in words or "probe" in words[:1]:
        append(folder, {"words": words, "left_out": "writes a file or starts processes, which is not done twice"})
        os.execv(programs["run"][0], ["cudald", *words])
    stdin = sys.stdin.buffer.read() if "-" in words else b""
    first = None
    for question in variants(words) if programs["all_views"] else [words]:
        answers = ask_both(programs["run"], question, stdin)
        first = first or answers[0]
        note(folder, programs, question, stdin, answers)
    sys.stdout.buffer.write(first.stdout)
    sys.stderr.buffer.write(first.stderr)
    sys.stdout.flush()
    if first.status < 0:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), -first.status)
    return first.status


if __name__ == "__main__":
    sys.exit(main())
