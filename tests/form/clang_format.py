"""Whether every C and C++ file is as the one version of clang-format that the project goes by leaves it. Output is TAP.

    clang_format.py [--offline] [--fix]

It is installed into the cache when the test first needs it; without cache and network the test is a skip. `--fix`
formats the files instead.
"""

import argparse
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from form import PROJECT, sources  # noqa: E402
from pinned import tool_folder  # noqa: E402

VERSION = "19.1.7"


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--offline", action="store_true", help="install nothing")
    words.add_argument("--fix", action="store_true", help="format what differs")
    given = words.parse_args()
    if not os.path.exists(os.path.join(PROJECT, ".git")):
        print("1..0 # SKIP the sources are no checkout of git, which says which files are ours")
        return 0
    program = os.path.join("clang_format", "data", "bin", "clang-format")
    folder, reason = tool_folder("clang-format", VERSION, program, given.offline)
    if folder is None:
        print(f"1..0 # SKIP {reason}")
        return 0
    files = [path for path in sources(".") if path.endswith((".cc", ".h", ".c"))]
    action = ["-i"] if given.fix else ["--dry-run", "--Werror"]
    print("1..1")
    done = subprocess.run(
        [os.path.join(folder, program), *action, *files], check=False, cwd=PROJECT, capture_output=True, text=True
    )
    differing = sorted({line.split(":")[0] for line in done.stderr.splitlines() if "[-Wclang-format" in line})
    for path in differing:
        print(f"# {path} differs; tests/form/clang_format.py --fix formats it")
    if done.returncode != 0 and not differing:
        print("\n".join(f"# {line}" for line in done.stderr.splitlines()))
    print(f"{'ok' if done.returncode == 0 else 'not ok'} 1 - {len(files)} files are as clang-format {VERSION} leaves "
          f"them")
    return 0 if done.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
