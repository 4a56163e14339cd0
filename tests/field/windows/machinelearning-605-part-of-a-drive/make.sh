#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
A=C/Users/u/source/app; stub $A/app.exe --exe --imports KERNEL32.dll:ExitProcess
stub $A/CpuMathNative.dll --exports f --imports VCRUNTIME140.dll:memset api-ms-win-crt-math-l1-1-0.dll:sqrt \
  KERNEL32.dll:Sleep
cp -r C part; for d in kernel32 ntdll; do stub part/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
