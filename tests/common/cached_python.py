"""Virtual environments in the cache, with tools of others in them."""

import os
import subprocess
import sys
from pathlib import Path

from pinned import CACHE


def cached_python(name, *steps):
    """The interpreter of the environment NAME, and None; or None, and why it is not there. Each of the steps are words
    for pip; {folder} in them is the environment's."""
    folder = os.path.join(CACHE, name)
    python = os.path.join(folder, "bin", "python")
    if os.path.exists(os.path.join(folder, "complete")):
        return python, None
    if "CUDALD_OFFLINE" in os.environ:
        return None, f"{name} is not in the cache"
    commands = [[sys.executable, "-m", "venv", folder]]
    commands += [[python, "-m", "pip", *(word.replace("{folder}", folder) for word in step)] for step in steps]
    for command in commands:
        done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            return None, f"{name} could not be installed: {done.stderr.strip()[-200:]}"
    Path(folder, "complete").touch()
    return python, None
