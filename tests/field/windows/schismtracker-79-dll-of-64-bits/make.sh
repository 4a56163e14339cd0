#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub $W/app/schism.exe --machine i686 --exe --imports libwinpthread-1.dll:pthread_create KERNEL32.dll:ExitProcess
stub $W/app/libwinpthread-1.dll --exports pthread_create
