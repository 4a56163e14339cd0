#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
A=C/Users/u/AppData/Local/Temp/par-75/cache-PERLTMP
stub $A/4f0b224f.xs.dll --exports boot --imports perl532.dll:Perl_croak libexpat-1__.dll:XML_ParserCreate
stub $A/perl532.dll --exports Perl_croak; stub C/SBperl/c/bin/libexpat-1__.dll --exports XML_ParserCreate
stub C/Aptio5/CBSgenerate.exe --exe --imports KERNEL32.dll:ExitProcess
stub C/rust/rust-lld.exe --exe --imports KERNEL32.dll:ExitProcess zlib1__.dll:inflate
