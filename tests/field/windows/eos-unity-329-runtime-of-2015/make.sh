#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA; done
for d in vcruntime140 msvcp140; do stub C/Windows/System32/$d.dll --exports memcpy; done
stub C/Game/Game.exe --exe --imports KERNEL32.dll:ExitProcess
stub C/Game/Game_Data/Plugins/x86_64/DynamicLibraryLoaderHelper.dll --exports Load \
  --imports VCRUNTIME140.dll:memcpy VCRUNTIME140_1.dll:__CxxFrameHandler4 MSVCP140.dll:memcpy KERNEL32.dll:Sleep
