#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix $W/py 11; O=$W/py/Lib/site-packages/onnxruntime/capi; mkdir -p $O
stub $O/onnxruntime_providers_tensorrt.dll --exports GetProvider \
  --imports nvinfer_10.dll:createInferBuilder_INTERNAL KERNEL32.dll:Sleep
