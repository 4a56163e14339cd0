#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA; done
stub C/MATLAB/bin/win64/MATLAB.exe --exe --imports KERNEL32.dll:ExitProcess; stub C/MATLAB/bin/win64/libmex.dll \
  --exports mexPrintf
stub C/mexopencv/+cv/private/CascadeClassifier_.mexw64 --exports mexFunction \
  --imports opencv_objdetect300.dll:detect libmex.dll:mexPrintf KERNEL32.dll:Sleep
stub C/opencv/build/x64/vc12/bin/opencv_objdetect300.dll --exports detect
