#!/usr/bin/env python3
"""Runs the fixtures of glibc in a root for each of its releases, with the compiler and the loader of that root. Writes
TAP, a line for each release.

    releases.py CUDALD [--roots FOLDER] [--release NAME]... [PATTERN...]

As root: debootstrap makes the roots, a quarter of a gigabyte each, and they stay in FOLDER if one is named. Those of
Ubuntu need its keyring (Debian 13: ubuntu-keyring). cudald runs in them with its own loader and libraries. PATTERN
chooses fixtures, as with run.py.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests" / "common"))

from tap import Tap  # noqa: E402

# Each with its glibc, and the script of debootstrap: newer names are not known to every debootstrap. Debian 10 (2.28)
# has left the mirrors; the Python of older Ubuntus is too old for the harness, which needs 3.9.
RELEASES = {
    "bullseye": ("2.31", "sid"), "jammy": ("2.35", "gutsy"), "bookworm": ("2.36", "sid"), "noble": ("2.39", "gutsy"),
    "trixie": ("2.41", "sid"), "sid": (None, "sid"),
}
PROGRAM = """#!/bin/sh
exec /opt/cudald/loader --library-path /opt/cudald/libraries /opt/cudald/cudald "$@"
"""


class NotMade(Exception):
    """A root cannot be made here."""


def lacking():
    """What this system lacks to make a root, or None."""
    if os.geteuid() != 0:
        return "needs root, to start programs in another root"
    return next((f"{tool} is not installed" for tool in ("debootstrap", "unshare") if not shutil.which(tool)), None)


def make_root(name, root):
    command = ["debootstrap", "--variant=minbase", "--force-check-gpg", "--include=gcc,libc6-dev,python3"]
    done = subprocess.run([*command, name, str(root), "", RELEASES[name][1]], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        shutil.rmtree(root, ignore_errors=True)
        raise NotMade(f"debootstrap: {done.stdout.splitlines()[-1] if done.stdout else done.returncode}")


def install(cudald, root):
    """The harness, the fixtures, and cudald with all that it is linked with."""
    folder = root / "opt" / "cudald"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "libraries").mkdir(parents=True)
    for part in "fixtures", "tests/scenario", "tests/common":
        shutil.copytree(PROJECT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    listed = subprocess.run(["ldd", cudald], capture_output=True, text=True, check=True).stdout
    for library in re.findall(r"=> (/\S+)", listed):
        shutil.copy(library, folder / "libraries")
    shutil.copy(re.search(r"^\t(/\S+)", listed, re.MULTILINE).group(1), folder / "loader")
    shutil.copy(cudald, folder / "cudald")
    (folder / "program").write_text(PROGRAM)
    (folder / "program").chmod(0o755)


def run_fixtures(root, patterns):
    """TAP of run.py in that root."""
    inside = ("mount -t proc proc \"$0/proc\" && exec chroot \"$0\" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "
              "HOME=/root TMPDIR=/tmp \"$@\"")
    words = ["python3", "-B", "/opt/cudald/tests/scenario/run.py", "/opt/cudald/program", *patterns]
    done = subprocess.run(["unshare", "--mount", "sh", "-c", inside, str(root), *words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return done.stdout.splitlines()


def judge(tap, name, root, patterns):
    lines = run_fixtures(root, patterns)
    plan = next((line for line in lines if re.match(r"1\.\.\d+", line)), "1..0")
    right = sum(line.startswith("ok ") and "# SKIP" not in line for line in lines)
    skipped = [line.partition("# SKIP ")[2] for line in lines if line.startswith("ok ") and "# SKIP" in line]
    wrong = [line for line in lines if line.startswith(("not ok ", "# "))]
    cases = int(plan[3:].split()[0])
    version = subprocess.run(["chroot", str(root), "getconf", "GNU_LIBC_VERSION"], capture_output=True, text=True,
                             check=False).stdout.strip()
    expected = RELEASES[name][0]
    tap.ok(cases > 0 and right + len(skipped) == cases and (expected is None or version == f"glibc {expected}"),
           f"{name}, {version}: {right} of {cases - len(skipped)} cases equal, {len(skipped)} not applicable",
           [*(wrong or lines[-20:])][:200])
    for reason in sorted(set(skipped)):
        tap.comment(f"{skipped.count(reason)} not applicable: {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    parser.add_argument("--roots", type=Path, metavar="FOLDER", help="where roots are kept")
    parser.add_argument("--release", choices=RELEASES, action="append", help="only that one")
    options = parser.parse_intermixed_args()
    tap = Tap()
    why = lacking()
    with tempfile.TemporaryDirectory(prefix="cudald-roots-") as work:
        for name in options.release or RELEASES:
            root = (options.roots or Path(work)).resolve() / name
            try:
                if why:
                    raise NotMade(why)
                if not root.exists():
                    make_root(name, root)
            except NotMade as reason:
                tap.skip(name, reason)
                continue
            install(os.path.abspath(options.cudald), root)
            judge(tap, name, root, options.patterns)
            if not options.roots:
                shutil.rmtree(root)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
