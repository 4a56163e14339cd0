#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
U=C/msys64/usr/bin; mkdir -p C/msys64/var/lib/pacman/local
stub $U/msys-nettle-8.dll --exports n --imports KERNEL32.dll:Sleep
stub $U/wget.exe --exe --imports msys-nettle-9.dll:n KERNEL32.dll:Sleep
