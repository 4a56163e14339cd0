#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
for d in kernel32 ntdll; do stub C/Windows/SysWOW64/$d.dll --machine i686 --exports Sleep,ExitProcess; done
mkdir -p C/Windows/System32; A=C/demo-win32-ia32; M=$A/resources/app/node_modules/serialport/build/Release
stub $A/demo.exe --machine i686 --exe --exports napi_create_object --imports KERNEL32.dll:ExitProcess
stub $M/serialport.node --exports napi_register_module_v1 --imports KERNEL32.dll:Sleep
