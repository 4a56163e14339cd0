#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
cp "$(dirname "$0")/../mediaconch-179-ucrt-on-windows-7/make.sh" $W/m7.sh
stub $W/app/python39.dll --exports Py_Main --imports api-ms-win-core-path-l1-1-0.dll:PathCchSkipRoot KERNEL32.dll:Sleep
stub $W/app/playscii.exe --exe --imports python39.dll:Py_Main KERNEL32.dll:ExitProcess
sed -n '/host-7.json/,/^P$/p' m7.sh > h.sh; . ./h.sh
