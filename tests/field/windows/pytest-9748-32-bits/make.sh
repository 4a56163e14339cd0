#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W
prefix $W/py 11; S=$W/py/Lib/site-packages; mkdir -p $S/cv2x
stub $S/cv2x/c.pyd --machine i686 --exports PyInit_c --imports python311.dll:Py_Main
echo 'from . import c' > $S/cv2x/__init__.py
