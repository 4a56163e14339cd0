"""Real wheels and tools of one version, fetched into the cache when a test first needs them."""

import fnmatch
import os
import subprocess
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "cudald")
WHEELS = os.path.join(CACHE, "wheels")


def pinned_names(globs, pins="pins.txt"):
    with open(os.path.join(PROJECT, "tools", pins), encoding="utf-8") as lines:
        names = [line.split()[1] for line in lines if line.strip() and not line.startswith("#")]
    return [name for name in names if any(fnmatch.fnmatchcase(name, glob) for glob in globs)]


def fetch_wheels(globs, offline=False, pins="pins.txt", into=WHEELS):
    """Why the wheels are not there; None if they are. `pins` is the list that names them: one in tools/, or an absolute
    path. With the variable CUDALD_OFFLINE nothing is fetched."""
    offline = offline or "CUDALD_OFFLINE" in os.environ
    names = pinned_names(globs, pins)
    missing = [name for name in names if not os.path.exists(os.path.join(into, name))]
    if missing and offline:
        return f"{len(missing)} wheels are not in the cache"
    tools = os.path.join(PROJECT, "tools")
    command = [sys.executable, os.path.join(tools, "fetch-pypi"), "--pins", os.path.join(tools, pins)]
    if missing:
        done = subprocess.run(
            [*command, "--into", into, *missing],
            check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        if done.returncode != 0:
            return f"the wheels could not be fetched: {done.stderr.strip()[-200:]}"
    return None


def tool_folder(project, version, proof, offline=False):
    """The folder with a package of tools in it, and None; or None, and why it is not there. `proof` is in it."""
    folder = os.path.join(CACHE, f"{project}-{version}")
    if os.path.exists(os.path.join(folder, proof)):
        return folder, None
    if offline:
        return None, f"{project} is not in the cache"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, f"{project}=={version}"]
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return None, f"{project} could not be installed: {done.stderr.strip()[-200:]}"
    return folder, None
