#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py numpy/__init__.py <<'E'
import sys, warnings
from .version import version as __version__
__former_attrs__ = {"object": "x", "bool": "x"}
str_ = unicode_ = str
float64 = float
int64 = int
def __getattr__(attr):
    import warnings
    if attr in __former_attrs__:
        raise AttributeError(f"module 'numpy' has no attribute '{attr}'.")
    if attr == 'testing':
        import numpy.testing as testing
        return testing
    raise AttributeError("module {!r} has no attribute "
                         "{!r}".format(__name__, attr))
def __dir__():
    public_symbols = globals().keys() | {'testing'}
    return list(public_symbols)
E
py numpy/version.py <<<'version = "1.26.1"'
py numpy/testing/__init__.py </dev/null
dist numpy 1.26.1 cp311-cp311-manylinux_2_17_x86_64 numpy
py pyuniprot/__init__.py <<'E'
from . import manager
E
py pyuniprot/manager/__init__.py <<'E'
from . import database
E
py pyuniprot/manager/database.py <<'E'
import numpy as np
class Text: pass
class Integer: pass
alchemy_pandas_dytpe_mapper = {
    Text: np.unicode,
    Integer: np.float64,
}
E
dist pyuniprot 0.0.10 py3-none-any pyuniprot -- 'Requires-Dist: numpy'
