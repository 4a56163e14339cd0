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
    # By the pip that is there already: to install one takes longer than most of these tools. A tool that is used once
    # is compiled as far as it runs.
    commands = [[sys.executable, "-m", "venv", "--without-pip", folder]]
    for step in steps:
        words = [word.replace("{folder}", folder) for word in step]
        commands.append([sys.executable, "-m", "pip", "--python", python, *words,
                         *(["--no-compile"] if words[0] == "install" else [])])
    for command in commands:
        done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            return None, f"{name} could not be installed: {done.stderr.strip()[-200:]}"
    Path(folder, "complete").touch()
    return python, None
