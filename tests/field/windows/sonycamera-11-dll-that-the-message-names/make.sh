#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
A=C/ASCOM/Camera; mkdir -p $A; stub $A/sonycamerainfo.exe --exe --imports KERNEL32.dll:ExitProcess
stub $A/libraw.dll --exports libraw_init --imports MSVCP120.dll:_Xbad MSVCR120.dll:memcpy KERNEL32.dll:Sleep
