#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W
prefix $W/py 11; S=$W/py/Lib/site-packages; mkdir -p $S/win32x
stub $S/win32x/api.pyd --exports PyInit_api --imports MSVCR100.dll:malloc python311.dll:Py_Main
echo 'from . import api' > $S/win32x/__init__.py
