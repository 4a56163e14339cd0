#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub app/nicotine.exe --exe --imports libgcc_s_seh-1.dll:_Unwind_Resume libwinpthread-1.dll:pthread_create \
  KERNEL32.dll:ExitProcess
stub app/lib/libgcc_s_seh-1.dll --exports _Unwind_Resume; stub app/lib/libwinpthread-1.dll --exports pthread_create
