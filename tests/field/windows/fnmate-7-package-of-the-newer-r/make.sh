#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA; done
stub C/R/R-3.6.3/bin/x64/R.dll --exports Rf_error,Rf_allocVector; stub C/R/R-4.0.0/bin/x64/R.dll \
  --exports Rf_error,Rf_allocVector,DATAPTR
stub C/R/R-3.6.3/bin/x64/Rgui.exe --exe --imports R.dll:Rf_error
stub C/lib/stringi/libs/x64/stringi.dll --exports R_init_stringi \
  --imports R.dll:Rf_error,Rf_allocVector,DATAPTR KERNEL32.dll:Sleep
