#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub $W/app/electron.exe --exe --imports KERNEL32.dll:ExitProcess
stub $W/app/res/addon.node --exports napi_register_module_v1 --imports node.exe:napi_create_function KERNEL32.dll:Sleep
