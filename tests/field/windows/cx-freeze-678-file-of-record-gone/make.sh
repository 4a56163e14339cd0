#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; for d in kernel32 ntdll kernelbase; do
  stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done

prefix C/a 7; S=C/a/Lib/site-packages; I=$S/PyQtx-5.12.3.dist-info; mkdir -p $S/PyQtx $I
cat >$S/PyQtx/__init__.py <<'P'
import os
for folder in [os.path.dirname(__file__) + '\\Qt\\bin'] + os.environ['PATH'].split(';'):
    if os.path.isfile(folder + '\\QtxCore.dll'):
        break
else:
    raise ImportError("unable to find QtxCore.dll on PATH")
P
printf 'Metadata-Version: 2.1\nName: PyQtx\nVersion: 5.12.3\n' >$I/METADATA
printf 'PyQtx/__init__.py,,\nPyQtx/Qt/bin/QtxCore.dll,,\n' >$I/RECORD
