#!/usr/bin/env python3
"""Whether a hole in cudald is worth anything: the sandbox holds against what a hostile file could make of one.

    sandbox.py CUDALD

cudald loads hole.c in place of ISA-L and judges a wheel; what the hole tries must fail in the sandbox, and most of it
succeed without, so that the attempts are known to be real. Then, that answers are the same with and without the
sandbox, wherever they are written to. Output is TAP.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from tap import Tap  # noqa: E402
from wheel_writer import write_wheel  # noqa: E402

# What fails without a sandbox as well, on some systems.
MAY_FAIL = {"trace", "io_uring", "home of another"}
REFUSED = {"EPERM", "EACCES"}
WHEEL = os.path.join("..", "made-1-py3-none-any.whl")


def run(cudald, arguments, folder, **variables):
    environment = {"PATH": "/usr/bin:/bin", "HOME": os.path.join(folder, "home"), "TMPDIR": os.path.join(folder, "tmp"),
                   **variables}
    return subprocess.run([cudald, *arguments], cwd=os.path.join(folder, "work"), env=environment, text=True,
                          capture_output=True, timeout=60)


def attempts(cudald, folder, *arguments):
    """How each attempt of the hole ended."""
    work = os.path.join(folder, "work")
    for name in ("new", "directory", "link"):
        path = os.path.join(work, name)
        if os.path.isdir(path):
            os.rmdir(path)
        elif os.path.lexists(path):
            os.unlink(path)
    with open(os.path.join(work, "old"), "w", encoding="ascii") as file:
        file.write("as it was")
    # Without the cache: what was kept needs no decompression.
    answer = run(cudald, [*arguments, "--no-cache"], folder, LD_LIBRARY_PATH=os.path.join(folder, "hole"),
                 HOLE_DIRECTORY=work)
    lines = [line.split(": ") for line in answer.stderr.splitlines() if line.startswith("hole: ")]
    return {attempt: end for _, attempt, end in lines}


def check_hole(tap, cudald, folder):
    loose = attempts(cudald, folder, "check", "--sandbox=off", WHEEL)
    if not loose:
        tap.skip("a hole in cudald", "ISA-L is linked into this program")
        return
    done = {attempt for attempt, end in loose.items() if end == "done"}
    tap.ok(done >= set(loose) - MAY_FAIL, "without a sandbox the hole can do what it tries", loose.items())
    if "this kernel" in run(cudald, ["check", "--sandbox=require", WHEEL], folder).stderr:
        tap.skip("in the sandbox the hole can do nothing", "this kernel has no Landlock or no seccomp")
        return
    for arguments in (["check"], ["explain"], ["show"], ["check", "-o", "report.txt"]):
        tight = attempts(cudald, folder, *arguments, WHEEL)
        wanted = set(tight)
        # The directory of an answer's file: a name can be taken away there.
        if "-o" in arguments:
            wanted -= {"remove"}
        # A home is hidden from what comes from strangers alone, if it is in the usual place and no target lies in it.
        home = pwd.getpwuid(os.getuid()).pw_dir
        if arguments == ["show"] or not home.startswith(("/root", "/home/")) or folder.startswith(home + "/"):
            wanted -= {"home of another"}
        failed = {attempt for attempt, end in tight.items() if end in REFUSED}
        tap.ok(set(tight) == set(loose) and failed >= wanted,
               f"in the sandbox of `{' '.join(arguments)}` the hole can do nothing", sorted(tight.items()))


def check_answers(tap, cudald, folder):
    """The same bytes, wherever they are written to, also over a file that is there."""
    path = os.path.join(folder, "work", "answer")
    for arguments in (["check", "-f", "json"], ["check", "-f", "json", "--no-cache"],
                      ["check", "-f", "json", "-o", "answer"], ["check", "-q", "-o", "json=answer"],
                      ["explain", "-f", "html", "-o", "answer"], ["check", "-q", "--write-baseline", "answer"]):
        answers = []
        for when in ("off", "auto", "auto"):
            answer = run(cudald, [*arguments, f"--sandbox={when}", WHEEL], folder)
            text = answer.stdout + answer.stderr
            if "answer" in arguments[-1]:
                with open(path, encoding="utf-8") as file:
                    text += file.read()
            answers.append((answer.returncode, text.replace(f" --sandbox={when}", "")))
        tap.ok(answers[0][0] == 0 and len(answers[0][1]) > 20 and answers[1:] == answers[:1] * 2,
               f"`{' '.join(arguments)}` answers the same with and without a sandbox", answers)
        if os.path.exists(path):
            os.unlink(path)


def main():
    cudald = os.path.abspath(sys.argv[1])
    folder = tempfile.mkdtemp(prefix="cudald-sandbox-")
    tap = Tap()
    try:
        for name in ("work", "home", "tmp", "hole"):
            os.mkdir(os.path.join(folder, name))
        write_wheel(folder, os.path.basename(WHEEL), {"made.py": "x = 1\n" * 1000})
        subprocess.run(["cc", "-shared", "-fPIC", "-o", os.path.join(folder, "hole", "libisal.so.2"),
                        os.path.join(HERE, "hole.c")], check=True)
        check_hole(tap, cudald, folder)
        check_answers(tap, cudald, folder)
    finally:
        shutil.rmtree(folder)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
