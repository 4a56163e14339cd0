#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py pycuda/__init__.py <<<'VERSION = (2021, 1)'
py pycuda/driver.py <<'E'
try:
    from pycuda._driver import *
except ImportError as e:
    if "_v2" in str(e):
        from warnings import warn
        warn("Failed to import the CUDA driver interface, with an error "
             "message indicating that the version of your CUDA header "
             "does not match the version of your CUDA driver.")
    raise
E
lib new/libcuda.so.1 <<<'int cuInit(int f) { return 0; } int cuDevicePrimaryCtxRelease_v2(int d) { return 0; }'
lib sys/libcuda.so.1 <<'E'
int cuInit(int f) { return 0; } int cuDevicePrimaryCtxRelease(int d) { return 0; }
int cuDriverGetVersion(int *v) { *v = 10010; return 0; }
E
mv sys/libcuda.so.1 sys/libcuda.so.418.87.01; ln -s libcuda.so.418.87.01 sys/libcuda.so.1
ext "$S/pycuda/_driver.abi3.so" new/libcuda.so.1 -Wl,-z,now <<'E'
int cuDevicePrimaryCtxRelease_v2(int); int use(void) { return cuDevicePrimaryCtxRelease_v2(0); }
E
dist pycuda 2021.1 cp311-cp311-linux_x86_64 pycuda; rm -r new
