#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; for d in kernel32 ntdll kernelbase; do
  stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done

prefix C/Py 12; F=C/Py/Lib/site-packages/tfx; mkdir -p $F
stub C/Windows/System32/msvcp140.dll --exports _Mtx_lock,_Mtx_unlock --version 14.28.29914.0
stub $F/_i.pyd --exports PyInit__i --imports MSVCP140.dll:_Mtx_lock,_Mtx_unlock python312.dll:Py_Main --linker 14.42
printf 'try:\n  from ._i import *\nexcept ImportError as e:\n  raise ImportError(f"{e}: native runtime")\n' \
  >$F/__init__.py
