#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/app/Server.exe --exe --imports KERNEL32.dll:ExitProcess
stub C/app/blingfiretokdll.dll --exports T --imports MSVCP140.dll:f VCRUNTIME140.dll:memset KERNEL32.dll:Sleep
