#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
C=$W/C; mkdir -p $C/Windows/System32; prefix $C/Python311 11; S=$C/Python311/Lib/site-packages
stub $C/Windows/System32/kernel32.dll --exports ExitProcess,Sleep; stub $C/Windows/System32/ntdll.dll --exports RtlX
stub $C/Windows/System32/user32.dll --exports GetDC; stub $C/Windows/System32/kernelbase.dll --exports Sleep
mkdir -p $S/cv2; echo 'from .cv2 import *' >$S/cv2/__init__.py
stub $S/cv2/cv2.pyd --exports PyInit_cv2 --imports MF.dll:MFEnumDeviceSources MFPlat.DLL:MFStartup KERNEL32.dll:Sleep \
  USER32.dll:GetDC python311.dll:Py_Main
