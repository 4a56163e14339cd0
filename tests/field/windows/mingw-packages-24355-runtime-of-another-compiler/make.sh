#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
G=C/msys64/mingw64; mkdir -p C/Windows/System32 C/Strawberry/c/bin $G/{bin,libexec}
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/Strawberry/c/bin/libwinpthread-1.dll --exports pthread_create,clock_gettime --imports KERNEL32.dll:Sleep
stub $G/bin/libwinpthread-1.dll --exports pthread_create,clock_gettime,clock_gettime64 --imports KERNEL32.dll:Sleep
stub $G/libexec/cc1.exe --exe --imports libwinpthread-1.dll:clock_gettime64,pthread_create KERNEL32.dll:ExitProcess
