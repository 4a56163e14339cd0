#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
prefix C/Anaconda3 7 --conda; S=C/Anaconda3/Lib/site-packages/numpy; mkdir -p $S
stub C/Anaconda3/Library/bin/mkl_rt.dll --exports mkl_set; echo 'from . import _mklinit' >$S/__init__.py
stub $S/_mklinit.pyd --exports PyInit__mklinit --imports mkl_rt.dll:mkl_set python37.dll:Py_Main
