#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py _sounddevice.py <<'E'
class FFI:
    def dlopen(self, name):
        raise OSError(name)
ffi = FFI()
E
py sounddevice.py <<'E'
import atexit as _atexit
import os as _os
import platform as _platform
import sys as _sys
from ctypes.util import find_library as _find_library
from _sounddevice import ffi as _ffi
try:
    for _libname in (
            'portaudio',
            'bin\\libportaudio-2.dll',
            'lib/libportaudio.dylib',
            ):
        _libname = _find_library(_libname)
        if _libname is not None:
            break
    else:
        raise OSError('PortAudio library not found')
    _lib = _ffi.dlopen(_libname)
except OSError:
    if _platform.system() == 'Darwin':
        _libname = 'libportaudio.dylib'
    elif _platform.system() == 'Windows':
        _libname = 'libportaudio64bit.dll'
    else:
        raise
    import _sounddevice_data
    _libname = _os.path.join(next(iter(_sounddevice_data.__path__)), 'portaudio-binaries', _libname)
    _lib = _ffi.dlopen(_libname)
E
dist sounddevice 0.5.1 py3-none-any sounddevice.py _sounddevice.py
