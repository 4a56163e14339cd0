#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W
d=$W/d; mkdir -p $d/pydomino; stub $d/pydomino/pydomino_cpp.pyd --exports PyInit_pydomino_cpp --imports \
  onnxruntime.dll:OrtGetApiBase python311.dll:Py_Main
echo 'from . import pydomino_cpp' > $d/pydomino/__init__.py; wheel $d pydomino cp311-cp311-win_amd64
