#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
N=C/app/node_modules; mkdir -p C/Windows/System32 C/nodejs $N/{sharp,canvas}/build/Release
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/nodejs/node.exe --exe --imports KERNEL32.dll:ExitProcess
stub $N/sharp/build/Release/libcairo-2.dll --exports cairo_create --imports KERNEL32.dll:Sleep
stub $N/sharp/build/Release/sharp.node --exports napi_register_module_v1 --imports libcairo-2.dll:cairo_create
stub $N/canvas/build/Release/libcairo-2.dll --exports cairo_create,cairo_ft_face --imports KERNEL32.dll:Sleep
stub $N/canvas/build/Release/canvas.node --exports napi_register_module_v1 --imports \
  libcairo-2.dll:cairo_create,cairo_ft_face
