#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub $W/jre/bin/java.exe --exe --imports KERNEL32.dll:ExitProcess
stub $W/m/MsmqJava.dll --exports Java_f --imports MSVCR120.dll:malloc KERNEL32.dll:Sleep
