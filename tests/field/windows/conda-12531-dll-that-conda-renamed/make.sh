#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
A=C/miniconda3; prefix $A 10 --conda; B=$A/Library/bin; stub ffi.dll --exports ffi_call --imports KERNEL32.dll:Sleep
mkdir -p $B; touch $A/Lib/os.py; mv ffi.dll $B/ffi.dll.c~.conda_trash
stub $A/DLLs/_ctypes.pyd --exports PyInit__ctypes --imports ffi.dll:ffi_call python310.dll:Py_Main
