#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
for d in kernel32 ntdll ServerManager; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
mv C/Windows/System32/ServerManager.dll C/Windows/System32/ServerManager.exe; P=C/Python37; prefix $P 7
stub $P/Lib/site-packages/window.pyd --exports PyInit_window --imports MSVCP140.dll:f python37.dll:Py_Main
