#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.12
py pkg_resources/__init__.py <<'E'
import sys
import os
import pkgutil
_declare_state = None
_distribution_finders = {}
def register_finder(importer_type, distribution_finder):
    _distribution_finders[importer_type] = distribution_finder
def find_on_path(importer, path_item, only=False):
    yield from ()
register_finder(pkgutil.ImpImporter, find_on_path)
E
py setuptools/__init__.py <<<'__version__ = "65.5.0"'
dist setuptools 65.5.0 py3-none-any setuptools pkg_resources
py pykrx/__init__.py <<'E'
import pkg_resources
E
dist pykrx 1.0.45 py3-none-any pykrx
