"""The one version of auditwheel that cudald is compared with, kept in the cache."""

import os
import subprocess
import sys

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "cudald")
VERSION = "6.8.2"


def auditwheel_folder(offline=False):
    """The folder with auditwheel in it, for PYTHONPATH, and None; or None, and why it is not there."""
    folder = os.path.join(CACHE, f"auditwheel-{VERSION}")
    if os.path.isdir(os.path.join(folder, "auditwheel", "policy")):
        return folder, None
    if offline:
        return None, "auditwheel is not in the cache"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, f"auditwheel=={VERSION}"]
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return None, f"auditwheel could not be installed: {done.stderr.strip()[-200:]}"
    return folder, None
