#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA; done
stub C/Users/n/Downloads/AITrack.exe --exe --imports KERNEL32.dll:ExitProcess Qt5Core.dll:q opencv_world430.dll:cv
