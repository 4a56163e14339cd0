#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
mkdir -p opt/other/bin opt/other/lib
py app/__init__.py <<<'import json'
dist app 1.0 py3-none-any app
