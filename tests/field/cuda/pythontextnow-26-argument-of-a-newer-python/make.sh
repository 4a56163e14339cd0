#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.9
py pythontextnow/__init__.py <<'E'
from .api.Client import Client
__all__ = ["Client"]
E
py pythontextnow/api/__init__.py </dev/null
py pythontextnow/api/Client.py <<'E'
from __future__ import annotations
from dataclasses import dataclass
@dataclass(kw_only=True)
class Client:
    username: str = None
E
dist pythontextnow 1.0.3 py3-none-any pythontextnow -- 'Requires-Python: >=3'
