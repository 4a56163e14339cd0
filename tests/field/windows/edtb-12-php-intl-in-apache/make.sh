#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA; done
stub C/Apache24/bin/httpd.exe --exe --imports KERNEL32.dll:ExitProcess
stub C/php7/php7ts.dll --exports zend_register; stub C/Apache24/bin/php7ts.dll --exports zend_register
stub C/php7/icuuc56.dll --exports u_init_56
stub C/php7/ext/php_intl.dll --exports get_module \
  --imports icuuc56.dll:u_init_56 php7ts.dll:zend_register KERNEL32.dll:Sleep
