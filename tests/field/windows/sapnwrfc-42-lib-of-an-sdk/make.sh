#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/php/php.exe --exe --imports KERNEL32.dll:ExitProcess; stub C/nwrfcsdk/lib/sapnwrfc.dll --exports RfcInit
stub C/php/ext/php_sapnwrfc.dll --exports get_module --imports sapnwrfc.dll:RfcInit KERNEL32.dll:Sleep
