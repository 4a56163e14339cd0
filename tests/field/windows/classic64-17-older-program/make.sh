#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
A=C/ClassiCube; mkdir -p $A/plugins
stub $A/ClassiCube.exe --exe --exports Chat_Add,Commands_Register --imports KERNEL32.dll:ExitProcess
stub $A/plugins/Classic64.dll --exports Plugin_Component --imports ClassiCube.exe:Chat_Add,CPE_SendPluginMessage \
  KERNEL32.dll:Sleep
