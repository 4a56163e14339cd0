#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA; done
stub C/gmic/gmic.exe --exe --imports KERNEL32.dll:ExitProcess libopencv_core2411.dll:cv
stub C/gmic/libopencv_core2410.dll --exports cv
