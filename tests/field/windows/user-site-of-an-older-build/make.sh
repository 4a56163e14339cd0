#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix $W/py 11; S=$W/py/Lib/site-packages; R=$W/Roaming/Python/Python311/site-packages;
  mkdir -p $S/numpyx $S/app $R/numpyx
stub $S/numpyx/_core.cp311-win_amd64.pyd --exports PyInit__core --imports python311.dll:Py_Main
stub $R/numpyx/_core.cp310-win_amd64.pyd --exports PyInit__core --imports python310.dll:Py_Main
for d in $S $R; do echo 'from . import _core' >$d/numpyx/__init__.py; done; echo 'import numpyx' >$S/app/__init__.py
