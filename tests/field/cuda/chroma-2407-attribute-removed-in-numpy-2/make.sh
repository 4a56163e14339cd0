#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py numpy/__init__.py <<'E'
import sys
import warnings
__version__ = "2.0.0"
from ._expired_attrs_2_0 import __expired_attributes__
uint = int
int_ = int
float64 = float
def __getattr__(attr):
    import warnings
    if attr == "linalg":
        import numpy.linalg as linalg
        return linalg
    if attr in __expired_attributes__:
        raise AttributeError(f"`np.{attr}` was removed in the NumPy 2.0 release. {__expired_attributes__[attr]}")
    raise AttributeError("module {!r} has no attribute {!r}".format(__name__, attr))
E
py numpy/_expired_attrs_2_0.py <<'E'
__expired_attributes__ = {"cast": "Use `np.asarray` instead.", "float_": "Use `np.float64` instead."}
E
dist numpy 2.0.0 cp311-cp311-manylinux_2_17_x86_64 numpy
py chromadb/__init__.py <<<'import chromadb.api.types'
py chromadb/api/__init__.py </dev/null
py chromadb/api/types.py <<'E'
from typing import Union
import numpy as np
ImageDType = Union[np.uint, np.int_, np.float_]
E
dist chromadb 0.5.2 py3-none-any chromadb -- 'Requires-Dist: numpy>=1.22.5'
