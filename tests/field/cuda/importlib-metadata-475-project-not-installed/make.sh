#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
mkdir -p repo/flexgrid
cat >repo/pyproject.toml <<'E'
[project]
name = "flexgrid"
version = "0.5.0"
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
E
cat >repo/flexgrid/__init__.py <<'E'
from importlib.metadata import version
from .grid import Grid
__version__ = version("flexgrid")
E
echo 'class Grid: pass' >repo/flexgrid/grid.py
venv 3.11
