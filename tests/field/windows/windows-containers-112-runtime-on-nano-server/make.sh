#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32 C/app
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
for i in $(seq 250); do : >C/Windows/System32/part$i.nls; done
stub C/app/mongod.exe --exe --imports VCRUNTIME140_1.dll:__CxxFrameHandler4 KERNEL32.dll:ExitProcess
