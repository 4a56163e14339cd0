"""Runs the program cudald that this package brings, and hands its answers on.

    import cudald
    for report in cudald.check("dist/x.whl"):
        print(report["verdict"], [finding["code"] for finding in report["findings"]])
"""

import json
import os
import subprocess
import sys
import sysconfig

__all__ = ["CudaldError", "check", "find_cudald"]


class CudaldError(Exception):
    """The program could not do what it was asked; its text says why."""


def find_cudald():
    """The path of the program: of this environment, of the user, or beside this package."""
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=f"{os.name}_user"),
        os.path.join(os.path.dirname(here), "bin"),  # pip install --target
    ]
    for folder in folders:
        path = os.path.join(folder, "cudald.exe" if os.name == "nt" else "cudald")
        if os.path.isfile(path):
            return path
    raise FileNotFoundError("the program cudald is in none of " + ", ".join(folders))


def check(*targets, options=()):
    """The reports (schema cudald/report) on targets, one for each, as `cudald check` makes them."""
    words = [find_cudald(), "check", "-f", "ndjson", *options, *map(os.fspath, targets)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1, 3):
        raise CudaldError(done.stderr.decode("utf-8", "replace").strip())
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    path = find_cudald()
    # On Windows execv starts another process and ends this one at once, for which the shell would not wait.
    if os.name == "nt":
        sys.exit(subprocess.call([path, *sys.argv[1:]]))
    os.execv(path, [path, *sys.argv[1:]])
