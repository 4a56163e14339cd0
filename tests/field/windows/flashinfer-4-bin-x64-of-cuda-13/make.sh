#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
C=$W/C; mkdir -p $C/Windows/System32; prefix $C/py 11; S=$C/py/Lib/site-packages; mkdir -p $S/flashinfer/jit
stub $C/Windows/System32/kernel32.dll --exports ExitProcess,Sleep; stub $C/Windows/System32/ntdll.dll --exports RtlX
stub $C/cuda/v13.0/bin/x64/cudart64_13.dll --exports cudaMalloc --imports KERNEL32.dll:Sleep
echo 'from .jit import lib' >$S/flashinfer/__init__.py
cat >$S/flashinfer/jit/__init__.py <<'E'
import ctypes
import os

cuda_lib_path = os.path.join(os.environ["CUDA_PATH"], "bin", "cudart64_13.dll")
lib = ctypes.CDLL(cuda_lib_path, mode=ctypes.RTLD_GLOBAL)
E
mkdir $S/flashinfer-0.3.0.dist-info
printf 'Metadata-Version: 2.1\nName: flashinfer\nVersion: 0.3.0\n' >$S/flashinfer-0.3.0.dist-info/METADATA
