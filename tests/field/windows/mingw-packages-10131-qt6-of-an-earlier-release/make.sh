#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
M=C/msys64/mingw64; S=$M/lib/python3.9/site-packages/PyQt6
mkdir -p C/Windows/System32 $M/bin $S C/msys64/var/lib/pacman/local/mingw-w64-x86_64-qt6-base-6.2.0-2
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub $M/bin/Qt6Core.dll --exports qVersion --imports KERNEL32.dll:Sleep
stub $M/bin/libpython3.9.dll --exports PyModule_Create2,Py_Main --imports KERNEL32.dll:Sleep
stub $M/bin/python.exe --exe --imports libpython3.9.dll:Py_Main KERNEL32.dll:Sleep
stub $S/QtCore.pyd --exports PyInit_QtCore --imports Qt6Core.dll:qVersion,qRegisterNormalized \
  libpython3.9.dll:PyModule_Create2
echo "import numpy" >$S/../app.py; touch $M/lib/python3.9/os.py
