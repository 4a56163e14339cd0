#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
B=C/pythonqt/lib; mkdir -p $B
for d in Qt5Gui Qt5Widgets; do stub C/Qt5/bin/$d.dll --exports q$d; cp C/Qt5/bin/$d.dll $B/; done
stub C/Qt5/plugins/platforms/qwindows.dll --exports qt_plugin_instance --imports Qt5Gui.dll:qQt5Gui
stub $B/PyGuiExample.exe --exe --imports KERNEL32.dll:ExitProcess Qt5Widgets.dll:qQt5Widgets
