#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.13
py sqlalchx/__init__.py <<'E'
import sys
_table = {(3, 9): "a", (3, 10): "b", (3, 11): "c", (3, 12): "d"}
impl = _table[sys.version_info[:2]]
E
dist sqlalchx 1.3 py3-none-any sqlalchx
