#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/app/runtimes/win-x64/native/miniaudio.dll --exports ma_engine_init \
  --imports KERNEL32.dll:Sleep libgcc_s_seh-1.dll:_Unwind_Resume libstdc++-6.dll:_Znwy
stub C/app/Player.exe --exe --imports KERNEL32.dll:ExitProcess
echo '{"targets": {"x": {"SoundFlow/1.0.1": {"runtimeTargets": {"runtimes/win-x64/native/miniaudio.dll": {}}}}}}' \
  > C/app/Player.deps.json
