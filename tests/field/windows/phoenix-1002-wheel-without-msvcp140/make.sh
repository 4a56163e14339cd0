#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W
prefix $W/py 7 --machine i686; S=$W/py/Lib/site-packages; mkdir -p $S/wx
stub $S/wx/_core.cp37-win32.pyd --machine i686 --exports PyInit__core --imports python37.dll:Py_Main MSVCP140.dll:f \
  VCRUNTIME140.dll:memcpy
echo 'from .core import *' > $S/wx/__init__.py; echo 'from ._core import *' > $S/wx/core.py
