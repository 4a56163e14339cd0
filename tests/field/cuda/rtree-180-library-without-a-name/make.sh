#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py rtreex/__init__.py <<<'from . import core'
py rtreex/finder.py <<'E'
import ctypes, os
from ctypes.util import find_library
def load():
    if os.name == 'nt':
        return None
    return ctypes.cdll.LoadLibrary(find_library('spatialindexx_c'))
E
py rtreex/core.py <<'E'
import ctypes
from . import finder
rt = finder.load()
rt.Error_GetLastErrorNum.restype = ctypes.c_int
E
dist Rtreex 0.9.7 py3-none-any rtreex
