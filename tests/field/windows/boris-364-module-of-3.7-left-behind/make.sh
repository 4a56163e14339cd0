#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W
prefix $W/py 8; S=$W/py/Lib/site-packages; mkdir -p $S/app; echo 'import _socket' > $S/app/__init__.py
stub $W/py/python37.dll --exports Py_Main; stub $W/py/DLLs/_socket.pyd --exports PyInit__socket --imports \
  python37.dll:Py_Main
