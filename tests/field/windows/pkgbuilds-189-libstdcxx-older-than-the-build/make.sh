#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub $W/app/app.exe --exe --imports libstdc++-6.dll:_ZSt21ios_base_library_initv KERNEL32.dll:ExitProcess
stub $W/app/libstdc++-6.dll --exports _ZNSt8ios_base4InitC1Ev
