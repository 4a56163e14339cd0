#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix $W/py 11; S=$W/py/Lib/site-packages; mkdir -p $S/PyQtx; rm $W/py/python3.dll
stub $S/PyQtx/QtCore.pyd --exports PyInit_QtCore --imports python3.dll:Py_IncRef
echo 'from . import QtCore' > $S/PyQtx/__init__.py
