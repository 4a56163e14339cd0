#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py setuptools/__init__.py <<<'__version__ = "82.0.0"'; dist setuptools 82.0.0 py3-none-any setuptools
py dictdiffer/__init__.py <<'E'
import copy
import pkg_resources
HAS_NUMPY = True
E
dist dictdiffer 0.8.0 py2.py3-none-any dictdiffer
