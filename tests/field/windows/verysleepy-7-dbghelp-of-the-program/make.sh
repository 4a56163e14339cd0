#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
S=C/Windows/System32; P="C/Program Files/Very Sleepy CS"; mkdir -p "$P"
for d in kernel32 ntdll; do stub $S/$d.dll --exports Sleep,ExitProcess; done
stub $S/dbghelp.dll --exports SymInitialize,SetCheckUserInterruptShared
stub $S/dbgeng.dll --exports DebugCreate --imports dbghelp.dll:SymInitialize,SetCheckUserInterruptShared
stub "$P/dbghelp.dll" --exports SymInitialize
stub "$P/sleepy.exe" --exe --imports dbghelp.dll:SymInitialize dbgeng.dll:DebugCreate KERNEL32.dll:ExitProcess
