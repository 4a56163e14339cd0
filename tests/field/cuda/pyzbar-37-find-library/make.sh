#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py pyzbar/__init__.py </dev/null
py pyzbar/zbar_library.py <<'E'
import platform
import sys
from ctypes import cdll
from ctypes.util import find_library
from pathlib import Path
__all__ = ['load']
def _windows_fnames():
    if sys.maxsize > 2**32:
        return 'libzbar-64.dll', ['libiconv.dll']
    return 'libzbar-32.dll', ['libiconv-2.dll']
def load():
    if 'Windows' == platform.system():
        fname, dependencies = _windows_fnames()
        deps = [cdll.LoadLibrary(str(Path(__file__).parent.joinpath(dep))) for dep in dependencies]
        libzbar = cdll.LoadLibrary(fname)
    else:
        path = find_library('zbar')
        if not path:
            raise ImportError('Unable to find zbar shared library')
        libzbar = cdll.LoadLibrary(path)
        deps = []
    return libzbar, deps
E
py pyzbar/wrapper.py <<'E'
from ctypes import CFUNCTYPE, POINTER, c_int, c_uint
from . import zbar_library
LIBZBAR = None
EXTERNAL_DEPENDENCIES = []
def load_libzbar():
    global LIBZBAR
    global EXTERNAL_DEPENDENCIES
    if not LIBZBAR:
        libzbar, dependencies = zbar_library.load()
        LIBZBAR = libzbar
        EXTERNAL_DEPENDENCIES = [LIBZBAR] + dependencies
    return LIBZBAR
def zbar_function(fname, restype, *args):
    prototype = CFUNCTYPE(restype, *args)
    return prototype((fname, load_libzbar()))
zbar_version = zbar_function('zbar_version', c_int, POINTER(c_uint), POINTER(c_uint))
E
py pyzbar/pyzbar.py <<<'from .wrapper import zbar_version'
dist pyzbar 0.1.9 py2.py3-none-any pyzbar
