#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv; mv v other; S=$(echo "$PWD"/other/lib/python3*/site-packages)
py psux/__init__.py <<<'x = 1'; dist psux 5.7.0 py3-none-any psux
venv
mkdir -p bin; printf '#!%s/other/bin/python3\nfrom pip._internal.cli.main import main\n' "$PWD" >bin/pip
chmod +x bin/pip
