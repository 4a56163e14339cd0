#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.9
py opower/__init__.py <<<'from .opower import Opower'
py opower/opower.py <<'E'
from datetime import date
class Opower:
    def __init__(self, username: str, optional_mfa_secret: str | None = None):
        self.username = username
E
dist opower 0.0.30 py3-none-any opower -- 'Requires-Python: >=3.7'
