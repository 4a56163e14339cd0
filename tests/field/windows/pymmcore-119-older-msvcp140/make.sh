#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W
prefix $W/py 11; S=$W/py/Lib/site-packages; mkdir -p $S/pymmcore $S/app
stub $S/PyQt5/Qt5/bin/msvcp140.dll --exports _Mtx_lock,_Mtx_unlock,_Mtx_init_in_situ --version 14.26.28720.3
stub $S/pymmcore/_pymmcore_swig.pyd --exports PyInit__pymmcore_swig --imports MSVCP140.dll:_Mtx_lock,_Mtx_unlock \
  python311.dll:Py_Main --linker 14.40
echo 'from . import _pymmcore_swig' > $S/pymmcore/__init__.py
printf \
  "import os\nos.add_dll_directory(os.path.join(os.path.dirname(os.path.dirname(__file__)), 'PyQt5', "\
"'Qt5', 'bin'))\nimport pymmcore\n" \
  > $S/app/__init__.py
