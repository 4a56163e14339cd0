#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py numpy/__init__.py <<'E'
from . import core
from .core import *
__version__ = "1.24.4"
def __getattr__(attr):
    raise AttributeError("module {!r} has no attribute {!r}".format(__name__, attr))
E
py numpy/core/__init__.py <<<'from .multiarray import *'
py numpy/core/multiarray.py <<<'from ._multiarray_umath import *'
lib "$S/numpy.libs/libopenblas64_p-r0.so" <<<'int cblas_dgemm64_(void) { return 0; }'
ext "$S/numpy/core/_multiarray_umath.so" -Wl,--no-as-needed "$S/numpy.libs/libopenblas64_p-r0.so" \
  -Wl,-rpath,'$ORIGIN/../../numpy.libs' </dev/null
dist numpy 1.24.4 cp310-cp310-manylinux_2_17_x86_64 numpy numpy.libs
py scipy/__init__.py </dev/null
dist scipy 1.11.4 cp310-cp310-manylinux_2_17_x86_64 scipy -- 'Requires-Dist: numpy<1.28.0,>=1.21.6'
py jax/__init__.py <<<'from jax._src import dtypes'
py jax/_src/__init__.py </dev/null
py jax/_src/dtypes.py <<'E'
import numpy as np
_string_types = []
if hasattr(np.dtypes, 'StringDType'):
    _string_types.append(np.dtypes.StringDType())
E
dist jax 0.5.3 py3-none-any jax -- 'Requires-Dist: numpy>=1.25' 'Requires-Dist: scipy>=1.11.1'
echo 'import numpy as np
np.frobnicate' >app.py
