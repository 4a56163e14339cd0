#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/Game/OpenAL32.dll --machine i686 --exports alGenBuffers
stub C/Game/xrEngine.exe --exe --imports OpenAL32.dll:alGenBuffers KERNEL32.dll:ExitProcess
