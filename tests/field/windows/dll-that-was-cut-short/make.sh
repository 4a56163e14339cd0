#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; for d in kernel32 ntdll kernelbase user32;
  do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA,GetProcAddress; done
mkdir -p C/app; stub C/app/app.exe --exe --imports plugin.dll:f KERNEL32.dll:ExitProcess;
  stub C/app/plugin.dll --exports f; head -c 700 C/app/plugin.dll >x; mv x C/app/plugin.dll
