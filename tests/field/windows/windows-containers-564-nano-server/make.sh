#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; for d in kernel32 ntdll kernelbase; do
  stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done

stub C/Windows/System32/ole32.dll --exports CoInitializeEx
stub C/app/app.exe --exe --imports KERNEL32.dll:ExitProcess
stub C/app/somedll.dll --exports run --imports ole32.dll:OleInitialize,CoInitializeEx KERNEL32.dll:Sleep
