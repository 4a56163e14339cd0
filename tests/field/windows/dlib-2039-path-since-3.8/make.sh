#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix $W/py 11; S=$W/py/Lib/site-packages; mkdir -p $S/dlib
stub $W/cuda/bin/curand64_10.dll --exports curandCreateGenerator
stub $S/_dlib_pybind11.pyd --exports PyInit__dlib_pybind11 --imports curand64_10.dll:curandCreateGenerator \
  python311.dll:Py_Main
echo 'from _dlib_pybind11 import *' >$S/dlib/__init__.py
