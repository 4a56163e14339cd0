#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
J="C/Program Files/Java/jre1.8.0_102/bin/server"
mkdir -p C/Windows/System32 "$J" C/R/bin/x64 C/R/library/rJava/libs/x64
stub C/R/bin/x64/R.exe --exe --imports KERNEL32.dll:ExitProcess
stub C/R/library/rJava/libs/x64/rJava.dll --exports rj --imports jvm.dll:JNI_CreateJavaVM KERNEL32.dll:Sleep
stub "$J/jvm.dll" --exports JNI_CreateJavaVM
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
