#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
cat >app.py <<'P'
import os
DEFAULT_SPEED = float(os.getenv("DEFAULT_SPEED"))
P
