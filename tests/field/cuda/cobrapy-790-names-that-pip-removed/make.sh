#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py pipx_/__init__.py <<<'__version__ = "18.1"'
py pipx_/_internal/__init__.py <<'P'
import os
from pipx_._internal.commands import commands
def main(): pass
P
# What this calls is not followed: it may raise anything.
py pipx_/_internal/commands.py <<'P'
import json, os
commands = {}
for name, value in sorted(json.loads(os.environ.get("COMMANDS", "{}")).items()):
    commands[name] = json.JSONDecoder(**value).decode(name)
P
dist pipx_ 18.1 py3-none-any pipx_
py pipdeptree.py <<'P'
try:
    from pipx_._internal import get_installed_distributions
except ImportError:
    from pipx_ import get_installed_distributions, FrozenRequirement
P
dist pipdeptree 0.13.0 py3-none-any pipdeptree.py
