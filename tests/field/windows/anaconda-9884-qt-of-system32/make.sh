#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; for d in kernel32 ntdll kernelbase; do
  stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done

A=C/Users/a/Anaconda3; prefix $A 7 --conda; S=$A/Lib/site-packages; stub $A/Library/bin/Qt5Core.dll --exports qv,qnew
stub C/Windows/System32/Qt5Core.dll --exports qv; mkdir -p $S/PyQt5; touch $S/PyQt5/__init__.py
stub $S/PyQt5/QtCore.pyd --exports PyInit_QtCore --imports Qt5Core.dll:qv,qnew python37.dll:Py_Main
