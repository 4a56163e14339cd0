#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
A=C/dist/main; P=$A/PyQt5/Qt/plugins/platforms; mkdir -p $P C/dist/none
stub $A/Qt5Gui.dll --exports qGui --imports KERNEL32.dll:Sleep
stub $A/main.exe --exe --imports KERNEL32.dll:ExitProcess
cp $A/main.exe C/dist/none/
stub $P/qwindows.dll --exports qt_plugin_instance --imports Qt5Gui.dll:qGui
mkdir -p C/dist/other/platforms; cp $A/main.exe C/dist/other/
stub C/dist/other/platforms/qwindows.dll --exports qt_plugin_instance --imports Qt5Guix.dll:qGui
