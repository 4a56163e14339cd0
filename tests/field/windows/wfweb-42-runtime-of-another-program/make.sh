#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
R=C/WSJT/wsjtx/bin; stub C/wfweb/wfweb.exe --exe --imports libcodec2.dll:codec2_create KERNEL32.dll:ExitProcess
stub C/wfweb/libcodec2.dll --exports codec2_create --imports libgcc_s_seh-1.dll:gcc libstdc++-6.dll:cx
stub $R/libgcc_s_seh-1.dll --exports gcc; stub $R/libstdc++-6.dll --exports cx --imports libgcc_s_seh-1.dll:gcc
# An older one, which lacks a function
stub C/old/lib/bin/libstdc++-6.dll --exports cx_of_4
