#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
cupyenv() { # dist version soname-nvrtc soname-cublas nvjit
py cupy/__init__.py <<'P'
try:
    from cupy import _core
except ImportError as exc:
    raise ImportError("CuPy is not correctly installed.") from exc
P
py cupy/_core/__init__.py <<<'from cupy.cuda import compiler'
py cupy/cuda/__init__.py </dev/null
py cupy/cuda/compiler.py <<<'from cupy_backends.cuda.libs import nvrtc, cublas'
py cupy_backends/__init__.py </dev/null
py cupy_backends/cuda/__init__.py </dev/null
py cupy_backends/cuda/libs/__init__.py </dev/null
stub "$3" 'int cublasCreate_v2(void){return 0;}'
ext "$S/cupy_backends/cuda/libs/nvrtc.cpython-311-x86_64-linux-gnu.so" \
  <<<"const char *n=\"$4\"; void *dlopen(const char*,int); void *o(void){return dlopen(n,1);}"
ext "$S/cupy_backends/cuda/libs/cublas.cpython-311-x86_64-linux-gnu.so" -Wl,--no-as-needed stubs/$3 </dev/null
dist $1 $2 cp311-cp311-manylinux2014_x86_64 cupy cupy_backends -- 'Requires-Dist: numpy' 'Requires-Dist: fastrlock'
}
venv 3.11
cupyenv cupy-cuda11x 12.0.0 libcublas.so.11 libnvrtc.so.11.2
cupyenv cupy-cuda12x 12.0.0 libnvJitLink.so.12 libnvrtc.so.12
mkdir l; cp stubs/libcublas.so.11 l
rm -rf stubs
