#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/Windows/System32/ServerManager.exe --exports Sleep
stub C/nodejs/node.exe --exe --exports napi_create --imports KERNEL32.dll:ExitProcess
stub C/app/gdal.node --exports init --imports MSVCP120.dll:f node.exe:napi_create KERNEL32.dll:Sleep
