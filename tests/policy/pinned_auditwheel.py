"""The one version of auditwheel that cudald is compared with, kept in the cache."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from pinned import tool_folder  # noqa: E402

VERSION = "6.8.2"


def auditwheel_folder(offline=False):
    """The folder with auditwheel in it, for PYTHONPATH, and None; or None, and why it is not there."""
    return tool_folder("auditwheel", VERSION, os.path.join("auditwheel", "policy"), offline)
