#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py decord/__init__.py <<<'from ._ffi.base import _LIB'
py decord/_ffi/__init__.py </dev/null
py decord/_ffi/libinfo.py <<'E'
import os
import sys
def split_env_var(env_var, split):
    if os.environ.get(env_var, None):
        return [p.strip() for p in os.environ[env_var].split(split)]
    return []
def find_lib_path(name=None, search_path=None, optional=False):
    ffi_dir = os.path.dirname(os.path.realpath(os.path.expanduser(__file__)))
    source_dir = os.path.join(ffi_dir, "..", "..", "..")
    dll_path = []
    if os.environ.get('DECORD_LIBRARY_PATH', None):
        dll_path.append(os.environ['DECORD_LIBRARY_PATH'])
    if sys.platform.startswith('linux') or sys.platform.startswith('freebsd'):
        dll_path.extend(split_env_var('LD_LIBRARY_PATH', ':'))
        dll_path.extend(split_env_var('PATH', ':'))
    dll_path.append(os.path.join(ffi_dir, ".."))
    dll_path = [os.path.realpath(x) for x in dll_path]
    lib_dll_path = [os.path.join(p, 'libdecord.so') for p in dll_path]
    lib_found = [p for p in lib_dll_path if os.path.exists(p) and os.path.isfile(p)]
    if not lib_found:
        message = ('Cannot find the files.\n' + 'List of candidates:\n' + str('\n'.join(lib_dll_path)))
        if not optional:
            raise RuntimeError(message)
        return None
    return lib_found
E
py decord/_ffi/base.py <<'E'
import sys
import os
import ctypes
from . import libinfo
def _load_lib():
    lib_path = libinfo.find_lib_path()
    os.environ['PATH'] += os.pathsep + os.path.dirname(lib_path[0])
    lib = ctypes.CDLL(lib_path[0], ctypes.RTLD_GLOBAL)
    lib.DECORDGetLastError.restype = ctypes.c_char_p
    return lib, os.path.basename(lib_path[0])
_LIB, _LIB_NAME = _load_lib()
E
lib libnvcuvid.so.1 <<<'int cuvidCreateDecoder(void) { return 0; }'
lib "$S/decord/libdecord.so" -Wl,--no-as-needed libnvcuvid.so.1 <<<'char *DECORDGetLastError(void) { return 0; }'
rm libnvcuvid.so.1
dist decord 0.6.0 py3-none-manylinux2010_x86_64 decord
