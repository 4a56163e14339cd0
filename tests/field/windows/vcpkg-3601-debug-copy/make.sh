#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; for d in kernel32 ntdll kernelbase user32;
  do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA,GetProcAddress; done
mkdir -p C/src/x64/Debug C/vcpkg/installed/x64-windows/bin C/vcpkg/installed/x64-windows/debug/bin
stub C/vcpkg/installed/x64-windows/bin/zlib1.dll --exports inflate
stub C/vcpkg/installed/x64-windows/debug/bin/zlibd1.dll --exports inflate
cp C/vcpkg/installed/x64-windows/debug/bin/zlibd1.dll C/src/x64/Debug
stub C/src/x64/Debug/openvdb.dll --exports vdb --imports zlib1.dll:inflate KERNEL32.dll:Sleep
stub C/src/x64/Debug/demo.exe --exe --imports openvdb.dll:vdb KERNEL32.dll:ExitProcess
