#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py numpy/__init__.py <<'E'
from numpy.core import _multiarray_umath
__version__ = "1.24.0"
E
py numpy/core/__init__.py </dev/null
ext "$S/numpy/core/_multiarray_umath.abi3.so" </dev/null
dist numpy 1.24.0 cp39-cp39-manylinux2014_x86_64 numpy
py llvmlite/__init__.py <<<'__version__ = "0.39.1"'; dist llvmlite 0.39.1 cp39-cp39-manylinux2014_x86_64 llvmlite
py numba/__init__.py <<'E'
import numpy
import llvmlite
from numba.np.ufunc import vectorize
E
py numba/np/__init__.py </dev/null
py numba/np/ufunc/__init__.py <<<'from numba.np.ufunc.decorators import vectorize'
py numba/np/ufunc/decorators.py <<'E'
from numba.np.ufunc import _internal
vectorize = None
E
gcc -shared -fPIC -o "$S/numba/np/ufunc/_internal.abi3.so" -xc - <<<'void *PyInit__internal(void) { return 0; }'
dist numba 0.56.4 cp39-cp39-manylinux2014_x86_64 numba -- \
  'Requires-Dist: llvmlite (<0.40,>=0.39.0dev0)' 'Requires-Dist: numpy (<1.24,>=1.18)' 'Requires-Dist: setuptools'
