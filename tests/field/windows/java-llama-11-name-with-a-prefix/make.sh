#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
D=C/Users/l/AppData/Local/Temp; mkdir -p $T C/jdk/bin; stub C/jdk/bin/java.exe --exe --imports KERNEL32.dll:ExitProcess
stub $D/3f1c2a6e-llama.dll --exports llama_load --imports KERNEL32.dll:Sleep
stub $D/3f1c2a6e-jllama.dll --exports Java_load --imports llama.dll:llama_load KERNEL32.dll:Sleep
stub $D/77aa0000-llama.dll --exports other --imports KERNEL32.dll:Sleep
