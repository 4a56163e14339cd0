#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
M=C/Programs/mingw-w64/mingw64; stub $M/bin/libwinpthread-1.dll --exports pthread_create,nanosleep
stub $M/bin/gcc.exe --exe --imports KERNEL32.dll:ExitProcess libwinpthread-1.dll:pthread_create
stub $M/x86_64-w64-mingw32/bin/as.exe --exe --imports KERNEL32.dll:ExitProcess libwinpthread-1.dll:pthread_create
