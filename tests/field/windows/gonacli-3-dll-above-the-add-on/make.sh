#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
A=C/app/node_modules/gobridge; mkdir -p $A/build/Release C/nodejs
stub C/nodejs/node.exe --exe --imports KERNEL32.dll:ExitProcess
stub $A/gobridge.dll --exports Hello --imports KERNEL32.dll:Sleep
stub $A/build/Release/gobridge.node --exports napi_register_module_v1 --imports gobridge.dll:Hello KERNEL32.dll:Sleep
