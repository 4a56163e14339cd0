#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
C=$W/C; mkdir -p $C/Windows/System32
stub $C/Windows/System32/kernel32.dll --exports ExitProcess,Sleep; stub $C/Windows/System32/ntdll.dll --exports RtlX
stub $C/Windows/System32/zlib1.dll --exports inflate; stub $C/msys64/mingw64/bin/zlib1.dll --exports \
  inflate,inflateReset2
stub $C/app/demo.exe --exe --imports zlib1.dll:inflate,inflateReset2 KERNEL32.dll:ExitProcess
