#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub $W/vim/gvim.exe --machine i686 --exe --imports KERNEL32.dll:ExitProcess
stub $W/Python39/python39.dll --exports Py_Initialize
