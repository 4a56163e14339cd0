#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py numpy/__init__.py <<'E'
from . import core
from .core import *
_gone = "module 'numpy' has no attribute '{n}'.\n`np.{n}` was a deprecated alias for the builtin `{n}`."
_former = {n: _gone.format(n=n) for n in ("bool", "float", "int", "object")}
_deprecated = {}
_renamed = [("bool8", bool_, "np.bool_"), ("int0", intp, "np.intp")]
_deprecated.update({n: (alias, f"use {an}") for n, alias, an in _renamed})
def __getattr__(attr):
    import warnings
    try:
        value, message = _deprecated[attr]
    except KeyError:
        pass
    else:
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return value
    if attr in _former:
        raise AttributeError(_former[attr])
    raise AttributeError(f"module {__name__!r} has no attribute {attr!r}")
def __dir__():
    return list(globals().keys() | {"testing"})
E
py numpy/core/__init__.py <<'E'
from . import _kernel
from ._kernel import *
from .numerictypes import *
_kernel.setup(allTypes)
E
py numpy/core/numerictypes.py <<'E'
import sys
allTypes = {name: type(name, (), {}) for name in ("bool_", "intp", "float64") if sys.maxsize > len(name)}
for key in allTypes:
    globals()[key] = allTypes[key]
E
py numpy/core/_kernel.py <<'E'
import struct
calcsize = struct.calcsize
def setup(types):
    return len(types)
E
dist numpy 1.24.4 cp311-cp311-manylinux_2_17_x86_64 numpy
py mxnet/__init__.py <<<'from .numpy import utils'
py mxnet/numpy/__init__.py </dev/null
py mxnet/numpy/utils.py <<'E'
import numpy as onp
bool_ = onp.bool_
bool = onp.bool
E
dist mxnet 1.9.1 py3-none-manylinux2014_x86_64 mxnet -- 'Requires-Dist: numpy>1.16.0,<2.0.0'
