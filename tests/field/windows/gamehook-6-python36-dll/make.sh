#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
V="C/Program Files (x86)/Microsoft Visual Studio/Shared/Python36_64"; mkdir -p C/game "$V"
stub C/game/game.exe --exe --imports KERNEL32.dll:ExitProcess; stub "$V/python36.dll" --exports Py_Initialize
stub C/game/python.hk --exports hook --imports python36.dll:Py_Initialize KERNEL32.dll:Sleep
