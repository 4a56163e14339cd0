#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32 C/nodejs
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/nodejs/node.exe --exe --imports KERNEL32.dll:ExitProcess
stub C/hash/node_modules/canvas/build/Release/canvas.node --machine i686 --exports napi_register_module_v1 --imports \
  KERNEL32.dll:Sleep
