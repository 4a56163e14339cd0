#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
D=C/Users/s/k/target/lib/native
stub $D/z3java.dll --exports Java_f --imports libz3.dll:Z3_mk MSVCR100.dll:malloc KERNEL32.dll:Sleep
stub $D/libz3.dll --exports Z3_mk --imports MSVCR100.dll:malloc VCOMP100.DLL:g KERNEL32.dll:Sleep
