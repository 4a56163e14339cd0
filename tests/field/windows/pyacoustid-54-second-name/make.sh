#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; for d in kernel32 ntdll kernelbase; do
  stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done

prefix C/Python38 8; stub C/tools/libchromaprint.dll --exports cp
cat >C/Python38/Lib/site-packages/chromaprintx.py <<'P'
import ctypes
for name in ('chromaprint.dll', 'libchromaprint.dll'):
    try:
        library = ctypes.cdll.LoadLibrary(name)
        break
    except OSError:
        pass
else:
    raise ImportError("couldn't find libchromaprint")
P
