#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA; done
D=C/lf/lib; stub $D/conndesktop-win.dll --exports Java_x --imports KERNEL32.dll:Sleep SSLEAY32.dll:g
stub $D/SSLEAY32.dll --exports g --imports MSVCR110.dll:memcpy
stub C/jdk/bin/java.exe --exe --imports KERNEL32.dll:LoadLibraryA
