"""A program where every user may run it."""

import os
import shutil


def reachable(program, folder):
    """The program itself, or if root runs the tests a copy in `folder`: fixtures that are run as another user cannot
    reach a checkout in root's own home."""
    if os.geteuid() != 0:
        return program
    os.chmod(folder, 0o755)
    copy = os.path.join(folder, os.path.basename(program))
    shutil.copy(program, copy)
    os.chmod(copy, 0o755)
    return copy
