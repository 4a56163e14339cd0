#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
N=$W/app/runtimes/win-x64/native
stub $W/app/Server.exe --exe --imports KERNEL32.dll:ExitProcess
stub $N/onnxruntime_providers_cuda.dll --exports GetProvider --imports cudnn64_9.dll:cudnnCreate \
  cublas64_12.dll:cublasCreate_v2 cudart64_12.dll:cudaMalloc KERNEL32.dll:Sleep
for d in cublas64_12:cublasCreate_v2 cudart64_12:cudaMalloc; do stub $W/cuda/bin/${d%%:*}.dll --exports ${d##*:}; done
