#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py attr/__init__.py <<<'__version__ = "21.2.0"'
dist attrs 21.2.0 py2.py3-none-any attr
