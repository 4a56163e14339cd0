#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
D=C/TensorRT-10.0.1.6; mkdir -p $D/lib $D/bin
stub $D/lib/nvinfer_plugin_10.dll --exports initLibNvInferPlugins --imports KERNEL32.dll:Sleep
stub $D/bin/trtexec.exe --exe --imports KERNEL32.dll:ExitProcess
