#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA; done
stub C/app/Host.exe --exe --imports KERNEL32.dll:ExitProcess
mkdir -p C/app/plugins/runtimes/{win-x64,win-x86,win-arm64}/native
stub C/app/plugins/runtimes/win-x64/native/e_sqlite3.dll --exports sqlite3_libversion_number
stub C/app/plugins/runtimes/win-x86/native/e_sqlite3.dll --machine i686 --exports sqlite3_libversion_number
