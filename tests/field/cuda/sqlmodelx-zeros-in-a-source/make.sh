#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py sqlmodelx/__init__.py <<<'from .main import Field'
head -c 4096 /dev/zero >"$S/sqlmodelx/main.py"
dist sqlmodelx 0.0.8 py3-none-any sqlmodelx
