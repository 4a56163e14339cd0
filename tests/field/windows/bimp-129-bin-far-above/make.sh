#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA; done
stub "C/Program Files/GIMP 2/bin/libgimp-2.0-0.dll" --exports gimp_main
stub "C/Program Files/GIMP 2/bin/gimp-2.10.exe" --exe --imports libgimp-2.0-0.dll:gimp_main
stub "C/Program Files/GIMP 2/lib/gimp/2.0/plug-ins/bimp.exe" --exe \
  --imports libgimp-2.0-0.dll:gimp_main KERNEL32.dll:ExitProcess
