#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA; done
B=C/CUDNN/v8.9/bin; stub C/app/whisper.exe --exe --imports KERNEL32.dll:LoadLibraryA
stub $B/cudnn_cnn_infer64_8.dll --exports cudnnConv --imports KERNEL32.dll:Sleep zlibwapi.dll:inflate
