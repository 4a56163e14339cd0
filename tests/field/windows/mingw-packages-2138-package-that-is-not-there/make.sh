#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
U=C/msys64/mingw64/bin; mkdir -p C/msys64/var/lib/pacman/local
stub $U/zlib1.dll --exports i --imports KERNEL32.dll:Sleep
stub $U/libidn-11.dll --exports idn --imports libunistring-2.dll:u8 KERNEL32.dll:Sleep
stub $U/curl.exe --exe --imports zlib1.dll:i libidn-11.dll:idn KERNEL32.dll:Sleep
