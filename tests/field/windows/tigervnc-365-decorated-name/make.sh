#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA; done
stub C/Windows/System32/crypt32.dll --exports CertCloseStore,CertOpenStore
stub C/app/vncviewer.exe --exe --imports KERNEL32.dll:ExitProcess crypt32.dll:CertCloseStorezz8
sed -i 's/CertCloseStorezz8/CertCloseStore@8\x00/' C/app/vncviewer.exe
