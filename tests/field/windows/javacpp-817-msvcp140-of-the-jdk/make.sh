#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; for d in kernel32 ntdll kernelbase; do
  stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done

J=C/java/jdk-21/bin; stub $J/java.exe --exe --imports KERNEL32.dll:ExitProcess; D=C/u/.javacpp
V='_Mtx_lock,_Cnd_wait_x'
stub $J/msvcp140.dll --exports _Mtx_lock --version 14.16.27033.0
stub C/Windows/System32/msvcp140.dll --exports $V --version 14.44.35211.0
stub $D/opencv_core4110.dll --exports cv --imports MSVCP140.dll:$V
stub $D/jniopencv_core.dll --exports J --imports opencv_core4110.dll:cv
