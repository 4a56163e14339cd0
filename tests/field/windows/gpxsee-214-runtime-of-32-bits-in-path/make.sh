#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub "C/Program Files/GPXSee/GPXSee.exe" --exe --imports MSVCP140.dll:f VCRUNTIME140.dll:memset KERNEL32.dll:Sleep
stub C/tools/msvcp140.dll --machine i686 --exports f
