#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py google/cloud/storage/__init__.py <<<'__version__ = "2.18.0"'
dist google-cloud-storage 2.18.0 py2.py3-none-any google
S=$PWD/vendor
py google/__init__.py <<<'from googlesearch import search'
py googlesearch/__init__.py <<<'search = None'
dist google 3.0.0 py2.py3-none-any google googlesearch
