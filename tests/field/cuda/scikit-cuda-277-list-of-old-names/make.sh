#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py skcuda/__init__.py </dev/null
py skcuda/cudart.py <<'E'
import atexit, ctypes, os, re, subprocess, sys, warnings
_version_list = [10.1, 10.0, 9.2, 9.1, 9.0, 8.0, 7.5]
if 'linux' in sys.platform:
    _libcudart_libname_list = ['libcudart.so.7.0'] + \
                              ['libcudart.so.%s' % v for v in _version_list]
elif sys.platform == 'darwin':
    _libcudart_libname_list = ['libcudart.dylib']
else:
    raise RuntimeError('unsupported platform')
_libcudart = None
for _libcudart_libname in _libcudart_libname_list:
    try:
        _libcudart = ctypes.cdll.LoadLibrary(_libcudart_libname)
    except OSError:
        pass
    else:
        break
if _libcudart == None:
    raise OSError('CUDA runtime library not found')
E
py skcuda/cuda.py <<<'from .cudart import *'
lib "$S/nvidia/cuda_runtime/lib/libcudart.so.12" <<<'int cudaRuntimeGetVersion(int *v) { return 0; }'
dist nvidia-cuda-runtime-cu12 12.8.90 py3-none-manylinux2014_x86_64 nvidia
dist scikit-cuda 0.5.3 py3-none-any skcuda
