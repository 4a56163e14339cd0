#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; for d in kernel32 ntdll kernelbase; do
  stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done

stub C/proj/a.exe --exe --imports libstdc++-6.dll:cx KERNEL32.dll:ExitProcess
stub C/mingw64/bin/libstdc++-6.dll --exports cx
