#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/Windows/System32/comctl32.dll --exports InitCommonControls
stub C/nwg/basic.exe --exe --imports KERNEL32.dll:ExitProcess comctl32.dll:SetWindowSubclass,InitCommonControls
