#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
M=C/msys64/mingw64; mkdir -p C/Windows/System32 $M/bin C/msys64/var/lib/pacman/local/mingw-w64-x86_64-icu-66.1-1
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
for d in libicuin libicuuc libicudt; do stub $M/bin/${d}66.dll --exports u_init_66,ucol_open_66; done
stub $M/bin/Qt5Core.dll --exports qVersion --imports libicuin65.dll:ucol_open_65 libicuuc65.dll:u_init_65 \
  KERNEL32.dll:Sleep
stub $M/bin/qtcreator.exe --exe --imports Qt5Core.dll:qVersion KERNEL32.dll:ExitProcess
