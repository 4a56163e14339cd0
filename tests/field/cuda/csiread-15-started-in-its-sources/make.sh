#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py csix/__init__.py <<<'from csix import _csix'
ext "$S/csix/_csix.abi3.so" </dev/null
dist csix 1.3.8 cp36-abi3-linux_x86_64 csix
mkdir -p src/csix; cp "$S/csix/__init__.py" src/csix/
