#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/php/php7ts.dll --exports zend_register
stub C/php/php.exe --exe --imports php7ts.dll:zend_register KERNEL32.dll:ExitProcess
stub C/php/ext/php_ast.dll --exports get_module --imports php7.dll:zend_register KERNEL32.dll:Sleep
