#!/usr/bin/env python3
"""Shows that tools/compare-answers can fail: a build that answers a little differently is told from one that does not.

    compare_answers_test.py CUDALD

Output is TAP.
"""

import os
import subprocess
import sys
import tempfile

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "common"))

from tap import Tap  # noqa: E402

# In place of the program, which it runs: one word of the answers is another.
OTHER = """#!{python}
import subprocess, sys
done = subprocess.run(["{cudald}", *sys.argv[1:]], stdout=subprocess.PIPE)
sys.stdout.buffer.write(done.stdout.replace(b'"rule": "runpath"', b'"rule": "rpath"'))
sys.exit(done.returncode)
"""
FIXTURE = ["fixtures", "--only", "runpath-is-not-inherited"]


def main():
    cudald = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # the fixtures of this run belong to root, other users may start them
        other = os.path.join(folder, "other")
        with open(other, "w", encoding="utf-8") as file:
            file.write(OTHER.format(python=sys.executable, cudald=cudald))
        os.chmod(other, 0o755)
        meant = os.path.join(folder, "meant")

        def ask(new, *words):
            command = [sys.executable, os.path.join(PROJECT, "tools", "compare-answers"), cudald, new, *words]
            return subprocess.run(command, check=False, capture_output=True, text=True,
                                  env={**os.environ, "TMPDIR": folder})

        same = ask(cudald, *FIXTURE)
        tap.ok(same.returncode == 0 and " 0 differ" in same.stdout, "the same program: equal",
               [same.stdout, same.stderr])
        done = ask(other, *FIXTURE)
        tap.ok(done.returncode == 1 and '-     "rule": "runpath",' in done.stdout, "another word: it differs",
               [done.stdout, done.stderr])
        again = next((line.split("again: ")[1] for line in done.stdout.splitlines() if "again: " in line), "false")
        shown = subprocess.run(["bash", "-c", again], check=False, capture_output=True, text=True)
        tap.ok(shown.returncode == 1 and '"rpath"' in shown.stdout, "the command shows it again", [again, shown.stdout])
        for text, status, words in (("runpath-is-not-inherited.*json # a new name\n", 0, "1 more as expected"),
                                    ("nothing like it # never needed\n", 1, "expected, and not met"),
                                    ("no reason\n", 2, "")):
            with open(meant, "w", encoding="utf-8") as file:
                file.write(text)
            done = ask(other, *FIXTURE, "--expected", meant)
            tap.ok(done.returncode == status and words in done.stdout, f"expected is {text.strip()!r}: status {status}",
                   [done.stdout, done.stderr])
        done = ask(cudald, "stories", "--only", "stories/no-such-script.py")
        tap.ok(done.returncode == 2, "nothing was compared: that is no success", [done.stdout])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
