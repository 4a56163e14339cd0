#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
P="C/Program Files (x86)/OpenTX"; I="--imports KERNEL32.dll:Sleep"
stub C/Windows/System32/libeay32.dll --exports a $I
stub C/Windows/libeay32.dll --exports a,b $I
stub "$P/companion.exe" --exe --imports libeay32.dll:a,b KERNEL32.dll:Sleep
