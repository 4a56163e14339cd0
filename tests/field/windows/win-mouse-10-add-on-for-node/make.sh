#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; M=C/projects/project/node_modules
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub $M/electron/dist/electron.exe --exe --exports node_module_register --imports KERNEL32.dll:ExitProcess
stub $M/win-mouse/build/Release/addon.node --exports x --imports KERNEL32.dll:Sleep
