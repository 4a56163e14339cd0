#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/Windows/System32/vcruntime140.dll --exports memcpy
stub C/k/kdmapper.exe --exe --imports KERNEL32.dll:ExitProcess VCRUNTIME140.dll:memcpy \
  VCRUNTIME140_1.dll:__CxxFrameHandler4
stub C/k/VCRUNTIME140_1.dll --machine i686 --exports __CxxFrameHandler4
