#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub m/bin/libc++.dll --exports cx; stub m/i686-w64-mingw32/bin/libc++.dll --machine i686 --exports cx
stub m/bin/a.exe --machine i686 --exe --imports libc++.dll:cx KERNEL32.dll:ExitProcess
