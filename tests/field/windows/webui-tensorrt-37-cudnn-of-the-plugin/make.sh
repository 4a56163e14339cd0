#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
D=C/TensorRT-8.6.1.6; mkdir -p $D/lib $D/bin
stub $D/lib/nvinfer_plugin.dll --exports initLibNvInferPlugins --imports cudnn64_8.dll:cudnnCreate \
  cublas64_11.dll:cublasCreate_v2 KERNEL32.dll:Sleep
stub $D/bin/trtexec.exe --exe --imports KERNEL32.dll:ExitProcess
