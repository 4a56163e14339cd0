#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub $W/whl/optx/_C.cp312-win_arm64.pyd --exports PyInit__C --imports python312.dll:PyModule_Create2 KERNEL32.dll:Sleep
echo 'from . import _C' > $W/whl/optx/__init__.py
wheel $W/whl optx cp312-cp312-win_arm64
