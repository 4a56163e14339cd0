#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
M=C/Users/bk/app/node_modules/cue-sdk
stub $M/build/Release/cuesdk.node --exports napi_register_module_v1 \
  --imports CUESDK.x64_2017.dll:CorsairGetDeviceCount KERNEL32.dll:Sleep
stub $M/cue/redist/x64/CUESDK.x64_2017.dll --exports CorsairGetDeviceCount --imports KERNEL32.dll:Sleep
