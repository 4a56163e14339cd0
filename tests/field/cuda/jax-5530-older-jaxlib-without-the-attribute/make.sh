#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py jax/__init__.py <<'E'
from jax.version import __version__
from jax import lax
E
py jax/version.py <<<'__version__ = "0.2.9"'
py jax/lax/__init__.py <<<'from . import linalg'
py jax/lax/linalg.py <<<'from jax._src.lax.linalg import cholesky_p'
py jax/_src/__init__.py </dev/null
py jax/_src/lax/__init__.py </dev/null
py jax/_src/lax/linalg.py <<'E'
from functools import partial
try:
    from jaxlib import cusolver
except ImportError:
    cusolver = None
translations = {}
cholesky_p = object()
def _cholesky_cpu_gpu_translation_rule(potrf_impl, c, operand):
    return potrf_impl(c, operand)
if cusolver is not None:
    translations[cholesky_p] = partial(_cholesky_cpu_gpu_translation_rule, cusolver.potrf)
E
dist jax 0.2.9 py3-none-any jax -- 'Requires-Dist: numpy>=1.12'
py numpy/__init__.py <<<'__version__ = "1.19.0"'
dist numpy 1.19.0 cp37-cp37m-manylinux2010_x86_64 numpy
py jaxlib/__init__.py <<<'from .version import __version__'
py jaxlib/version.py <<<'__version__ = "0.1.59"'
py jaxlib/cusolver.py <<'E'
def getrf(c, a):
    return a
def geqrf(c, a):
    return a
E
dist jaxlib 0.1.59 cp37-none-manylinux2010_x86_64 jaxlib
