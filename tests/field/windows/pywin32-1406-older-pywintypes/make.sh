#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
C=$W/C; mkdir -p $C/Windows/System32; prefix $C/venv 7; S=$C/venv/Lib/site-packages; mkdir -p $S/win32 $S/app
stub $C/Windows/System32/kernel32.dll --exports ExitProcess,Sleep; stub $C/Windows/System32/ntdll.dll --exports RtlX
stub $C/Windows/System32/pywintypes37.dll --exports PyWinObject_FromHANDLE
stub $S/pywin32_system32/pywintypes37.dll --exports PyWinObject_FromHANDLE,PyWinObject_FromSID
stub $S/win32/win32api.pyd --exports PyInit_win32api \
  --imports pywintypes37.dll:PyWinObject_FromHANDLE,PyWinObject_FromSID \
  python37.dll:Py_Main
printf 'win32\n' >$S/pywin32.pth; echo 'import win32api' >$S/app/__init__.py
