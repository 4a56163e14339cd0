#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub $W/app/d1.exe --exe --imports MSVCP140D.dll:f VCRUNTIME140D.dll:g ucrtbased.dll:h kernel32.dll:ExitProcess
