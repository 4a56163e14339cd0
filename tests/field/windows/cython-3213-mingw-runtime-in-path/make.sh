#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix $W/py 11; S=$W/py/Lib/site-packages
stub $S/fast.pyd --exports PyInit_fast --imports 'libstdc++-6.dll:_Znwy' libgcc_s_seh-1.dll:_Unwind_Resume \
  python311.dll:Py_Main
stub $W/msys64/mingw64/bin/libstdc++-6.dll --exports _Znwy; stub $W/msys64/mingw64/bin/libgcc_s_seh-1.dll --exports \
  _Unwind_Resume
