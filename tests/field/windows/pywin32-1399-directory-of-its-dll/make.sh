#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix $W/py 8; S=$W/py/Lib/site-packages; mkdir -p $S/win32/lib $S/pywin32_system32
stub $S/pywin32_system32/pywintypes38.dll --exports PyWinObject_FromHANDLE,PyInit_pywintypes \
  --imports python38.dll:Py_Main
stub $S/win32/win32api.pyd --exports PyInit_win32api --imports pywintypes38.dll:PyWinObject_FromHANDLE \
  python38.dll:Py_Main
printf '# .pth file for the PyWin32 extensions\nwin32\nwin32\\lib\nPythonwin\n' >$S/pywin32.pth
mkdir $S/pywin32-227.dist-info
printf 'Metadata-Version: 2.1\nName: pywin32\nVersion: 227\n' >$S/pywin32-227.dist-info/METADATA
(cd $S; find win32 pywin32_system32 pywin32.pth pywin32-227.dist-info -type f | sed 's/$/,,/') >$W/r
mv $W/r $S/pywin32-227.dist-info/RECORD
