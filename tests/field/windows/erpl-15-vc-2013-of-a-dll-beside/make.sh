#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; E=C/Users/s/.duckdb/extensions
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub $E/erpl_rfc.duckdb_extension --exports init --imports KERNEL32.dll:Sleep sapnwrfc.dll:RfcInit
stub $E/sapnwrfc.dll --exports RfcInit --imports MSVCR120.dll:memcpy
stub C/duckdb/duckdb.exe --exe --imports KERNEL32.dll:ExitProcess
